/*
 * scratch.h - a private folder that goes with everything in it.
 *
 * A file in it is locked as long as the folder is used: what a killed process left
 * behind is told by that from what is in use, and goes when the next one is made.
 */
#ifndef CPUPROF_RUN_SCRATCH_H
#define CPUPROF_RUN_SCRATCH_H

#include "src/base/err.h"
#include "src/base/flight.h"

#include <stdbool.h>

struct scratch {
	char *dir;		/* absolute, owned; NULL: there is none */
	int lock;		/* descriptor, while there is one */
};

/* A new folder below $TMPDIR or /tmp. */
int scratch_new(struct scratch *s, struct err *err);
/* Removes it with all below it; symbolic links are not followed. Also of none. */
void scratch_drop(struct scratch *s);
/* The same, its name through the flight; a replay makes and removes none. */
int scratch_make(struct scratch *s, struct flight *f, struct err *err);
void scratch_remove(struct scratch *s, struct flight *f);
/* Is its disk full? */
bool scratch_full(struct flight *f, const struct scratch *s);

#endif
