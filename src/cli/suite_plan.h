/*
 * suite_plan.h - the study as a table: which workload belongs to which group, and
 * with which variants. A workload the table does not know runs its default in the
 * group "other", so that a new one is at least there; its row is all it needs.
 */
#ifndef CPUPROF_CLI_SUITE_PLAN_H
#define CPUPROF_CLI_SUITE_PLAN_H

#include "src/run/measure.h"
#include "src/result/suite.h"

/* "gzip, brotli, ..." of the groups that have workloads here. */
void suite_plan_names(struct buf *out);
/* For "list groups". */
void suite_plan_list(struct buf *out);
/* The runs of the groups that s->only and s->skip leave, in order, each with the
 * command that would do the same. Unknown names are an error. */
int suite_plan(struct suite *s, int cpus, struct err *err);
/* What a run of it measures, into zeroed m. */
int suite_plan_measure(const struct suite *s, const struct suite_run *run, int cpus,
		       struct measure *m, struct err *err);

#endif
