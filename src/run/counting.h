/*
 * counting.h - which events are counted in which pass.
 *
 * Cycles and instructions, on fixed counters, and the time go along with the score
 * repetitions. Everything else comes in groups that fit the counters there
 * are, each in passes of its own over the same verified work, so that nothing
 * is multiplexed. Each group carries instructions as its anchor; the operands of
 * a metric share a group where they fit.
 */
#ifndef CPUPROF_RUN_COUNTING_H
#define CPUPROF_RUN_COUNTING_H

#include "pmu/request.h"
#include "pmu/table.h"
#include "src/machine/machine.h"
#include "src/result/result.h"
#include "src/run/counters.h"

#define COUNTING_GROUPS 24
#define COUNTING_IDENTITY 0	/* the group of the score repetitions */
#define COUNTING_WHOLE 0.999	/* coverage from which nothing was scaled */

struct counting_group {
	struct pmu_request v[COUNTERS_MAX];
	int n;
};

struct counting {
	struct pmu_table table;		/* owned; empty name when none was found */
	struct counting_group groups[COUNTING_GROUPS];
	int n_groups;			/* 0: nothing is counted */
};

/* What one pass counted; summed over threads and batches of the window. */
struct counting_sum {
	const struct counting_group *group;	/* borrowed */
	int state[COUNTERS_MAX];	/* enum counter_state or -errno */
	double total[COUNTERS_MAX];
	double ops;
	double coverage;		/* share of the time the group ran, 0..1 */
};

/* Groups for the table's metrics (roles; when counters is set) and for what -e
 * names (events, may be NULL). */
int counting_plan(struct counting *c, struct flight *f, const struct machine *m, bool roles,
		  const char *events, struct err *err);
void counting_release(struct counting *c);

/* Is there a part of group g that its pass says did not fit the counters with
 * the rest? It is then a group of its own, the last one, and what was counted of
 * the others need not be true. */
bool counting_split(struct counting *c, int g, const struct counting_sum *s);

/* The same for the group of the scores: is there not room even for that? Then
 * instructions have a pass of their own, and the clock keeps its counter. */
bool counting_split_identity(struct counting *c, const struct counting_sum *s);

/* Counters of one group into the row, from the sums of its n passes. */
void counting_store(struct result_row *row, int group, const struct counting_sum *sums,
		    size_t n, struct flight *f);

#endif
