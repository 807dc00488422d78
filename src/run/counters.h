/*
 * counters.h - one group of events on one thread, or on a command and all it
 * starts, read as deltas.
 *
 * Events that do not open never cost the others: each keeps its own errno. On a
 * thread the group is pinned: it counts all the time or says that it could
 * not, and nothing is scaled.
 */
#ifndef CPUPROF_RUN_COUNTERS_H
#define CPUPROF_RUN_COUNTERS_H

#include "src/base/flight.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#define COUNTERS_MAX 12

enum counter_state {
	COUNTER_NONE = 0,	/* nothing asked for in this place */
	COUNTER_ALL = 1,	/* counts user and kernel */
	COUNTER_USER = 2,	/* user only: the kernel allows no more */
	/* negative: -errno of the open; -EBUSY when it was never scheduled, -E2BIG
	 * when it opens, but not in a group with those before it */
};

struct counters {
	int fd[COUNTERS_MAX];
	int state[COUNTERS_MAX];
	int n;			/* events asked for */
	int leader;		/* index, -1 when none opened */
};

struct counters_reading {
	uint64_t value[COUNTERS_MAX];
	uint64_t enabled_ns, running_ns;
};

/* Opens on the calling thread, counting from now on. */
void counters_open_self(struct counters *c, const struct perf_event_attr *attrs, int n);
/* The same on another one; it does not count what that one starts. */
void counters_open_thread(struct counters *c, pid_t tid, const struct perf_event_attr *attrs, int n);
/* 0, or -EBUSY when the pinned group has lost its counters. */
int counters_read_self(struct counters *c, struct counters_reading *r);

/* Opens on a process before its exec, with all it will start; each event by
 * itself, since groups are not inherited. Counts from the exec on. */
void counters_open_child(struct counters *c, struct flight *f, pid_t pid,
			 const struct perf_event_attr *attrs, int n);
/* Totals; running < enabled in running_share[i] says how much was counted. */
void counters_read_child(struct counters *c, struct flight *f, uint64_t *value,
			 double *running_share);
void counters_close(struct counters *c, struct flight *f);

#endif
