/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/child.h"
#include "src/base/io.h"
#include "src/base/unprivileged.h"
#include "src/machine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GENTLE_RESTS 500		/* of 10 ms: more than a server's worker takes to end */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void keep_on(const char *cpus)
{
	int list[CPU_SETSIZE], n = cgroup_cpu_list(cpus, list, CPU_SETSIZE);
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < n; i++)
		if (list[i] < CPU_SETSIZE)
			CPU_SET(list[i], &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* What cpuprof changed for itself is not the command's. */
static void give_back(const struct child_how *how)
{
	struct rlimit r;

	signal(SIGPIPE, SIG_DFL);
	if (how->fd_limit && getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = how->fd_limit;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static void become(const struct child *c, char *const *argv, const struct child_how *how,
		   int control, int messages)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), code;
	char go;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (io_read(control, &go, 1) != 1)
		_exit(127);
	for (size_t i = 0; how->envs && how->envs[i]; i++)
		putenv(how->envs[i]);
	if (how->env)
		putenv((char *)how->env);
	if (how->env2)
		putenv((char *)how->env2);
	if (how->worker) {
		/* 3 may be one of these descriptors: move them out of the way. */
		int keep = fcntl(c->failure, F_DUPFD_CLOEXEC, PROTOCOL_MESSAGE_FD + 1);
		int from = fcntl(control, F_DUPFD_CLOEXEC, PROTOCOL_MESSAGE_FD + 1);

		messages = fcntl(messages, F_DUPFD_CLOEXEC, PROTOCOL_MESSAGE_FD + 1);
		if (keep < 0 || from < 0 || messages < 0 || null < 0) {
			code = EMFILE;
			io_write(c->failure, &code, sizeof(code));
			_exit(127);
		}
		dup2(messages, PROTOCOL_MESSAGE_FD);
		dup2(from, PROTOCOL_CONTROL_FD);
		dup2(null, 1);
		execv(how->program ? how->program : "/proc/self/exe", argv);
		code = errno;
		io_write(keep, &code, sizeof(code));
		_exit(127);
	}
	dup2(how->in ? how->in : null, 0);
	if (how->out || !how->show_output)
		dup2(how->out ? how->out : null, 1);
	give_back(how);
	if (how->cpus)
		keep_on(how->cpus);
	code = how->unprivileged ? -unprivileged_become() : 0;
	if (how->unprivileged)	/* forgotten with root */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!code) {
		if (!how->folder || chdir(how->folder) == 0)
			execvp(argv[0], argv);
		code = errno;
	}
	io_write(c->failure, &code, sizeof(code));
	_exit(127);
}

static int real_start(struct child *c, char *const *argv, const struct child_how *how)
{
	int control[2], messages[2], failure[2];
	struct child in_child = *c;

	if (pipe2(control, O_CLOEXEC) < 0)
		return -errno;
	c->control = control[1];
	if (pipe2(messages, O_CLOEXEC) < 0) {
		close(control[0]);
		return -errno;
	}
	c->messages = messages[0];
	if (pipe2(failure, O_CLOEXEC) < 0) {
		close(control[0]);
		close(messages[1]);
		return -errno;
	}
	c->failure = failure[0];
	c->pid = fork();
	if (c->pid == 0) {
		in_child.failure = failure[1];
		close(control[1]);
		become(&in_child, argv, how, control[0], messages[1]);
	}
	close(control[0]);
	close(failure[1]);
	close(messages[1]);
	if (c->pid < 0)
		return -errno;
	if (!how->worker)
		c->ended = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return 0;
}

int child_start(struct child *c, struct flight *f, const volatile sig_atomic_t *stop,
		char *const *argv, const struct child_how *how, struct err *err)
{
	int rc;

	memset(c, 0, sizeof(*c));
	c->flight = f;
	c->stop = stop;
	c->control = c->messages = c->ended = c->failure = -1;
	c->gentle = how->gentle;
	if (flight_replaying(f)) {
		c->pid = (pid_t)flight_get_i64(f, "child pid");
		if (c->pid < 0)
			return err_set(err, -ENODATA, "the flight holds no further run of '%s'",
				       argv[0]);
		return 0;
	}
	rc = real_start(c, argv, how);
	if (rc < 0) {
		child_wait(c, false, NULL);
		return err_set(err, rc, "cannot start '%s': %s%s", argv[0], strerror(-rc),
			       rc == -EMFILE ? " (raise ulimit -n)" : "");
	}
	flight_put_i64(f, "child pid", c->pid);
	return 0;
}

