/*
 * model.h - the model pass: the same verified work under the model tool, where
 * predictor, caches and TLBs are models fitted to what timing shows of this CPU.
 *
 * What it gives has origin "modelled". It enters the same roles as counters do, and
 * a recording with the counts of each address as periods, so that functions and
 * instructions work as with samples. A tool that is missing, fails, is killed or
 * writes nonsense costs the modelled rows and a note, nothing else.
 */
#ifndef CPUPROF_RUN_MODEL_H
#define CPUPROF_RUN_MODEL_H

#include "pmu/counts.h"
#include "pmu/table.h"
#include "src/machine/calibrate.h"
#include "src/run/measure.h"

#define MODEL_ARGS 24
#define MODEL_GROUP 31		/* of counters: no pass of a PMU has it */

struct model {
	char tool[4096];		/* "": there is none */
	struct calibration calibration;
	unsigned entries;		/* of each predictor table, as fitted */
	double worst;			/* largest difference of the fit, in rate */
	double range;			/* relative, to either side of a rate */
	char sizes[160];		/* of caches and TLBs, an option of the tool */
};

/* Calibrates and fits: all but the tool. */
void model_fit(struct model *s, struct flight *f, const struct machine *m);
/* Finds the tool, calibrates and fits. 0, or -ENOENT and a sentence when there is no
 * tool here. */
int model_prepare(struct model *s, struct flight *f, const struct machine *m, struct err *err);
/* The misprediction's cost as measured here, into the table. */
void model_costs(const struct model *s, struct pmu_table *t);

/* Runs one row's work and fills in its modelled counters and profiles. -EINTR when
 * interrupted; other failures are a sentence. table may have no name. */
int model_pass(const struct model *s, struct measure *m, const struct measure_arm *arm,
	       const struct pmu_table *table, struct result *r, size_t row, struct err *err);

/* For the passes: this program's path; "VALGRIND_LAUNCHER=..." (both static); the
 * tool's argv with a command's behind it, borrowed strings, caller frees the array. */
const char *model_self(void);
const char *model_launcher(void);
char **model_command(char *const *through, char *const *command);
/* main() was started by the tool to run a child of the program: does not return
 * unless it fails. */
int model_relaunch(int argc, char **argv);

#endif
