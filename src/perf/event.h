/*
 * event.h - opening kernel events, through the flight seam.
 *
 * Follows perf_event_open(2) and include/uapi/linux/perf_event.h.
 */
#ifndef CPUPROF_PERF_EVENT_H
#define CPUPROF_PERF_EVENT_H

#include "src/base/flight.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/* What the kernel allows here, read once. */
struct event_limits {
	int paranoid;		/* perf_event_paranoid; -2 when it cannot be read */
	int max_rate;		/* perf_event_max_sample_rate, 0 when unknown */
	int mlock_kb;		/* perf_event_mlock_kb, 0 when unknown */
	int kptr_restrict;	/* -1 when unknown */
	bool capable;		/* CAP_PERFMON or CAP_SYS_ADMIN */
	bool syslog;		/* CAP_SYSLOG: may see the kernel's addresses */
	bool seccomp;		/* a filter is on this process */
	bool lockdown;		/* kernel lockdown in confidentiality mode */
};
void event_limits_read(struct flight *f, struct event_limits *limits);

/* A descriptor, or -errno as the kernel said it. attr->size is set here. A
 * replayed open returns a number that event_close() knows not to close. */
int event_open(struct flight *f, struct perf_event_attr *attr, pid_t pid, int cpu,
	       int group_fd, unsigned long flags);
void event_close(struct flight *f, int fd);
/* The id the kernel gives to samples of this event; 0 when it says none. */
uint64_t event_id(struct flight *f, int fd);
/* PERF_EVENT_IOC_ENABLE, _DISABLE, _SET_OUTPUT ...: 0 or -errno. */
int event_ioctl(struct flight *f, int fd, unsigned long request, unsigned long arg);

/* Why an open failed and what would help, one finished sentence part. */
const char *event_errno_text(int code, const struct event_limits *limits);

/* Raises the soft limit of descriptors to the hard one; returns what it was, for
 * commands to run under; 0 when that is not known. */
unsigned long event_raise_fd_limit(void);

/* What perf calls this type and config ("cpu-clock"), NULL when it has no name. */
const char *event_generic_name(uint32_t type, uint64_t config);

#endif
