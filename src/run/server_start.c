/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/server_start.h"
#include "src/base/buf.h"
#include "src/base/flight.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/unprivileged.h"
#include "src/run/processes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
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
#define MAX_LOG ((size_t)1 << 20)

volatile sig_atomic_t server_stopped;

char *server_file(const struct server_process *s, const char *name)
{
	return xasprintf("%s/%s", s->ask->env->dir, name);
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

/* The server's last words, and whether its address was taken; caller frees, NULL: none. */
static char *last_words(const struct server_process *s, bool *taken)
{
	char *path = server_file(s, s->ask->w->server->log), *text = NULL, *line;
	struct buf b = BUF_INIT;

	*taken = false;
	if (io_read_file(path, MAX_LOG, &b, NULL) == 0) {
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
static void become(const struct server_process *s, pid_t parent)
{
	char *log = server_file(s, s->ask->w->server->log);
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

void server_forget_commands(struct server_process *s)
{
	free_words(s->serving.server, ARRAY_SIZE(s->serving.server));
	free_words(s->serving.load, ARRAY_SIZE(s->serving.load));
}

/* Until it answers and all its processes are there. */
static int wait_ready(struct server_process *s, bool *taken, struct err *err)
{
	uint64_t limit = flight_now_ns(NULL) + (uint64_t)(START_S * 1e9);
	const char *name = s->ask->w->server->process;
	int status, n = 0;

	while (flight_now_ns(NULL) < limit && !server_stopped) {
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
	if (server_stopped)
		return err_set(err, -EINTR, "stopped");
	return err_set(err, -ETIMEDOUT, "%s did not answer on port %d within %.0f s (%d of %d processes)",
		       name, s->serving.port, START_S, n, s->ask->n);
}

/* The i-th process is the one that is kept on the i-th CPU. */
static void order_processes(struct server_process *s)
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

int server_start(struct server_process *s, struct err *err)
{
	const struct workload_server *how = s->ask->w->server;
	int rc = -EAGAIN;

	for (int i = 0; i < PORTS && rc < 0; i++) {
		char *log = server_file(s, how->log);
		pid_t parent = getpid();
		bool taken = false;

		unlink(log);
		free(log);
		server_forget_commands(s);
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
	if (rc == 0)
		order_processes(s);
	return rc;
}

void server_stop(struct server_process *s)
{
	uint64_t limit = flight_now_ns(NULL) + (uint64_t)(STOP_S * 1e9);

	if (s->pid <= 0)
		return;
	kill(s->pid, SIGTERM);
	while (waitpid(s->pid, NULL, WNOHANG) == 0 && flight_now_ns(NULL) < limit)
		rest();
	/* What is left of its group, were it only a process that lost its master. */
	kill(-s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	s->pid = 0;
}
