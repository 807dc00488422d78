/*
 * scratch.h - a private folder that goes with everything in it.
 */
#ifndef CPUPROF_RUN_SCRATCH_H
#define CPUPROF_RUN_SCRATCH_H

#include "src/base/err.h"
#include "src/base/flight.h"

#include <stdbool.h>

/* A new folder below $TMPDIR or /tmp, at most four at a time. Those that killed ones
 * left behind go first. Caller frees; NULL when there can be none. */
char *scratch_new(struct err *err);
/* Removes it with all below it; symbolic links are not followed. */
void scratch_drop(const char *dir);
/* The same, its name through the flight; a replay makes and removes none. */
char *scratch_make(struct flight *f, struct err *err);
void scratch_remove(struct flight *f, const char *dir);
/* Is its disk full? */
bool scratch_full(struct flight *f, const char *dir);

#endif
