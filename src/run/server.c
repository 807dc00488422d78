/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/server.h"
#include "src/run/server_start.h"
#include "src/base/buf.h"
#include "src/base/flight.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/machine/needles.h"
#include "src/run/counters.h"
#include "src/run/processes.h"
#include "src/run/protocol.h"
#include "src/run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BURSTS 5		/* of needles, before and after */
#define MAX_OUTPUT ((size_t)1 << 20)
#define LOAD_OUTPUT "load.out"

struct needles { double clock_hz, adds_per_s; };

struct server {
	struct server_process run;
	struct process_usage *before, *after;
	struct counters *counters;
	struct counters_reading *counted_before, *counted_after;
	struct needles *needles;	/* means of before and after */
	cpu_set_t elsewhere;		/* CPUs that are not the server's */
	int n_elsewhere;
	bool shares;			/* there are none: the load runs on the server's */
	uint64_t began_ns;
};

static void on_stop(int sig)
{
	server_stopped = sig;
}

void server_prepare(void)
{
	struct sigaction a = { .sa_handler = on_stop };

	sigaction(SIGTERM, &a, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	fcntl(PROTOCOL_MESSAGE_FD, F_SETFD, FD_CLOEXEC);
}

/* Where the load goes, from what this process may use. */
static void find_elsewhere(struct server *s)
{
	sched_getaffinity(0, sizeof(s->elsewhere), &s->elsewhere);
	for (int i = 0; i < s->run.ask->n; i++)
		CPU_CLR(s->run.ask->cpus[i], &s->elsewhere);
	s->n_elsewhere = CPU_COUNT(&s->elsewhere);
	s->shares = s->n_elsewhere == 0;
	if (s->shares) {
		sched_getaffinity(0, sizeof(s->elsewhere), &s->elsewhere);
		s->n_elsewhere = CPU_COUNT(&s->elsewhere);
	}
}

/* On each CPU of the server, while it has nothing to do. */
static void read_needles(struct server *s)
{
	cpu_set_t was, one;

	if (!s->run.ask->probe || sched_getaffinity(0, sizeof(was), &was) < 0)
		return;
	for (int i = 0; i < s->run.ask->n; i++) {
		CPU_ZERO(&one);
		CPU_SET(s->run.ask->cpus[i], &one);
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
	for (int i = 0; i < s->run.ask->n; i++) {
		if (processes_usage(s->run.processes[i], &u[i]) < 0)
			return err_set(err, -ESRCH, "a process of %s ended under load",
				       s->run.ask->w->server->process);
		/* Lost counters read as never having run. */
		if (counters_read_self(&s->counters[i], &c[i]) < 0)
			c[i] = (struct counters_reading){ .enabled_ns = UINT64_MAX };
	}
	return 0;
}

/* The parent starts the load and says when it has ended. */
static int have_load(struct server *s, struct protocol_load_end *end, struct err *err)
{
	char *out = server_file(&s->run, LOAD_OUTPUT);
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
	for (char **w = s->run.serving.load; *w; w++)
		buf_printf(&b, "\n%s", *w);
	if (rc == 0 && protocol_say(PROTOCOL_LOAD, b.data, b.len) < 0)
		rc = err_set(err, -EPIPE, "the parent is gone");
	while (rc == 0 && !server_stopped && poll(&p, 1, 200) <= 0)
		;
	if (rc == 0 && (server_stopped || io_read(PROTOCOL_CONTROL_FD, end, sizeof(*end)) != sizeof(*end)))
		rc = err_set(err, -EINTR, "stopped");
	buf_release(&b);
	free(out);
	return rc;
}

static int read_load(struct server *s, const struct protocol_load_end *end,
		     struct workload_load *load, struct err *err)
{
	char *path = server_file(&s->run, LOAD_OUTPUT);
	const char *name = strrchr(s->run.serving.load[0], '/');
	struct buf b = BUF_INIT;
	int rc = io_read_file(path, MAX_OUTPUT, &b, err);

	name = name ? name + 1 : s->run.serving.load[0];
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
		rc = s->run.ask->w->server->read_load(buf_str(&b), load, err);
	buf_release(&b);
	free(path);
	return rc;
}

static int measure(struct server *s, struct workload_load *load, struct protocol_load_end *end,
		   struct err *err)
{
	int rc;

	s->began_ns = flight_now_ns(NULL);
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
		.thread = (uint32_t)i, .cpu = (uint32_t)s->run.ask->cpus[i], .share = 1,
		.start_ns = s->began_ns, .end_ns = s->began_ns + (uint64_t)(load->seconds * 1e9),
		.cpu_ns = u.cpu_ns, .user_ns = u.user_ns, .sys_ns = u.sys_ns,
		.run_delay_ns = u.run_delay_ns, .faults = u.faults, .major_faults = u.major_faults,
		.voluntary = u.voluntary, .involuntary = u.involuntary,
		.clock_hz = s->needles[i].clock_hz, .adds_per_s = s->needles[i].adds_per_s,
		.enabled_ns = lost ? 1 : d->enabled_ns - c->enabled_ns,
		.running_ns = lost ? 0 : d->running_ns - c->running_ns,
	};
	for (int k = 0; k < s->run.ask->n_events && !lost; k++)
		b->counts[k] = d->value[k] - c->value[k];
	b->ops = i + 1 < s->run.ask->n && all_ns ? (uint64_t)((double)load->requests * (double)b->cpu_ns /
							 (double)all_ns) : *left;
	if (b->ops > *left)
		b->ops = *left;
	*left -= b->ops;
}

static int tell(const struct server *s, const struct workload_load *load,
		const struct protocol_load_end *end)
{
	struct protocol_batch *v = xcalloc((size_t)s->run.ask->n, sizeof(*v));
	struct protocol_served served = {
		.requests = load->requests, .bytes = load->bytes, .errors = load->errors,
		.seconds = load->seconds, .latency_max_s = load->latency_max_s,
		.connections = (uint32_t)load->connections,
		.load_threads = (uint32_t)s->run.serving.load_threads, .load_shares = s->shares,
	};
	uint64_t all = 0, left = load->requests;
	int rc;

	memcpy(served.latency_s, load->latency_s, sizeof(served.latency_s));
	if (load->seconds > 0)
		served.load_busy = end->cpu_s / load->seconds / s->run.serving.load_threads;
	for (int i = 0; i < s->run.ask->n; i++)
		all += s->after[i].cpu_ns - s->before[i].cpu_ns;
	for (int i = 0; i < s->run.ask->n; i++)
		fill_batch(s, i, load, all, &left, &v[i]);
	rc = protocol_say(PROTOCOL_SERVED, &served, sizeof(served));
	if (rc == 0)
		rc = protocol_say(PROTOCOL_BATCHES, v, (size_t)s->run.ask->n * sizeof(*v));
	free(v);
	return rc;
}

static int wait_for_go(struct server *s, struct err *err)
{
	struct protocol_ready r = { .setup_s = (double)(flight_now_ns(NULL) - s->run.ask->born_ns) * 1e-9 };
	struct pollfd p = { PROTOCOL_CONTROL_FD, POLLIN, 0 };
	int32_t state[COUNTERS_MAX];
	char go;

	for (int i = 0; i < COUNTERS_MAX; i++)
		state[i] = s->counters[0].state[i];
	if (protocol_say(PROTOCOL_COUNTERS, state, sizeof(state)) < 0 ||
	    protocol_say(PROTOCOL_READY, &r, sizeof(r)) < 0)
		return err_set(err, -EPIPE, "the parent is gone");
	while (!server_stopped && poll(&p, 1, 200) <= 0)
		;
	if (server_stopped || io_read(PROTOCOL_CONTROL_FD, &go, 1) != 1)
		return err_set(err, -EINTR, "stopped");
	return 0;
}

static void allocate(struct server *s)
{
	size_t n = (size_t)s->run.ask->n;

	s->run.processes = xcalloc(n, sizeof(*s->run.processes));
	s->before = xcalloc(n, sizeof(*s->before));
	s->after = xcalloc(n, sizeof(*s->after));
	s->counters = xcalloc(n, sizeof(*s->counters));
	s->counted_before = xcalloc(n, sizeof(*s->counted_before));
	s->counted_after = xcalloc(n, sizeof(*s->counted_after));
	s->needles = xcalloc(n, sizeof(*s->needles));
}

static void release(struct server *s)
{
	server_forget_commands(&s->run);
	for (int i = 0; i < s->run.ask->n; i++)
		counters_close(&s->counters[i], NULL);
	free(s->run.processes);
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
	struct workload_info *info = s->run.ask->info;
	char tls[64] = "";
	size_t n = strlen(info->input);

	if (s->run.ask->w->server->verify(s->run.ask->shared, &s->run.serving, tls, sizeof(tls), err) < 0)
		return err->code;
	snprintf(info->input + n, sizeof(info->input) - n, ", %s", tls);
	return worker_hello(info) < 0 ? err_set(err, -EPIPE, "the parent is gone") : 0;
}

int server_run(const struct server_ask *a, struct err *err)
{
	struct server s = { .run = { .ask = a } };
	struct workload_load load = { 0 };
	struct protocol_load_end end = { 0 };
	int rc;

	if (!a->env->dir)
		return err_set(err, -EINVAL, "%s wants a folder", a->w->name);
	allocate(&s);
	find_elsewhere(&s);
	s.run.serving = (struct workload_serving){
		.cpus = a->cpus, .n = a->n, .seconds = a->seconds,
		.load_threads = s.n_elsewhere < a->n || s.shares ? s.n_elsewhere : a->n,
	};
	rc = server_start(&s.run, err);
	if (rc == 0) {
		/* The server's CPUs are left to it. */
		sched_setaffinity(0, sizeof(s.elsewhere), &s.elsewhere);
		rc = check(&s, err);
	}
	for (int i = 0; i < a->n && rc == 0; i++)
		counters_open_thread(&s.counters[i], s.run.processes[i], a->events, a->n_events);
	if (rc == 0) {
		read_needles(&s);
		rc = wait_for_go(&s, err);
	}
	if (rc == 0)
		rc = measure(&s, &load, &end, err);
	if (rc == 0)
		read_needles(&s);
	server_stop(&s.run);
	if (rc == 0 && tell(&s, &load, &end) < 0)
		rc = err_set(err, -EPIPE, "the parent is gone");
	release(&s);
	return rc;
}
