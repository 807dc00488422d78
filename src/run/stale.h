/*
 * stale.h - would a saved result be measured in the same conditions now?
 */
#ifndef CPUPROF_RUN_STALE_H
#define CPUPROF_RUN_STALE_H

#include "src/result/result.h"
#include "workloads/workload.h"

/* -ESTALE and the first fact in which the machine now differs from the one of r. */
int stale_machine(const struct result *r, const struct result *now, struct err *err);
/* -ESTALE when the library that would be loaded is another one by path, version or
 * build-id; loads it for a moment. */
int stale_library(const struct result *r, const struct workload *w, struct err *err);

#endif
