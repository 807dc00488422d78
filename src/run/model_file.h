/*
 * model_file.h - counts of the model tool as a perf.data file, so that they are
 * read, named and shown like samples: one event for each kind of count, one sample
 * for each address with the count as its period.
 */
#ifndef CPUPROF_RUN_MODEL_FILE_H
#define CPUPROF_RUN_MODEL_FILE_H

#include "pmu/counts.h"
#include "src/base/flight.h"
#include "src/machine/machine.h"

/* Events in the order of the file, which is that of struct profile's. */
enum model_event {
	MODEL_INSTRUCTIONS, MODEL_BRANCHES, MODEL_BRANCH_MISSES, MODEL_L1D_MISSES, MODEL_L2_MISSES,
	MODEL_LLC_MISSES, MODEL_DTLB_WALKS, MODEL_L1I_MISSES, MODEL_EVENTS
};
const char *model_event_name(enum model_event e);	/* "branch-misses" */
/* What an instruction counts for an event. */
uint64_t model_event_count(const struct counts_insn *i, enum model_event e);

int model_write(const char *path, const struct counts *c, const struct machine *m,
		struct flight *f, char *const *argv, struct err *err);

#endif
