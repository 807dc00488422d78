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
 */
#ifndef CPUPROF_EXPLAIN_EXPLAIN_H
#define CPUPROF_EXPLAIN_EXPLAIN_H

#include "src/result/result.h"

/* A repetition's score from its batches: the sum over threads of operations by
 * the time of their own batches. */
void explain_score(struct result_rep *rep);

/* Everything else of the document: references, factors, marks, intervals,
 * scaling, causes. May be called again after rows were added. */
void explain_result(struct result *r);

/* The causes of one row; r's references must be set. */
void explain_causes(const struct result *r, struct result_row *row);

#endif
