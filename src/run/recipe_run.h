/*
 * recipe_run.h - the commands of a workload in a text file: its scratch folder and
 * set-up before the passes, what holds its run to its word after each, and what is
 * put away in the end. pass_command.c runs and measures the run itself.
 */
#ifndef CPUPROF_RUN_RECIPE_RUN_H
#define CPUPROF_RUN_RECIPE_RUN_H

#include "src/run/child.h"
#include "src/run/measure.h"
#include "src/run/scratch.h"
#include "workloads/recipe.h"

struct recipe_run {
	const struct recipe *recipe;	/* borrowed */
	struct scratch scratch;
	double work;			/* operations of a run; 0: its output tells */
	bool set_up;			/* it was begun: teardown is due */
};

/* A command with all places filled, and its files opened. */
struct recipe_call {
	char **argv, **env;		/* owned, end with NULL */
	char *output;			/* file that its standard output goes to, or NULL */
	int in, out;			/* 0: none */
};

/* Makes the scratch folder and runs set-up; says in result what is to be run.
 * -EINTR when stopped. Paired with recipe_end(), also when it fails. */
int recipe_begin(struct measure *m, struct result *result, struct err *err);
/* Runs teardown and removes the folder. rc is what the run came to; an error of
 * teardown is the result only where there was none. */
int recipe_end(struct measure *m, int rc, struct err *err);

/* The run, for so many threads, ready for child_start(): how gets what is to be
 * set there, borrowed until recipe_close(). */
int recipe_open(struct measure *m, int threads, struct recipe_call *c, struct child_how *how,
		struct err *err);
void recipe_close(struct recipe_call *c);
/* recipe_check.c. After a run of wall_s that ended with status: was it right? *ops: the operations
 * done, or, where the command gives its own score, that score by wall_s. */
int recipe_check(struct measure *m, int threads, const struct recipe_call *c, int status,
		 double wall_s, double *ops, struct err *err);

/* A command that is not measured, to its end; keep: a file for its standard output
 * where it names none, or NULL; stopping: it runs although cpuprof is to stop. */
int recipe_aside(struct measure *m, const struct recipe_command *c, int threads,
		 const char *what, const char *keep, bool stopping, struct err *err);
/* "FILE:LINE: WHAT: 'CMD' ended with status 2, not 0". */
int recipe_wrong_status(struct measure *m, int line, const char *what, const char *command,
			int status, int want, struct err *err);

#endif
