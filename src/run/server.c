/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/server.h"
#include "src/base/buf.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/unprivileged.h"
#include "src/machine/needles.h"
#include "src/run/counters.h"
#include "src/run/processes.h"
#include "src/run/protocol.h"
#include "src/run/worker.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_S 10.0		/* for the server to answer */
#define STOP_S 3.0		/* for it to end, before it is killed */
#define PORTS 5			/* tried, should others be quicker */
#define BURSTS 5		/* of needles, before and after */
#define MAX_OUTPUT ((size_t)1 << 20)
#define LOAD_OUTPUT "load.out"

struct needles { double clock_hz, adds_per_s; };

struct server {
	const struct server_ask *ask;
	struct workload_serving serving;
	pid_t pid;			/* 0: does not run */
	pid_t *processes;		/* ask->n of them */
	struct process_usage *before, *after;
	struct counters *counters;
	struct counters_reading *counted_before, *counted_after;
	struct needles *needles;	/* means of before and after */
	cpu_set_t elsewhere;		/* CPUs that are not the server's */
	int n_elsewhere;
	bool shares;			/* there are none: the load runs on the server's */
	uint64_t began_ns;
};

static volatile sig_atomic_t stopped;

static void on_stop(int sig)
{
	stopped = sig;
}

void server_prepare(void)
{
	struct sigaction a = { .sa_handler = on_stop };

	sigaction(SIGTERM, &a, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	fcntl(PROTOCOL_MESSAGE_FD, F_SETFD, FD_CLOEXEC);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void rest(void)
{
	const struct timespec ts = { 0, 5000000 };

	nanosleep(&ts, NULL);
}

/* One that nobody listens on now. */
static int free_port(struct err *err)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), rc = 0;

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		rc = err_set(err, -errno, "no port on 127.0.0.1 for the server: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc < 0 ? rc : ntohs(a.sin_port);
}

static bool answers(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) },
				 .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool yes = fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0;

	if (fd >= 0)
		close(fd);
	return yes;
}

static char *file_in(const struct server *s, const char *name)
{
	return xasprintf("%s/%s", s->ask->env->dir, name);
}

/* The server's last words, and whether its address was taken; caller frees, NULL: none. */
static char *last_words(const struct server *s, bool *taken)
{
	char *path = file_in(s, s->ask->w->server->log), *text = NULL, *line;
	struct buf b = BUF_INIT;

	*taken = false;
	if (io_read_file(path, MAX_OUTPUT, &b, NULL) == 0) {
		text = xstrdup(buf_str(&b));
		*taken = strstr(text, s->ask->w->server->address_in_use) != NULL;
		for (size_t n = strlen(text); n && text[n - 1] == '\n';)
			text[--n] = '\0';
		line = strrchr(text, '\n');
		if (line)
			memmove(text, line + 1, strlen(line));
	}
	buf_release(&b);
	free(path);
	if (text && text[0])
		return text;
	free(text);
	return NULL;
}

/* The child becomes the server; what hinders it goes where its log does. */
static void become(const struct server *s, pid_t parent)
{
	char *log = file_in(s, s->ask->w->server->log);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644), rc;

	/* The terminal's Ctrl-C is for cpuprof. */
	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	dup2(null, 0);
	dup2(null, 1);
	dup2(fd, 2);
	unprivileged_own(log);
	rc = unprivileged_become();
	if (rc < 0) {
		dprintf(2, "cannot give up root: %s\n", strerror(-rc));
		_exit(127);
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	execv(s->serving.server[0], s->serving.server);
	dprintf(2, "cannot run '%s': %s\n", s->serving.server[0], strerror(errno));
	_exit(127);
}

static void free_words(char **v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(v[i]);
		v[i] = NULL;
	}
}

static void free_commands(struct server *s)
{
	free_words(s->serving.server, ARRAY_SIZE(s->serving.server));
	free_words(s->serving.load, ARRAY_SIZE(s->serving.load));
}

/* Until it answers and all its processes are there. */
static int wait_ready(struct server *s, bool *taken, struct err *err)
{
	uint64_t limit = now_ns() + (uint64_t)(START_S * 1e9);
	const char *name = s->ask->w->server->process;
	int status, n = 0;

	while (now_ns() < limit && !stopped) {
		if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
			char *why = last_words(s, taken);

			kill(-s->pid, SIGKILL);	/* what it had started */
			s->pid = 0;
			err_set(err, -EIO, "%s did not start: %.700s%s", name, why ? why : "it said nothing",
				why && strstr(why, "Permission denied") && unprivileged_due() ?
				" (it runs as nobody, who must be able to enter $TMPDIR)" : "");
			free(why);
			return err->code;
		}
		n = processes_children(s->pid, s->processes, s->ask->n);
		if (n == s->ask->n && answers(s->serving.port))
			return 0;
		rest();
	}
	if (stopped)
		return err_set(err, -EINTR, "stopped");
	return err_set(err, -ETIMEDOUT, "%s did not answer on port %d within %.0f s (%d of %d processes)",
		       name, s->serving.port, START_S, n, s->ask->n);
}

