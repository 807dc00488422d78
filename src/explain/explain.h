/*
 * explain.h - from what was measured to what it means. Pure arithmetic over a
 * result; reads and writes nothing else.
 *
 * The score identity: operations/s = CPUs used x core share x clock x
 * operations per cycle. Each factor is the median of its own measurements; what
 * their product misses of the score is shown as unexplained.
 *
 * Causes are shares of the time the program could have used. Time off the CPU
 * is split first; what a neighbour or a lower clock took applies to the rest;
 * kernel time to what then remains. So they are disjoint and never pass 100 %.
 * What is left is the program's own time on its core at its clock; causes found by
 * counting lie within it, and may overlap.
 */
#ifndef CPUPROF_EXPLAIN_EXPLAIN_H
#define CPUPROF_EXPLAIN_EXPLAIN_H

#include "pmu/table.h"
#include "src/result/result.h"

/* What counts are read by. */
struct explain_cpu {
	const struct pmu_table *table;	/* borrowed; NULL: nothing was counted */
	int smt;			/* threads a core */
	uint64_t cache_bytes;		/* the last-level cache; 0: not known */
};

/* A repetition's score from its batches: the sum over threads of operations by
 * the time of their own batches. */
void explain_score(struct result_rep *rep);

/* Everything else of the document: references, factors, marks, intervals,
 * scaling, metrics, causes. May be called again after rows were added. cpu may
 * be NULL. */
void explain_result(struct result *r, const struct explain_cpu *cpu);

/* The causes of one row; r's references and the scaling must be set. cpu may be NULL. */
void explain_causes(const struct result *r, struct result_row *row,
		    const struct explain_cpu *cpu);

/* The row of the same variant on the fewest threads: it itself, or another. */
const struct result_row *explain_base(const struct result *r, const struct result_row *row);

/* Causes from counts, of the share rest of the time that was the program's own
 * (counted.c). They lie within it and within one another as the table says. */
void explain_counted(struct result_row *row, const struct pmu_table *t, double rest);

/* Where an event was sampled, NULL when it was not or fell nowhere. */
const struct result_profile *explain_sampled(const struct result_row *row, const char *role);

#endif
