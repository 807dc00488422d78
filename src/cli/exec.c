/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/cli/run.h"

#include <errno.h>

static const struct option_desc options[] = {
	RUN_COMMON_OPTIONS,
	RUN_OPTION("show-output", 0, OPTION_FLAG, show_output, NULL,
		   "let the command write to standard output"),
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static int run(const struct command *c, struct cli *cli)
{
	struct run_options o = { 0 };
	struct measure m = { 0 };
	struct err err = { 0 };
	int code = EXIT_OK, first = cli_options(c, cli, 1, &o, &code);

	if (first < 0)
		return code;
	if (first >= cli->argc) {
		err_set(&err, -EINVAL, "exec wants a command: cpuprof exec -- CMD [ARG...]");
		return cli_fail(&err, EXIT_USAGE);
	}
	m.command = cli->argv + first;
	m.show_output = o.show_output;
	return run_and_report(cli, &o, &m);
}

extern const struct command command_exec;
const struct command command_exec = {
	.name = "exec",
	.usage = "[options] -- CMD [ARG...]",
	.summary = "Run a command several times and report its run time with the causes.",
	.details = "The command's input is empty and its output dropped unless --show-output is\n"
		   "given. cpuprof ends with the status of its last run.",
	.options = options,
	.run = run,
};
