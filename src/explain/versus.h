/*
 * versus.h - is B faster than A? From repetitions run in rounds A B B A, or
 * B A A B by lot.
 *
 * A round's log ratio (b1 + b2 - a1 - a2) / 2 is free of the machine's steady
 * drift. Time in which a thread was ready to run but had no CPU is not the
 * program's and left out. What the needles say changed within the round (core
 * share, clock) is taken out by regression over the rounds; Student's t decides on the rest. On
 * shared machines plain per-variant blocks claim differences between a program
 * and itself in a large part of all runs; docs/statistics.md has the figures.
 */
#ifndef CPUPROF_EXPLAIN_VERSUS_H
#define CPUPROF_EXPLAIN_VERSUS_H

#include "src/result/result.h"

#define VERSUS_LEVEL 0.02	/* p below which a difference is claimed */
#define VERSUS_MIN_ROUNDS 6
#define VERSUS_SAME 0.02	/* an interval inside 1 +- this is "no difference" */

/* given: share of the time it wanted that it had a CPU, 1 when not known;
 * share, clock: 0 when not known. */
struct versus_rep { double score, share, clock, given; };

/* a and b hold 2 * rounds repetitions each, in the order they ran. Fills ratio,
 * p, level, rounds, raw_ratio and the spreads. 0, or -1 below
 * VERSUS_MIN_ROUNDS (ratio is then unavailable). */
int versus_test(const struct versus_rep *a, const struct versus_rep *b, size_t rounds,
		struct result_versus *out);

/* The same from rows 0 and 1 of a result, with the verdict and the split. */
void versus_explain(struct result *r);

#endif