int child_release(struct child *c, struct err *err)
{
	int64_t code = 0;

	if (flight_replaying(c->flight)) {
		code = flight_get_i64(c->flight, "child exec");
		if (code < -4095)	/* no errno */
			code = -EINVAL;
	} else {
		int failed = 0;

		io_write(c->control, "x", 1);
		if (io_read(c->failure, &failed, sizeof(failed)) == sizeof(failed))
			code = -failed;
		close_fd(&c->failure);
		flight_put_i64(c->flight, "child exec", code);
	}
	if (code < 0)
		return err_set(err, (int)code, "cannot run it: %s%s", strerror((int)-code),
			       code == -EMFILE ? " (raise ulimit -n)" : "");
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Somebody's SIGSTOP shows here and nowhere else. */
static void watch_stops(struct child *c)
{
	siginfo_t si = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)c->pid, &si, WSTOPPED | WCONTINUED | WNOHANG) < 0 || !si.si_pid)
		return;
	if (si.si_code == CLD_CONTINUED && c->stopped_since_ns) {
		c->stopped_s += (double)(now_ns() - c->stopped_since_ns) * 1e-9;
		c->stopped_since_ns = 0;
	} else if (si.si_code == CLD_STOPPED) {
		c->stopped_since_ns = now_ns();
	}
}

/* Whole bytes, watching for Ctrl-C. 0 at the end, -EINTR when stopped. */
static ssize_t read_watching(struct child *c, void *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		struct pollfd p = { c->messages, POLLIN, 0 };
		ssize_t n;

		if (*c->stop)
			return -EINTR;
		watch_stops(c);
		if (poll(&p, 1, 200) <= 0)
			continue;
		watch_stops(c);
		n = read(c->messages, (char *)data + done, len - done);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return 0;
		if (n > 0)
			done += (size_t)n;
	}
	return (ssize_t)done;
}

int child_message(struct child *c, struct buf *payload, struct err *err)
{
	struct protocol_frame f;
	const void *data;
	size_t len;
	ssize_t n;

	buf_clear(payload);
	if (flight_replaying(c->flight)) {
		if (!flight_get(c->flight, "worker message", &data, &len))
			return 0;
		if (len == sizeof(int32_t)) {
			int32_t code;

			memcpy(&code, data, sizeof(code));
			return code == -EINTR ? code :
				err_set(err, -EIO, "the worker could not be heard");
		}
		if (len < sizeof(f))
			return 0;
		memcpy(&f, data, sizeof(f));
		buf_add(payload, (const char *)data + sizeof(f), len - sizeof(f));
		return f.len == len - sizeof(f) && f.type <= PROTOCOL_LAST ? (int)f.type : 0;
	}
	n = read_watching(c, &f, sizeof(f));
	if (n > 0 && f.len > PROTOCOL_MAX_PAYLOAD)
		return err_set(err, -EPROTO, "the worker sent a message of %u bytes", f.len);
	if (n > 0 && f.len) {
		char *room = malloc(f.len);

		n = room ? read_watching(c, room, f.len) : -ENOMEM;
		if (n > 0)
			buf_add(payload, room, f.len);
		free(room);
	}
	if (n < 0) {		/* Ctrl-C: a replay is interrupted here as well */
		int32_t code = (int32_t)n;

		flight_put(c->flight, "worker message", &code, sizeof(code));
		return code;
	}
	if (n == 0) {		/* an empty entry: the stream ends here in a replay too */
		flight_put(c->flight, "worker message", "", 0);
		return 0;
	}
	if (flight_recording(c->flight)) {
		struct buf whole = BUF_INIT;

		buf_add(&whole, &f, sizeof(f));
		buf_add(&whole, payload->data, payload->len);
		flight_put(c->flight, "worker message", whole.data, whole.len);
		buf_release(&whole);
	}
	return (int)f.type;
}

