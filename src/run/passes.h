/*
 * passes.h - inside measure: the passes beside those that give scores, namely
 * sampling, counting, models, causes and threads. None of them gives a score.
 */
#ifndef CPUPROF_RUN_PASSES_H
#define CPUPROF_RUN_PASSES_H

#include "src/run/counting.h"
#include "src/run/measure.h"

#define SAMPLE_S 2.0		/* work of a sampling pass */
#define COUNT_SHARE_S 0.3	/* work of a counting pass */
#define COUNT_PASSES 3		/* for each group: their spread is shown */

struct row_plan {
	struct measure_arm arm;
	int threads;
	struct counting_sum *identity;	/* of the score repetitions; owned */
	size_t n_identity, cap_identity;
	int narrow;		/* checks in a row that found it narrow enough */
	bool done;
};

/* All of them, over the rows whose scores are there. 0, or what broke one off. */
int passes_beside(struct measure *m, struct result *r, const struct row_plan *plans, int rows,
		  struct err *err);

/* Explains what is there so far. */
void passes_explain(const struct measure *m, struct result *r);
/* What was done when, for the log of the bundle. */
void passes_log(struct measure *m, const struct result_row *row, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
