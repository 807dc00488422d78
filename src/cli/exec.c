/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/cli/run.h"

#include <errno.h>
#include <string.h>

static const struct option_desc options[] = {
	RUN_COMMON_OPTIONS,
	RUN_OPTION("show-output", 0, OPTION_FLAG, show_output, NULL,
		   "let the command write to standard output"),
	RUN_OPTION("once", 0, OPTION_FLAG, once, NULL,
		   "it can run only once: no sampling, all events share the counters in that run"),
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
	if (o.versus) {
		m.versus.command = m.command;
		if (!run_versus_env(o.versus, &m.versus)) {
			err_set(&err, -EINVAL, "'--versus %s': want VAR=VALUE; another command goes "
				"behind the first: exec -- A --versus B", o.versus);
			return cli_fail(&err, EXIT_USAGE);
		}
	}
	for (char **a = cli->argv + first; *a; a++)
		if (!strcmp(*a, "--versus") && a[1]) {
			if (m.versus.command && o.versus) {
				err_set(&err, -EINVAL, "--versus was given twice");
				return cli_fail(&err, EXIT_USAGE);
			}
			*a = NULL;	/* ends the first command */
			m.versus.command = a + 1;
			m.versus.label = a[1];
			break;
		}
	return run_and_report(cli, &o, &m);
}

extern const struct command command_exec;
const struct command command_exec = {
	.name = "exec",
	.usage = "[options] -- CMD [ARG...] [--versus CMD2 [ARG...]]",
	.summary = "Run a command and report its run time with the causes.",
	.details = "The command's input is empty and its output dropped unless --show-output is\n"
		   "given. cpuprof ends with the status of its last run. With a second command, or\n"
		   "--versus VAR=VALUE, the two run in rounds A B B A and the faster one is named.",
	.options = options,
	.run = run,
};
