/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/perf/event.h"
#include "src/base/buf.h"
#include "src/base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int read_int(struct flight *f, const char *path, int missing)
{
	struct buf b = BUF_INIT;
	int v = missing;

	if (flight_read_text(f, path, &b) == 0 && b.len)
		v = atoi(b.data);
	buf_release(&b);
	return v;
}

/* A hexadecimal or decimal field of /proc/self/status, 0 when missing. */
static unsigned long long status_field(const char *text, const char *key, int base)
{
	const char *p = strstr(text, key);

	return p ? strtoull(p + strlen(key), NULL, base) : 0;
}

static void read_confinement(struct flight *f, struct event_limits *limits)
{
	enum { SYS_ADMIN = 21, SYSLOG = 34, PERFMON = 38 };	/* linux/capability.h */
	unsigned long long caps;
	struct buf b = BUF_INIT;

	flight_read_text(f, "/proc/self/status", &b);
	caps = status_field(buf_str(&b), "CapEff:", 16);
	limits->capable = caps >> SYS_ADMIN & 1 || caps >> PERFMON & 1;
	limits->syslog = caps >> SYSLOG & 1;
	limits->seccomp = status_field(buf_str(&b), "Seccomp:", 10) == 2;
	buf_clear(&b);
	flight_read_text(f, "/sys/kernel/security/lockdown", &b);
	limits->lockdown = strstr(buf_str(&b), "[confidentiality]") != NULL;
	buf_release(&b);
}

void event_limits_read(struct flight *f, struct event_limits *limits)
{
	limits->paranoid = read_int(f, "/proc/sys/kernel/perf_event_paranoid", -2);
	limits->max_rate = read_int(f, "/proc/sys/kernel/perf_event_max_sample_rate", 0);
	limits->mlock_kb = read_int(f, "/proc/sys/kernel/perf_event_mlock_kb", 0);
	limits->kptr_restrict = read_int(f, "/proc/sys/kernel/kptr_restrict", -1);
	read_confinement(f, limits);
}

int event_open(struct flight *f, struct perf_event_attr *attr, pid_t pid, int cpu,
	       int group_fd, unsigned long flags)
{
	long fd;

	if (flight_replaying(f))
		return (int)flight_get_i64(f, "event open");
	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags | PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	flight_put_i64(f, "event open", fd);
	return (int)fd;
}

void event_close(struct flight *f, int fd)
{
	if (fd >= 0 && !flight_replaying(f))
		close(fd);
}

uint64_t event_id(struct flight *f, int fd)
{
	uint64_t id = 0;

	if (flight_replaying(f))
		return (uint64_t)flight_get_i64(f, "event id");
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		id = 0;
	flight_put_i64(f, "event id", (int64_t)id);
	return id;
}

int event_ioctl(struct flight *f, int fd, unsigned long request, unsigned long arg)
{
	if (flight_replaying(f))
		return 0;
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

/* Several things can close perf; what this process is tells which it was. The
 * kernel's own check answers EACCES, Docker's seccomp profile EPERM. */
static const char *denied_text(int code, const struct event_limits *limits)
{
	if (limits->seccomp && (limits->capable || code == EPERM || limits->paranoid < 3))
		return "a seccomp filter (as containers have) denies perf_event_open; start the "
		       "container with a profile that allows it";
	if (limits->capable && limits->lockdown)
		return "kernel lockdown (confidentiality) closes perf; boot without it";
	if (limits->capable)
		return "a security module denies perf to this privileged process";
	if (limits->paranoid >= 3)
		return "kernel.perf_event_paranoid is 3 or more, which closes perf to users on "
		       "this kernel; sysctl kernel.perf_event_paranoid=2, CAP_PERFMON or root "
		       "opens it";
	if (limits->paranoid == 2)
		return "kernel.perf_event_paranoid is 2: user code of own processes only; "
		       "CAP_PERFMON or root opens kernel code too";
	return "CAP_PERFMON is missing for this";
}

const char *event_errno_text(int code, const struct event_limits *limits)
{
	switch (code < 0 ? -code : code) {
	case EACCES:
	case EPERM:
		return denied_text(code < 0 ? -code : code, limits);
	case ENOENT:
		return "no hardware counter behind this event here (no PMU, as in most VMs)";
	case ENOSYS:
		return limits->seccomp ?
			"perf_event_open does not exist for this process: a seccomp filter hides it, "
			"or the kernel has no perf" :
			"this kernel has no perf_event_open, or emulation hides it";
	case ENODEV:
	case EOPNOTSUPP:
		return "this CPU or hypervisor does not offer the event in this form";
	case EMFILE:
		return "too many open files: raise ulimit -n";
	case EBUSY:
		return "another user holds the counter exclusively";
	case ESRCH:
		return "the process has ended";
	case EINVAL:
		return "the kernel does not know this event or one of its options";
	case ENOMEM:
		return "not enough kernel memory for the event";
	case ENODATA:
		return "the flight holds no answer to this";
	default:
		return strerror(code < 0 ? -code : code);
	}
}

unsigned long event_raise_fd_limit(void)
{
	struct rlimit r;
	rlim_t was;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return 0;
	was = r.rlim_cur;
	r.rlim_cur = r.rlim_max;
	if (was < r.rlim_max)
		setrlimit(RLIMIT_NOFILE, &r);
	return was;
}

const char *event_generic_name(uint32_t type, uint64_t config)
{
	static const char *const hw[] = {
		"cycles", "instructions", "cache-references", "cache-misses", "branches",
		"branch-misses", "bus-cycles", "stalled-cycles-frontend",
		"stalled-cycles-backend", "ref-cycles",
	};
	static const char *const sw[] = {
		"cpu-clock", "task-clock", "page-faults", "context-switches",
		"cpu-migrations", "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy", "bpf-output", "cgroup-switches",
	};

	if (type == PERF_TYPE_HARDWARE && config < ARRAY_SIZE(hw))
		return hw[config];
	if (type == PERF_TYPE_SOFTWARE && config < ARRAY_SIZE(sw))
		return sw[config];
	return NULL;
}