static void stop(struct server *s)
{
	uint64_t limit = now_ns() + (uint64_t)(STOP_S * 1e9);

	if (s->pid <= 0)
		return;
	kill(s->pid, SIGTERM);
	while (waitpid(s->pid, NULL, WNOHANG) == 0 && now_ns() < limit)
		rest();
	/* What is left of its group, were it only a process that lost its master. */
	kill(-s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	s->pid = 0;
}

/* Where the load goes, from what this process may use. */
static void find_elsewhere(struct server *s)
{
	sched_getaffinity(0, sizeof(s->elsewhere), &s->elsewhere);
	for (int i = 0; i < s->ask->n; i++)
		CPU_CLR(s->ask->cpus[i], &s->elsewhere);
	s->n_elsewhere = CPU_COUNT(&s->elsewhere);
	s->shares = s->n_elsewhere == 0;
	if (s->shares) {
		sched_getaffinity(0, sizeof(s->elsewhere), &s->elsewhere);
		s->n_elsewhere = CPU_COUNT(&s->elsewhere);
	}
}

static int start(struct server *s, struct err *err)
{
	const struct workload_server *how = s->ask->w->server;
	bool taken = false;
	int rc = -EAGAIN;

	for (int i = 0; i < PORTS && rc < 0; i++) {
		char *log = file_in(s, how->log);
		pid_t parent = getpid();

		unlink(log);
		free(log);
		free_commands(s);
		s->serving.port = free_port(err);
		if (s->serving.port < 0)
			return s->serving.port;
		rc = how->configure(s->ask->env, s->ask->shared, &s->serving, err);
		if (rc < 0)
			return rc;
		s->pid = fork();
		if (s->pid < 0)
			return err_set(err, -errno, "cannot start %s: %s", how->process, strerror(errno));
		if (s->pid == 0)
			become(s, parent);
		rc = wait_ready(s, &taken, err);
		/* Somebody was quicker: another port. */
		if (rc < 0 && !taken)
			return rc;
	}
	return rc;
}

/* The i-th process is the one that is kept on the i-th CPU. */
static void order_processes(struct server *s)
{
	for (int i = 0; i < s->ask->n; i++)
		for (int k = i; k < s->ask->n; k++) {
			cpu_set_t on;
			pid_t pid = s->processes[k];

			if (sched_getaffinity(pid, sizeof(on), &on) < 0 || CPU_COUNT(&on) != 1 ||
			    !CPU_ISSET(s->ask->cpus[i], &on))
				continue;
			s->processes[k] = s->processes[i];
			s->processes[i] = pid;
			break;
		}
}

/* On each CPU of the server, while it has nothing to do. */
static void read_needles(struct server *s)
{
	cpu_set_t was, one;

	if (!s->ask->probe || sched_getaffinity(0, sizeof(was), &was) < 0)
		return;
	for (int i = 0; i < s->ask->n; i++) {
		CPU_ZERO(&one);
		CPU_SET(s->ask->cpus[i], &one);
		if (sched_setaffinity(0, sizeof(one), &one) < 0)
			continue;
		needle_clock_hz();
		for (int k = 0; k < BURSTS; k++) {
			s->needles[i].clock_hz += needle_clock_hz() / (2 * BURSTS);
			s->needles[i].adds_per_s += needle_adds_per_s() / (2 * BURSTS);
		}
	}
	sched_setaffinity(0, sizeof(was), &was);
}

static int look(struct server *s, struct process_usage *u, struct counters_reading *c, struct err *err)
{
	for (int i = 0; i < s->ask->n; i++) {
		if (processes_usage(s->processes[i], &u[i]) < 0)
			return err_set(err, -ESRCH, "a process of %s ended under load",
				       s->ask->w->server->process);
		/* Lost counters read as never having run. */
		if (counters_read_self(&s->counters[i], &c[i]) < 0)
			c[i] = (struct counters_reading){ .enabled_ns = UINT64_MAX };
	}
	return 0;
}

/* The parent starts the load and says when it has ended. */
static int have_load(struct server *s, struct protocol_load_end *end, struct err *err)
{
	char *out = file_in(s, LOAD_OUTPUT);
	struct buf b = BUF_INIT;
	struct pollfd p = { PROTOCOL_CONTROL_FD, POLLIN, 0 };
	int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), rc = 0;
	const char *comma = "";

	if (fd < 0)
		rc = err_set(err, -errno, "cannot write '%s': %s", out, strerror(errno));
	else
		close(fd);
	buf_printf(&b, "%s\n", out);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &s->elsewhere)) {
			buf_printf(&b, "%s%d", comma, cpu);
			comma = ",";
		}
	for (char **w = s->serving.load; *w; w++)
		buf_printf(&b, "\n%s", *w);
	if (rc == 0 && protocol_say(PROTOCOL_LOAD, b.data, b.len) < 0)
		rc = err_set(err, -EPIPE, "the parent is gone");
	while (rc == 0 && !stopped && poll(&p, 1, 200) <= 0)
		;
	if (rc == 0 && (stopped || io_read(PROTOCOL_CONTROL_FD, end, sizeof(*end)) != sizeof(*end)))
		rc = err_set(err, -EINTR, "stopped");
	buf_release(&b);
	free(out);
	return rc;
}

