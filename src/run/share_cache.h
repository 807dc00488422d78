/*
 * share_cache.h - the best core share readings of earlier runs, so that a run
 * that has a neighbour from its first moment to its last still sees it.
 *
 * $XDG_CACHE_HOME/cpuprof/core-share (or under ~/.cache): the boot and the CPU
 * model it is good for, then a line "CPU ADDS" for each CPU. Another boot or
 * model starts it anew. Losing it costs nothing but memory of the past.
 */
#ifndef CPUPROF_RUN_SHARE_CACHE_H
#define CPUPROF_RUN_SHARE_CACHE_H

#include "src/base/flight.h"
#include "src/machine/machine.h"
#include "src/result/result.h"

void share_cache_load(struct result *r, struct flight *f, const struct machine *m);
/* Keeps r's references. Failing to is no error. */
void share_cache_save(const struct result *r, const struct machine *m);

#endif
