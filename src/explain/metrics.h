/*
 * metrics.h - counts of a row -> the metrics of the CPU's table.
 *
 * A metric takes its operands from one group when one holds them all; else it
 * is an estimate, since groups ran at different times. An operand that was not
 * counted makes it unavailable, with the reason; so does a share below 0 or
 * above 100 %, which no clipping hides.
 */
#ifndef CPUPROF_EXPLAIN_METRICS_H
#define CPUPROF_EXPLAIN_METRICS_H

#include "pmu/table.h"
#include "src/result/result.h"

/* Fills row's metrics, ipc and instructions from its counters. smt: threads a
 * core. */
void metrics_explain(struct result_row *row, const struct pmu_table *t, int smt);

#endif
