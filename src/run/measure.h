/*
 * measure.h - a plan of passes over one target: score repetitions in fresh
 * processes, interleaved over the rows, until the interval is narrow enough or
 * the time is up; then a sampling pass for each row. Scores never come from a
 * sampled pass.
 */
#ifndef CPUPROF_RUN_MEASURE_H
#define CPUPROF_RUN_MEASURE_H

#include "src/base/buf.h"
#include "src/base/flight.h"
#include "src/base/progress.h"
#include "src/machine/machine.h"
#include "src/result/result.h"
#include "src/run/scratch.h"
#include "workloads/workload.h"

#include <signal.h>
#include <sys/types.h>

#define MEASURE_ROW_S 11.0	/* default time for one row, sampling included */
#define MEASURE_VERSUS_S 50.0	/* default time for an experiment */

/* What differs between the two sides of an experiment; fields that do not are
 * the same in both. */
struct measure_arm {
	const char *label;		/* NULL: no experiment */
	int variant;
	const char *library;
	const char *env;		/* "VAR=VALUE", NULL */
	char *const *command;
};

struct counting;
struct model;
struct energy;
struct energy_log;
struct recipe_run;

struct measure {
	/* What to run: a workload, a workload in a text file, or a command. */
	const struct workload *workload;
	struct recipe_run *recipe;	/* borrowed */
	char *const *command;		/* NULL-terminated, when the others are NULL */
	struct measure_arm versus;	/* run against it, in rounds A B B A */
	int variants[16];
	int n_variants;
	int threads[8];			/* of each row */
	int n_threads;
	const char *input, *library;
	int window;			/* of the workload, see workload_env */
	int cipher;			/* of a server, see workload_env */
	struct scratch scratch;		/* a server's, while it is measured */
	int flip_byte;			/* test hook, see workload_env */
	bool show_output;
	unsigned long fd_limit;		/* of descriptors, for the command; 0: as it is */
	/* How. */
	double time_s;			/* 0: MEASURE_ROW_S for every row */
	int reps;			/* exactly so many; 0: until it is narrow enough */
	int rate_hz;			/* of the sampling pass; 0: no sampling */
	bool needles;			/* read them: they can be trusted here */
	/* What to count, NULL: nothing; borrowed. Groups that do not fit are split. */
	struct counting *counting;
	bool once;			/* the command can run only once: everything in that run */
	bool per_thread;		/* count each thread by itself, too */
	struct energy *energy;		/* read around scores; NULL: not. Borrowed */
	const struct model *model;	/* a model pass, too; NULL: none. Borrowed */
	const char *dir;		/* where recordings go */
	struct buf log;			/* out: a line for each pass; caller releases */

	struct flight *flight;
	const struct machine *machine;
	struct progress *progress;
	const volatile sig_atomic_t *stop;
	pid_t named;			/* the last worker, while its perf map is needed */
	bool named_recorded;		/* it goes with a recording */
	int child_status;		/* out: of the last command, as waitpid() */
};

/* Seconds the whole plan should take. */
double measure_estimate_s(const struct measure *m);
/* Those of it that models take, were there one. */
double measure_model_s(const struct measure *m);

/* Fills result's rows, target and notes. A failure is also kept in
 * result->failure; rows measured before it stay. */
int measure_run(struct measure *m, struct result *result, struct err *err);

/* Afterwards: joules of each repetition by a meter's log, whose clock is ahead_s
 * ahead. How many it covers. */
size_t measure_meter(struct measure *m, struct result *r, const struct energy_log *log,
		     double ahead_s);

#endif
