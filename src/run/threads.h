/*
 * threads.h - what each thread used and counted: of a workload from its batches,
 * of a command from what inherited events leave behind when a thread ends.
 */
#ifndef CPUPROF_RUN_THREADS_H
#define CPUPROF_RUN_THREADS_H

#include "src/result/result.h"
#include "src/run/sampling.h"

/* From the row's repetitions, all of them together. */
void threads_of_batches(struct result_row *row);
/* From a recording that counted (sampling_how.counts), finished. How many threads
 * left no counts and cannot be told apart; 0 when all were counted. */
int threads_of_recording(const struct sampling *s, const char *path, struct result_row *row,
			 struct err *err);

#endif