static int read_load(struct server *s, const struct protocol_load_end *end,
		     struct workload_load *load, struct err *err)
{
	char *path = file_in(s, LOAD_OUTPUT);
	const char *name = strrchr(s->serving.load[0], '/');
	struct buf b = BUF_INIT;
	int rc = io_read_file(path, MAX_OUTPUT, &b, err);

	name = name ? name + 1 : s->serving.load[0];
	/* Of several lines one sentence. */
	for (size_t i = 0; i < b.len; i++)
		if ((unsigned char)b.data[i] < ' ')
			b.data[i] = ' ';
	while (b.len && b.data[b.len - 1] == ' ')
		b.data[--b.len] = '\0';
	if (rc == 0 && end->status)
		rc = err_set(err, -EIO, "%s ended with %s %d: %.300s", name,
			     WIFSIGNALED(end->status) ? "signal" : "status",
			     WIFSIGNALED(end->status) ? WTERMSIG(end->status) : WEXITSTATUS(end->status),
			     b.len ? buf_str(&b) : "it printed nothing");
	if (rc == 0)
		rc = s->ask->w->server->read_load(buf_str(&b), load, err);
	buf_release(&b);
	free(path);
	return rc;
}

static int measure(struct server *s, struct workload_load *load, struct protocol_load_end *end,
		   struct err *err)
{
	int rc;

	s->began_ns = now_ns();
	rc = look(s, s->before, s->counted_before, err);
	if (rc == 0)
		rc = have_load(s, end, err);
	if (rc == 0)
		rc = look(s, s->after, s->counted_after, err);
	protocol_say(PROTOCOL_MEASURED, NULL, 0);
	return rc < 0 ? rc : read_load(s, end, load, err);
}

/* What one process used; requests are not counted by process and are divided by CPU
 * time, of which the last gets what is left. */
static void fill_batch(const struct server *s, int i, const struct workload_load *load,
		       uint64_t all_ns, uint64_t *left, struct protocol_batch *b)
{
	struct process_usage u;
	const struct counters_reading *c = &s->counted_before[i], *d = &s->counted_after[i];
	bool lost = c->enabled_ns == UINT64_MAX || d->enabled_ns == UINT64_MAX;

	processes_between(&s->before[i], &s->after[i], &u);
	*b = (struct protocol_batch){
		.thread = (uint32_t)i, .cpu = (uint32_t)s->ask->cpus[i], .share = 1,
		.start_ns = s->began_ns, .end_ns = s->began_ns + (uint64_t)(load->seconds * 1e9),
		.cpu_ns = u.cpu_ns, .user_ns = u.user_ns, .sys_ns = u.sys_ns,
		.run_delay_ns = u.run_delay_ns, .faults = u.faults, .major_faults = u.major_faults,
		.voluntary = u.voluntary, .involuntary = u.involuntary,
		.clock_hz = s->needles[i].clock_hz, .adds_per_s = s->needles[i].adds_per_s,
		.enabled_ns = lost ? 1 : d->enabled_ns - c->enabled_ns,
		.running_ns = lost ? 0 : d->running_ns - c->running_ns,
	};
	for (int k = 0; k < s->ask->n_events && !lost; k++)
		b->counts[k] = d->value[k] - c->value[k];
	b->ops = i + 1 < s->ask->n && all_ns ? (uint64_t)((double)load->requests * (double)b->cpu_ns /
							 (double)all_ns) : *left;
	if (b->ops > *left)
		b->ops = *left;
	*left -= b->ops;
}

