/*
 * timeline.h - which file was mapped where, and what a thread was called, at
 * any time of a recording.
 *
 * Facts are added in the order of time; questions may then come in any order.
 * A child process asks its parent for maps older than its birth, so that a
 * storm of forks costs no memory.
 */
#ifndef CPUPROF_PROFILE_TIMELINE_H
#define CPUPROF_PROFILE_TIMELINE_H

#include "src/base/map.h"

#include <stdbool.h>

#define TIMELINE_KERNEL 0xffffffffu	/* the pid of kernel maps */

struct timeline_map {
	uint64_t start, end, pgoff;
	uint64_t birth, death;
	uint32_t dso;
};

struct timeline_process;
struct timeline_thread;

struct timeline {
	struct timeline_process *procs;		/* owned; one an incarnation */
	size_t n_procs, cap_procs;
	struct map by_pid;			/* pid -> last incarnation + 1 */
	struct timeline_thread *threads;	/* owned */
	size_t n_threads, cap_threads;
	struct map by_tid;			/* tid -> index + 1 */
};

void timeline_release(struct timeline *t);

void timeline_map(struct timeline *t, uint64_t time, uint32_t pid, uint64_t start,
		  uint64_t len, uint64_t pgoff, uint32_t dso);
void timeline_comm(struct timeline *t, uint64_t time, uint32_t pid, uint32_t tid,
		   uint32_t comm, bool exec);
void timeline_fork(struct timeline *t, uint64_t time, uint32_t pid, uint32_t tid,
		   uint32_t ppid, uint32_t ptid);
/* No more facts: sorts for the questions. */
void timeline_finish(struct timeline *t);

/* The time in which an answer stays the same: from <= time < until. Start with
 * TIMELINE_ALWAYS; every question narrows it. Empty when nobody can tell. */
struct timeline_span { uint64_t from, until; };
#define TIMELINE_ALWAYS { 0, UINT64_MAX }

/* The map that holds addr in pid at time, or NULL. Borrowed. */
const struct timeline_map *timeline_find(const struct timeline *t, uint64_t time, uint32_t pid,
					 uint64_t addr, struct timeline_span *span);
/* The comm (a string number given to timeline_comm), 0 when never named. */
uint32_t timeline_comm_of(const struct timeline *t, uint64_t time, uint32_t tid,
			  struct timeline_span *span);

#endif
