/* SPDX-License-Identifier: MIT */
/*
 * The study in one command: every run is a bundle of its own in the suite's folder,
 * suite.json says which are done, and --resume takes those as they are when program,
 * machine, options and library are still the same.
 */
#include "config.h"
#include "reports/report.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/cli/run.h"
#include "src/cli/suite_plan.h"
#include "src/result/bundle.h"
#include "src/run/stale.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct suite_options {
	bool quick, quiet, no_model, no_sampling, energy, published;
	const char *only, *skip, *output, *resume;
	double time_s;
	int reps;
};

#define SUITE_OPTION(NAME, LETTER, KIND, FIELD, ARG, HELP) \
	{ NAME, LETTER, KIND, offsetof(struct suite_options, FIELD), ARG, HELP }

static const struct option_desc options[] = {
	SUITE_OPTION("quick", 0, OPTION_FLAG, quick, NULL,
		     "few levels and sizes, and no more time than an interval needs"),
	SUITE_OPTION("only", 0, OPTION_STRING, only, "GROUP,..",
		     "only these groups of cpuprof list groups"),
	SUITE_OPTION("skip", 0, OPTION_STRING, skip, "GROUP,..", "all but these groups"),
	SUITE_OPTION("time", 't', OPTION_TIME, time_s, "TIME",
		     "time for each row of the tables (default 11 s)"),
	SUITE_OPTION("reps", 'n', OPTION_INT, reps, "N",
		     "exactly N score repetitions for each row"),
	SUITE_OPTION("no-model", 0, OPTION_FLAG, no_model, NULL,
		     "no models where there are no hardware counters"),
	SUITE_OPTION("no-sampling", 0, OPTION_FLAG, no_sampling, NULL,
		     "leave out the sampling passes and hot functions"),
	SUITE_OPTION("energy", 0, OPTION_FLAG, energy, NULL,
		     "read the processor's energy counters, too: work a watt"),
	SUITE_OPTION("output", 'o', OPTION_STRING, output, "DIR",
		     "put suite.json, the report and a folder for each run into DIR"),
	SUITE_OPTION("resume", 0, OPTION_STRING, resume, "DIR",
		     "go on with the suite in DIR, by its options"),
	SUITE_OPTION("published", 0, OPTION_FLAG, published, NULL,
		     "print what was published in 2017, too: cpuprof list published"),
	SUITE_OPTION("quiet", 'q', OPTION_FLAG, quiet, NULL, "say nothing of progress"),
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

/* One suite under way. */
struct session {
	struct cli *cli;
	struct suite suite;
	struct machine *machine;
	struct result now;		/* facts of the machine as it is */
	char *dir;
	bool quiet;
	struct progress progress;
	double start_s, estimated_s;	/* estimated_s: of what was run since */
	struct err disk;		/* nothing more can be written */
};

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double estimate_s(const struct session *s, const struct suite_run *run)
{
	struct measure m = { .rate_hz = !s->suite.no_sampling };

	if (suite_plan_measure(&s->suite, run, s->machine->n_allowed, &m, NULL) < 0)
		return 0;
	return measure_estimate_s(&m) + (s->suite.no_model ? 0 : measure_model_s(&m));
}

/* How much longer than estimated the runs took so far. */
static double slowness(const struct session *s)
{
	double ratio = s->estimated_s > 0 ? (now_s() - s->start_s) / s->estimated_s : 1;

	return ratio < 0.5 ? 0.5 : ratio > 5 ? 5 : ratio;
}

static void say_progress(struct session *s, size_t at)
{
	double left = 0;

	for (size_t i = at; i < s->suite.n_runs; i++)
		if (s->suite.runs[i].state != SUITE_DONE)
			left += estimate_s(s, &s->suite.runs[i]);
	left *= slowness(s);
	s->progress.total_s = now_s() - s->start_s + left;
	if (s->quiet)
		return;
	fprintf(stderr, "%zu of %zu, about %.0f %s left: %s\n", at + 1, s->suite.n_runs,
		left < 90 ? left : left / 60, left < 90 ? "seconds" : "minutes",
		s->suite.runs[at].command + strlen("cpuprof "));
}

/* Was it measured by this program, on this machine, by these options, with this
 * library? */
static int same_conditions(const struct session *s, const struct suite_run *run, struct err *err)
{
	const struct result *r = run->result;

	if (strcmp(r->version, PACKAGE_VERSION))
		return err_set(err, -ESTALE, "it is of cpuprof '%.40s', this is " PACKAGE_VERSION,
			       r->version);
	if (strcmp(r->command, run->command))
		return err_set(err, -ESTALE, "it was run as '%.200s'", r->command);
	if (stale_machine(r, &s->now, err) < 0)
		return err->code;
	return stale_library(r, workload_find(run->workload), err);
}

static void drop_result(struct suite_run *run)
{
	if (run->result)
		result_release(run->result);
	free(run->result);
	run->result = NULL;
}

/* Takes what was done before from its folder. */
static void take_done(struct session *s, const struct suite *before)
{
	for (size_t i = 0; i < s->suite.n_runs; i++) {
		struct suite_run *run = &s->suite.runs[i];
		const struct suite_run *old = NULL;
		struct err err = { 0 };

		for (size_t k = 0; k < before->n_runs; k++)
			if (!strcmp(before->runs[k].folder, run->folder))
				old = &before->runs[k];
		if (!old || old->state != SUITE_DONE)
			continue;
		if (suite_load_result(s->dir, run, &err) == 0 && same_conditions(s, run, &err) == 0) {
			suite_set_state(run, SUITE_DONE, NULL);
			continue;
		}
		drop_result(run);
		fprintf(stderr, "cpuprof: %s is measured again: %s\n", run->workload, err.msg);
	}
}

/* Exit code of the run; what failed is kept in it. */
static int run_one(struct session *s, struct suite_run *run)
{
	struct suite *u = &s->suite;
	struct cli cli = *s->cli;
	char *output = xasprintf("%s/%s", s->dir, run->folder);
	const char *flip = getenv("CPUPROF_TEST_FLIP");
	struct measure m = { .flip_byte = flip ? atoi(flip) : 0 };
	struct run_options o = { .counters = true, .no_model = u->no_model, .quiet = true,
				 .no_sampling = u->no_sampling, .energy = u->energy,
				 .output = output, .reps = u->reps };
	struct run_keep keep = { .progress = &s->progress };
	int code;

	run->result = xcalloc(1, sizeof(*run->result));
	result_init(run->result);
	keep.result = run->result;
	cli.line = run->command;
	if (suite_plan_measure(u, run, s->machine->n_allowed, &m, &keep.err) < 0) {
		code = EXIT_FAILED;
	} else {
		o.time_s = m.time_s;
		code = run_and_keep(&cli, &o, &m, &keep);
	}
	if (code == EXIT_OK) {
		suite_set_state(run, SUITE_DONE, NULL);
	} else {
		/* One that was interrupted is still to be done. */
		if (!run->result->interrupted)
			suite_set_state(run, code == EXIT_NOT_HERE ? SUITE_MISSING : SUITE_FAILED,
					keep.err.msg);
		if (keep.unsaved || keep.err.code == -ENOSPC)
			s->disk = keep.err;
		u->interrupted = run->result->interrupted;
		drop_result(run);
	}
	free(output);
	return code;
}

/* Everything that is not done yet, suite.json replaced after each. */
static void run_all(struct session *s)
{
	struct suite *u = &s->suite;

	progress_init(&s->progress, 0, !s->quiet);
	s->start_s = now_s();
	for (size_t i = 0; i < u->n_runs && !s->disk.code && !u->interrupted; i++) {
		if (u->runs[i].state == SUITE_DONE)
			continue;
		say_progress(s, i);
		if (!*s->cli->stop)
			run_one(s, &u->runs[i]);
		s->estimated_s += estimate_s(s, &u->runs[i]);
		u->interrupted |= *s->cli->stop != 0;
		if (!s->disk.code)
			suite_save(s->dir, u, &s->disk);
	}
}

static int print_and_save(struct session *s)
{
	const struct report *terminal = report_find("terminal");
	struct report_style style, plain = { .width = 80 };
	char *path = xasprintf("%s/report.txt", s->dir);
	struct buf out = BUF_INIT, text = BUF_INIT;
	int code;

	cli_style(&style, 0);
	terminal->suite(&s->suite, &style, &out);
	terminal->suite(&s->suite, &plain, &text);
	code = cli_print(buf_str(&out));
	if (!s->disk.code)
		io_write_file(path, buf_str(&text), text.len, &s->disk);
	if (s->disk.code)
		code = cli_fail(&s->disk, EXIT_FAILED);
	else if (s->suite.interrupted)
		fprintf(stderr, "go on with: cpuprof suite --resume %s\n", s->dir);
	else if (!s->quiet)
		fprintf(stderr, "saved in %s    next: cpuprof report %s/%s\n", s->dir, s->dir,
			s->suite.runs[0].folder);
	buf_release(&out);
	buf_release(&text);
	free(path);
	return code;
}

static int exit_code(const struct suite *u, int printed)
{
	size_t count[SUITE_STATES] = { 0 };

	for (size_t i = 0; i < u->n_runs; i++)
		count[u->runs[i].state]++;
	if (u->interrupted)
		return 128 + SIGINT;
	if (printed != EXIT_OK || count[SUITE_FAILED])
		return EXIT_FAILED;
	return count[SUITE_DONE] ? EXIT_OK : EXIT_NOT_HERE;
}

/* The options of a suite that is gone on with are its own. */
static int check_options(const struct suite_options *o, struct err *err)
{
	if (o->resume && (o->quick || o->no_model || o->no_sampling || o->energy || o->only ||
			  o->skip || o->output || o->time_s > 0 || o->reps))
		return err_set(err, -EINVAL, "--resume goes on by the options the suite was begun "
			       "with: only --quiet and --published apply");
	if (o->output && suite_is_folder(o->output))
		return err_set(err, -EEXIST, "'%s' holds a suite already, cpuprof suite --resume %s "
			       "goes on with it", o->output, o->output);
	return 0;
}

static void take_options(struct suite *u, const struct suite_options *o, const char *command,
			 const char *created)
{
	*u = (struct suite){ .quick = o->quick, .no_model = o->no_model,
			     .no_sampling = o->no_sampling, .energy = o->energy,
			     .time_s = o->time_s, .reps = o->reps };
	u->only = o->only ? xstrdup(o->only) : NULL;
	u->skip = o->skip ? xstrdup(o->skip) : NULL;
	u->command = xstrdup(command);
	u->created = xstrdup(created);
	u->version = xstrdup(PACKAGE_VERSION);
}

/* The suite, planned, in a folder that can be written. Exit code. */
static int begin(struct session *s, struct suite_options *o)
{
	char created[64], stamp[32];
	struct suite before = { 0 };
	struct err err = { 0 };
	int code = EXIT_OK;

	run_local_time(NULL, "created", "%Y-%m-%dT%H:%M:%S%z", created, sizeof(created));
	run_local_time(NULL, "stamp", "%Y%m%d-%H%M%S", stamp, sizeof(stamp));
	if (o->resume) {
		if (suite_load(o->resume, &before, &err) < 0)
			return cli_fail(&err, EXIT_FAILED);
		o->quick = before.quick;
		o->no_model = before.no_model;
		o->no_sampling = before.no_sampling;
		o->energy = before.energy;
		o->only = before.only;
		o->skip = before.skip;
		o->time_s = before.time_s;
		o->reps = before.reps;
	}
	take_options(&s->suite, o, o->resume ? before.command : s->cli->line,
		     o->resume ? before.created : created);
	s->suite.machine_line = xstrdup(s->now.machine_line);
	if (suite_plan(&s->suite, s->machine->n_allowed, &err) < 0) {
		code = cli_fail(&err, EXIT_USAGE);
		goto out;
	}
	s->dir = o->resume ? xstrdup(o->resume) :
		bundle_create(o->output ? o->output : "cpuprof-results", o->output != NULL, stamp,
			      "suite", &err);
	if (s->dir && o->resume)
		take_done(s, &before);
	if (!s->dir || suite_save(s->dir, &s->suite, &err) < 0)
		code = cli_fail(&err, EXIT_FAILED);
out:
	suite_release(&before);
	return code;
}

static int run(const struct command *c, struct cli *cli)
{
	struct suite_options o = { 0 };
	struct session s = { .cli = cli };
	struct err err = { 0 };
	int code = EXIT_OK, first = cli_options(c, cli, 0, &o, &code);

	if (first < 0)
		return code;
	if (first < cli->argc)
		err_set(&err, -EINVAL, "'%s' is one word too many", cli->argv[first]);
	else if (cli->flight)
		err_set(&err, -EINVAL, "a flight holds one run: record cpuprof WORKLOAD, not suite");
	else
		check_options(&o, &err);
	if (err.code)
		return cli_fail(&err, EXIT_USAGE);
	s.quiet = o.quiet;
	s.machine = xcalloc(1, sizeof(*s.machine));
	machine_read(s.machine, NULL);
	result_init(&s.now);
	run_describe_machine(&s.now, s.machine);
	cli_catch_signals();
	code = begin(&s, &o);
	if (code == EXIT_OK) {
		run_all(&s);
		code = print_and_save(&s);
		if (o.published && code == EXIT_OK && cli_print("\n") == EXIT_OK)
			code = cli_published();
		code = exit_code(&s.suite, code);
	}
	suite_release(&s.suite);
	result_release(&s.now);
	free(s.machine);
	free(s.dir);
	return code;
}

extern const struct command command_suite;
const struct command command_suite = {
	.name = "suite",
	.usage = "[options]",
	.summary = "Run the whole study, on one core and on all, in one table a group.",
	.details = "What is not installed is listed with its package, what fails with the reason,\n"
		   "and the rest goes on. \"cpuprof report DIR\" prints the tables again.",
	.options = options,
	.run = run,
};