static int tell(const struct server *s, const struct workload_load *load,
		const struct protocol_load_end *end)
{
	struct protocol_batch *v = xcalloc((size_t)s->ask->n, sizeof(*v));
	struct protocol_served served = {
		.requests = load->requests, .bytes = load->bytes, .errors = load->errors,
		.seconds = load->seconds, .latency_max_s = load->latency_max_s,
		.connections = (uint32_t)load->connections,
		.load_threads = (uint32_t)s->serving.load_threads, .load_shares = s->shares,
	};
	uint64_t all = 0, left = load->requests;
	int rc;

	memcpy(served.latency_s, load->latency_s, sizeof(served.latency_s));
	if (load->seconds > 0)
		served.load_busy = end->cpu_s / load->seconds / s->serving.load_threads;
	for (int i = 0; i < s->ask->n; i++)
		all += s->after[i].cpu_ns - s->before[i].cpu_ns;
	for (int i = 0; i < s->ask->n; i++)
		fill_batch(s, i, load, all, &left, &v[i]);
	rc = protocol_say(PROTOCOL_SERVED, &served, sizeof(served));
	if (rc == 0)
		rc = protocol_say(PROTOCOL_BATCHES, v, (size_t)s->ask->n * sizeof(*v));
	free(v);
	return rc;
}

static int wait_for_go(struct server *s, struct err *err)
{
	struct protocol_ready r = { .setup_s = (double)(now_ns() - s->ask->born_ns) * 1e-9 };
	struct pollfd p = { PROTOCOL_CONTROL_FD, POLLIN, 0 };
	int32_t state[COUNTERS_MAX];
	char go;

	for (int i = 0; i < COUNTERS_MAX; i++)
		state[i] = s->counters[0].state[i];
	if (protocol_say(PROTOCOL_COUNTERS, state, sizeof(state)) < 0 ||
	    protocol_say(PROTOCOL_READY, &r, sizeof(r)) < 0)
		return err_set(err, -EPIPE, "the parent is gone");
	while (!stopped && poll(&p, 1, 200) <= 0)
		;
	if (stopped || io_read(PROTOCOL_CONTROL_FD, &go, 1) != 1)
		return err_set(err, -EINTR, "stopped");
	return 0;
}

static void allocate(struct server *s)
{
	size_t n = (size_t)s->ask->n;

	s->processes = xcalloc(n, sizeof(*s->processes));
	s->before = xcalloc(n, sizeof(*s->before));
	s->after = xcalloc(n, sizeof(*s->after));
	s->counters = xcalloc(n, sizeof(*s->counters));
	s->counted_before = xcalloc(n, sizeof(*s->counted_before));
	s->counted_after = xcalloc(n, sizeof(*s->counted_after));
	s->needles = xcalloc(n, sizeof(*s->needles));
}

static void release(struct server *s)
{
	free_commands(s);
	for (int i = 0; i < s->ask->n; i++)
		counters_close(&s->counters[i], NULL);
	free(s->processes);
	free(s->before);
	free(s->after);
	free(s->counters);
	free(s->counted_before);
	free(s->counted_after);
	free(s->needles);
}

/* Is what it serves right? Then it can be said what is served, and how. */
static int check(struct server *s, struct err *err)
{
	struct workload_info *info = s->ask->info;
	char tls[64] = "";
	size_t n = strlen(info->input);

	if (s->ask->w->server->verify(s->ask->shared, &s->serving, tls, sizeof(tls), err) < 0)
		return err->code;
	snprintf(info->input + n, sizeof(info->input) - n, ", %s", tls);
	return worker_hello(info) < 0 ? err_set(err, -EPIPE, "the parent is gone") : 0;
}

int server_run(const struct server_ask *a, struct err *err)
{
	struct server s = { .ask = a };
	struct workload_load load = { 0 };
	struct protocol_load_end end = { 0 };
	int rc;

	if (!a->env->dir)
		return err_set(err, -EINVAL, "%s wants a folder", a->w->name);
	allocate(&s);
	find_elsewhere(&s);
	s.serving = (struct workload_serving){
		.cpus = a->cpus, .n = a->n, .seconds = a->seconds,
		.load_threads = s.n_elsewhere < a->n || s.shares ? s.n_elsewhere : a->n,
	};
	rc = start(&s, err);
	if (rc == 0) {
		order_processes(&s);
		/* The server's CPUs are left to it. */
		sched_setaffinity(0, sizeof(s.elsewhere), &s.elsewhere);
		rc = check(&s, err);
	}
	for (int i = 0; i < a->n && rc == 0; i++)
		counters_open_thread(&s.counters[i], s.processes[i], a->events, a->n_events);
	if (rc == 0) {
		read_needles(&s);
		rc = wait_for_go(&s, err);
	}
	if (rc == 0)
		rc = measure(&s, &load, &end, err);
	if (rc == 0)
		read_needles(&s);
	stop(&s);
	if (rc == 0 && tell(&s, &load, &end) < 0)
		rc = err_set(err, -EPIPE, "the parent is gone");
	release(&s);
	return rc;
}
