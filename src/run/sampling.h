/*
 * sampling.h - one recording of a child: the best event that opens, the file,
 * and the profile made from it.
 */
#ifndef CPUPROF_RUN_SAMPLING_H
#define CPUPROF_RUN_SAMPLING_H

#include "pmu/request.h"
#include "pmu/table.h"
#include "src/machine/machine.h"
#include "src/perf/recorder.h"
#include "src/profile/profile.h"
#include "src/result/result.h"
#include "src/run/child.h"

/* What is sampled. Whatever of it the kernel refuses is left out step by step,
 * and said: branch stacks, the precise level, kernel code. */
struct sampling_event {
	const char *name;		/* "branch-misses"; NULL: time, by cycles or cpu-clock */
	uint32_t type;
	uint64_t config, config1, config2;
	unsigned precise;		/* highest level worth asking for */
	bool stack;			/* branch stacks, too */
};

#define SAMPLING_COUNTS 4

struct sampling {
	struct recorder rec;
	struct flight *flight;
	const struct machine *machine;
	char *path;			/* owned */
	int rate_hz;			/* after clamping */
	char event[48];			/* "cycles:ppu" */
	bool stack;			/* samples carry branch stacks */
	/* Of a recording that counts: the events that opened and their totals. */
	const struct pmu_request *counts[SAMPLING_COUNTS];
	size_t n_counts;
	uint64_t totals[SAMPLING_COUNTS][3];
	char reason[400];		/* why not something better; "" */
	bool open;
	bool closed;			/* perf lets nothing be sampled here */
};

struct sampling_how {
	const struct sampling_event *event;	/* NULL: time */
	int rate_hz;
	bool from_exec;		/* from the child's exec on; else sampling_enable() starts it
				 * and only maps are recorded before */
	const char *path;
	const struct pmu_request *counts;	/* instead: count these, by thread */
	size_t n_counts;
};

/* One of the steps down; the attr asked for in it. */
struct sampling_step { unsigned precise; bool user_only; };
void sampling_attr(struct perf_event_attr *a, const struct sampling_event *ev,
		   const struct sampling_step *step, bool stack, bool from_exec, int rate_hz);

/* The event of a table's cause; false when it has none to sample. */
bool sampling_of_cause(struct sampling_event *ev, const struct pmu_table *t,
		       const struct pmu_cause *cause);

/* Events on a child that has not exec'd yet. -errno with a sentence when this
 * cannot be sampled here. */
int sampling_open(struct sampling *s, struct flight *f, const struct machine *m, pid_t pid,
		  const struct sampling_how *how, struct err *err);
void sampling_enable(struct sampling *s, bool on);
/* 1 when fd has become readable. */
int sampling_poll(struct sampling *s, int fd, int timeout_ms);
/* Ends the file. A full disk is a sentence; what was written stays. */
int sampling_finish(struct sampling *s, char *const *argv, struct err *err);
void sampling_release(struct sampling *s);

/* A finished recording as a part of the result. */
int sampling_profile(const char *path, struct flight *f, const struct machine *m,
		     struct result_profile *out, struct err *err);
void sampling_copy_event(const struct profile_event *e, struct result_profile *out);
void sampling_copy_profile(const struct profile *p, struct result_profile *out);

#endif
