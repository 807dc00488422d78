/*
 * pass.h - one pass: one fresh process, scored or sampled.
 */
#ifndef CPUPROF_RUN_PASS_H
#define CPUPROF_RUN_PASS_H

#include "src/run/counting.h"
#include "src/run/measure.h"
#include "src/run/sampling.h"

struct pass {
	int threads;
	struct measure_arm arm;		/* variant, library, environment, command */
	double share_s;			/* fixed share of each thread */
	struct sampling *sampling;	/* NULL: not sampled */
	const struct sampling_event *event;	/* what is; NULL: time */
	const struct counting_group *by_thread;	/* instead: counted by thread */
	int timer_hz;			/* the worker samples itself; 0: not */
	const char *recording;		/* path, for a sampled pass */
	char **note;			/* what the library says of itself, owned by the caller;
					 * NULL: it is not asked */
	char *const *through;		/* argv of the model tool, before the program's; or NULL */
	struct counting_sum *counts;	/* groups to count, sums out; NULL: none */
	int n_counts;			/* a worker counts one */
	bool score;			/* it is one of the scores: read the needles too */
};

/* A worker's repetition into rep (untouched for sampled passes). hello and
 * ready are what it said. -EINTR when stopped. */
int pass_worker(struct measure *m, const struct pass *p, struct result_rep *rep,
		struct protocol_hello *hello, struct protocol_ready *ready, struct err *err);

/* Removes what the last worker left behind to name the code that it made: read
 * with its recording, so that has to come first. The next worker does it, too. */
void pass_forget_names(struct measure *m);

/* One run of the command into rep. */
int pass_command(struct measure *m, const struct pass *p, struct result_rep *rep,
		 struct err *err);
/* Was the command that has just ended interrupted? Through the flight. */
bool pass_interrupted(const struct measure *m);

#endif
