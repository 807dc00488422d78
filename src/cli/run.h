/*
 * run.h - what "cpuprof WORKLOAD" and "cpuprof exec" share: from the options to
 * the printed and saved report.
 */
#ifndef CPUPROF_CLI_RUN_H
#define CPUPROF_CLI_RUN_H

#include "src/base/progress.h"
#include "src/cli/cli.h"
#include "src/run/measure.h"

#include <stdbool.h>

struct run_options {
	bool counters, explain, per_thread, no_sampling, no_save, json, quiet, show_output, once;
	bool model, no_model, energy;
	const char *meter, *meter_ahead;
	const char *threads, *input, *output, *versus, *events;
	struct option_list library, versus_library;
	double time_s;
	int reps, rate, window;
	const char *cipher;
};

/* Rows for the option tables of both commands. */
#define RUN_OPTION(NAME, LETTER, KIND, FIELD, ARG, HELP) \
	{ NAME, LETTER, KIND, offsetof(struct run_options, FIELD), ARG, HELP }
#define RUN_COMMON_OPTIONS \
	RUN_OPTION("counters", 'c', OPTION_FLAG, counters, NULL, \
		   "counters that explain the score, or why there are none here"), \
	RUN_OPTION("explain", 'x', OPTION_FLAG, explain, NULL, \
		   "show formulas of metrics, and each of many rows in full"), \
	RUN_OPTION("model", 0, OPTION_FLAG, model, NULL, \
		   "branches, caches and TLBs by models fitted to this CPU, too"), \
	RUN_OPTION("no-model", 0, OPTION_FLAG, no_model, NULL, \
		   "no models, not even where --counters finds no counters"), \
	RUN_OPTION("energy", 0, OPTION_FLAG, energy, NULL, \
		   "joules by RAPL, score by watts; or why there are none here"), \
	RUN_OPTION("meter", 0, OPTION_STRING, meter, "FILE", \
		   "joules by an external meter's log: SECONDS,WATTS a line"), \
	RUN_OPTION("meter-ahead", 0, OPTION_STRING, meter_ahead, "SECONDS", \
		   "how far the meter's clock is ahead of this machine's (default 0)"), \
	RUN_OPTION("event", 'e', OPTION_STRING, events, "LIST", \
		   "count these events too: roles of cpuprof list events, rNNN, " \
		   "cpu/event=0xc5/, tracepoints, {a,b} for a group, :u :k"), \
	RUN_OPTION("per-thread", 0, OPTION_FLAG, per_thread, NULL, \
		   "what each thread used and counted: CPU time, cycles, instructions"), \
	RUN_OPTION("time", 't', OPTION_TIME, time_s, "TIME", \
		   "time for all of it (default: 11 s for each row of the table)"), \
	RUN_OPTION("reps", 'n', OPTION_INT, reps, "N", \
		   "exactly N score repetitions for each row"), \
	RUN_OPTION("versus", 'v', OPTION_STRING, versus, "B", \
		   "run against B in rounds A B B A and say which is faster; B is " \
		   "VAR=VALUE for the environment or another variant (gzip:7)"), \
	RUN_OPTION("rate", 'F', OPTION_INT, rate, "HZ", \
		   "samples a second in the sampling pass (default 1999)"), \
	RUN_OPTION("no-sampling", 0, OPTION_FLAG, no_sampling, NULL, \
		   "leave out the sampling pass and hot functions"), \
	RUN_OPTION("output", 'o', OPTION_STRING, output, "DIR", \
		   "put result.json, report and recordings into DIR"), \
	RUN_OPTION("no-save", 0, OPTION_FLAG, no_save, NULL, "save nothing"), \
	RUN_OPTION("json", 'j', OPTION_FLAG, json, NULL, \
		   "print the result as JSON instead of text"), \
	RUN_OPTION("quiet", 'q', OPTION_FLAG, quiet, NULL, \
		   "no progress bar and no estimate of the time")

/* "VAR=VALUE" as the other side of an experiment; false when it is not that. */
bool run_versus_env(const char *text, struct measure_arm *arm);

/* "1,2,all", NULL: "1,all", into m->threads; cpus are there. */
int run_parse_threads(const char *text, int cpus, struct measure *m, struct err *err);

/* m holds the target; everything else comes from o. Exit code. */
int run_and_report(struct cli *cli, const struct run_options *o, struct measure *m);

/* For a caller that prints by itself: one run of many. */
struct run_keep {
	struct result *result;		/* out; initialised, and released, by the caller */
	struct err err;			/* out: the first thing that failed; code 0: none */
	bool unsaved;			/* out: its folder could not be written */
	struct progress *progress;	/* of all runs; borrowed */
};
/* The same, saved in o->output and printed nowhere. */
int run_and_keep(struct cli *cli, const struct run_options *o, struct measure *m,
		 struct run_keep *keep);

/* Facts of the machine into r: two runs with the same ones can stand side by side. */
void run_describe_machine(struct result *r, const struct machine *m);
/* Local time of the run as text, through the flight. */
void run_local_time(struct flight *f, const char *key, const char *fmt, char *out, size_t size);

#endif
