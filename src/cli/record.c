/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/mem.h"
#include "src/cli/cli.h"
#include "src/machine/machine.h"
#include "src/run/sampling.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

struct record_options {
	const char *output;
	int rate;
};

static const struct option_desc options[] = {
	{ "output", 'o', OPTION_STRING, offsetof(struct record_options, output), "FILE",
	  "the recording (default perf.data)" },
	{ "rate", 'F', OPTION_INT, offsetof(struct record_options, rate), "HZ",
	  "samples a second and CPU (default 3999)" },
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

/* Once it has begun, the command runs to its end whatever happens to the recording. */
static int record(struct cli *cli, char *const *command, const struct record_options *o,
		  struct sampling *s, struct child_usage *usage, struct err *err)
{
	const struct child_how how = { .show_output = true, .fd_limit = cli->fd_limit };
	const struct sampling_how sample = { .rate_hz = o->rate ? o->rate : 3999, .from_exec = true,
					     .path = o->output ? o->output : "perf.data" };
	struct machine *m = xcalloc(1, sizeof(*m));
	struct child c;
	int rc;

	machine_read(m, cli->flight);
	cli_catch_signals();
	rc = child_start(&c, cli->flight, cli->stop, command, &how, err);
	if (rc == 0)
		rc = sampling_open(s, cli->flight, m, c.pid, &sample, err);
	if (rc == 0) {
		rc = child_release(&c, err);
		if (rc < 0)
			err_prefix(err, "'%s'", command[0]);
	}
	while (rc == 0 && !sampling_poll(s, child_fd(&c), 100))
		child_pass_signals(&c);
	child_wait(&c, rc < 0, usage);
	if (rc == 0)
		rc = sampling_finish(s, command, err);
	free(m);
	return rc;
}

static int run(const struct command *c, struct cli *cli)
{
	struct record_options o = { 0 };
	struct sampling s = { 0 };
	struct child_usage usage = { 0 };
	struct err err = { 0 };
	int code = EXIT_OK, first = cli_options(c, cli, 1, &o, &code), rc;

	if (first < 0)
		return code;
	if (first >= cli->argc) {
		err_set(&err, -EINVAL, "record wants a command: cpuprof record -- CMD [ARG...]");
		return cli_fail(&err, EXIT_USAGE);
	}
	rc = record(cli, cli->argv + first, &o, &s, &usage, &err);
	if (rc < 0) {
		code = cli_fail(&err, s.closed ? EXIT_NOT_HERE : EXIT_FAILED);
	} else {
		fprintf(stderr, "recorded %s at %d Hz%s%s%s in %s\n", s.event, s.rate_hz,
			s.reason[0] ? " (" : "", s.reason, s.reason[0] ? ")" : "",
			o.output ? o.output : "perf.data");
		code = WIFEXITED(usage.status) ? WEXITSTATUS(usage.status) :
			128 + WTERMSIG(usage.status);
	}
	sampling_release(&s);
	return code;
}

extern const struct command command_record;
const struct command command_record = {
	.name = "record",
	.usage = "[options] -- CMD [ARG...]",
	.summary = "Sample a command, with call chains, into a perf.data file.",
	.details = "The best event that opens is used: hardware cycles, else cpu-clock. perf\n"
		   "report, perf script and cpuprof report read the file. cpuprof ends with the\n"
		   "status of the command.",
	.options = options,
	.run = run,
};
