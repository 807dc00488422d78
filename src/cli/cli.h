/*
 * cli.h - the commands. One file per command with, last, one const descriptor,
 * registered in src/cli/list.def. The only code that prints errors or exits.
 */
#ifndef CPUPROF_CLI_CLI_H
#define CPUPROF_CLI_CLI_H

#include "src/base/err.h"
#include "src/base/flight.h"
#include "src/base/options.h"

#include <signal.h>

struct cli {
	unsigned long fd_limit;		/* soft limit cpuprof was started with, 0 unknown */
	int argc;
	char **argv;			/* argv[0] is the command's name */
	char *line;			/* the whole command line, for documents */
	struct flight *flight;		/* NULL in an ordinary run */
	const volatile sig_atomic_t *stop;	/* by SIGINT and SIGTERM, see src/run/child.h */
};

struct command {
	const char *name;
	const char *usage;		/* "[options] FILE" */
	const char *summary;
	const char *details;		/* a paragraph more for -h, or NULL */
	const struct option_desc *options;	/* ends with a NULL name */
	int (*run)(const struct command *c, struct cli *cli);	/* exit code */
};

extern const struct command *const commands[];	/* NULL-terminated */

/* "cpuprof: sentence" on standard error; returns code. */
int cli_fail(const struct err *err, int code);
/* Parses cli's options by the command's table into out. Returns the index of
 * the first operand, or -1 with *code set (help was printed, or a usage error
 * was said). */
int cli_options(const struct command *c, struct cli *cli, int stop_at_operand, void *out,
		int *code);
void cli_help(const struct command *c, struct buf *out);
/* Writes text to standard output; EXIT_FAILED when it cannot (full disk). */
int cli_print(const char *text);
/* Prints what was published elsewhere, with its sources. Exit code. */
int cli_published(void);
/* Signals the stop flag may come from. */
void cli_catch_signals(void);

struct report_style;
void cli_style(struct report_style *s, int limit);

/* The run of a workload ("cpuprof gzip:1-9"); "exec" and "run" share its rest. */
int cli_run_workload(struct cli *cli);
extern const struct command command_workload;
/* The run of a workload in a text file. -ENOENT: there is none of that name. */
int cli_run_recipe(struct cli *cli, int *code);
extern const struct command command_recipe;

#endif
