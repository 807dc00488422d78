/*
 * place.h - the folder a run works in: the bundle, or a temporary one.
 */
#ifndef CPUPROF_CLI_PLACE_H
#define CPUPROF_CLI_PLACE_H

#include "src/base/err.h"
#include "src/base/flight.h"
#include "src/run/scratch.h"

#include <stdbool.h>

/* Where recordings go while measuring, and whether the folder stays. */
struct place {
	char *dir;		/* owned, NULL when there is none */
	bool keep;
	bool made;		/* by this run: it may be removed again */
	struct scratch scratch;	/* that it is, when it is a temporary one */
	struct err failed;	/* why it could not be kept, code 0 when it can */
};

/* output: the folder asked for, or NULL. save: the run is to be kept. */
void place_make(struct place *p, const char *output, bool save, const char *stamp,
		const char *workload);
/* Frees; removes a folder that is not kept and that this run made. */
void place_release(struct place *p);

#endif