int child_go(struct child *c)
{
	return flight_replaying(c->flight) ? 0 : io_write(c->control, "g", 1);
}

int child_fd(const struct child *c)
{
	return c->ended >= 0 ? c->ended : c->messages;
}

bool child_ended(const struct child *c)
{
	siginfo_t si = { .si_pid = 0 };

	if (child_fd(c) >= 0 || flight_replaying(c->flight))
		return false;
	return waitid(P_PID, (id_t)c->pid, &si, WEXITED | WNOWAIT | WNOHANG) < 0 || si.si_pid != 0;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

void child_pass_signals(struct child *c)
{
	int sig = *c->stop;

	if (flight_replaying(c->flight) || c->pid <= 0 || sig == c->passed_on)
		return;
	c->passed_on = sig;
	if (sig > 0)
		kill(c->pid, sig);
}

/* Until it is a zombie, with an eye on signals and stops. */
static void wait_for_zombie(struct child *c)
{
	for (;;) {
		struct pollfd p = { c->ended, POLLIN, 0 };
		siginfo_t si = { .si_pid = 0 };

		child_pass_signals(c);
		watch_stops(c);
		if (c->ended >= 0)
			poll(&p, 1, 200);
		if (waitid(P_PID, (id_t)c->pid, &si,
			   WEXITED | WNOWAIT | (c->ended >= 0 ? WNOHANG : 0)) < 0 ?
		    errno != EINTR : si.si_pid != 0)
			return;
	}
}

/* A zombie still shows what its first thread ran and waited for; -1: not. */
static double zombie_run_delay(pid_t pid, double *ran_s)
{
	char path[64], *end;
	struct buf b = BUF_INIT;
	double v = -1;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	if (io_read_file(path, 4096, &b, NULL) == 0) {
		*ran_s = (double)strtoull(buf_str(&b), &end, 10) * 1e-9;
		v = (double)strtoull(end, NULL, 10) * 1e-9;
	}
	buf_release(&b);
	return v;
}

static void end_it(const struct child *c)
{
	const struct timespec rest = { 0, 10000000 };
	siginfo_t si = { .si_pid = 0 };

	if (c->gentle)
		kill(c->pid, SIGTERM);
	for (int i = 0; i < GENTLE_RESTS && c->gentle && !si.si_pid; i++) {
		nanosleep(&rest, NULL);
		waitid(P_PID, (id_t)c->pid, &si, WEXITED | WNOWAIT | WNOHANG);
	}
	kill(c->pid, SIGKILL);
}

int child_wait(struct child *c, bool kill_it, struct child_usage *u)
{
	struct child_usage local;
	struct rusage r;
	double ran_s = 0;
	const void *data;
	size_t len;

	if (!u)
		u = &local;
	memset(u, 0, sizeof(*u));
	if (flight_replaying(c->flight)) {
		if (flight_get(c->flight, "child usage", &data, &len) && len == sizeof(*u))
			memcpy(u, data, sizeof(*u));
		return 0;
	}
	close_fd(&c->control);
	close_fd(&c->messages);
	close_fd(&c->failure);
	if (c->pid <= 0)
		return 0;
	if (kill_it)
		end_it(c);
	wait_for_zombie(c);
	close_fd(&c->ended);
	u->stopped_s = c->stopped_s;
	u->run_delay_s = zombie_run_delay(c->pid, &ran_s);
	while (wait4(c->pid, &u->status, 0, &r) < 0)
		if (errno != EINTR)
			return -errno;
	c->pid = 0;
	u->user_s = seconds(r.ru_utime);
	u->sys_s = seconds(r.ru_stime);
	/* Others did most of the work: what they waited for is not known. */
	if (ran_s < 0.9 * (u->user_s + u->sys_s))
		u->run_delay_s = -1;
	u->faults = (uint64_t)r.ru_minflt;
	u->major_faults = (uint64_t)r.ru_majflt;
	u->voluntary = (uint64_t)r.ru_nvcsw;
	u->involuntary = (uint64_t)r.ru_nivcsw;
	flight_put(c->flight, "child usage", u, sizeof(*u));
	return 0;
}
