/*
 * scratch.h - a private folder that goes with everything in it.
 */
#ifndef CPUPROF_RUN_SCRATCH_H
#define CPUPROF_RUN_SCRATCH_H

#include "src/base/err.h"
#include "src/base/flight.h"

#include <stdbool.h>

/* A new folder below $TMPDIR or /tmp, its name through the flight. Caller frees;
 * NULL when there can be none. */
char *scratch_make(struct flight *f, struct err *err);
/* Removes it with all below it; symbolic links are not followed. */
void scratch_remove(struct flight *f, const char *dir);
/* Is its disk full? */
bool scratch_full(struct flight *f, const char *dir);

#endif
