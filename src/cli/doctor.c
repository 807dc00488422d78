/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/report.h"
#include "src/base/mem.h"
#include "src/cli/cli.h"
#include "src/run/doctor.h"

#include <errno.h>
#include <stdlib.h>

struct doctor_options { bool json; };

static const struct option_desc options[] = {
	{ "json", 'j', OPTION_FLAG, offsetof(struct doctor_options, json), NULL,
	  "print JSON instead of text" },
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static int run(const struct command *c, struct cli *cli)
{
	struct doctor_options o = { 0 };
	struct machine *m;
	struct doctor d = { 0 };
	struct report_style style;
	struct buf out = BUF_INIT;
	struct err err = { 0 };
	int code = EXIT_OK, first = cli_options(c, cli, 0, &o, &code);

	if (first < 0)
		return code;
	if (first < cli->argc) {
		err_set(&err, -EINVAL, "'%s' is one word too many", cli->argv[first]);
		return cli_fail(&err, EXIT_USAGE);
	}
	m = xcalloc(1, sizeof(*m));
	machine_read(m, cli->flight);
	doctor_examine(&d, cli->flight, m);
	cli_style(&style, 0);
	report_find(o.json ? "json" : "terminal")->doctor(&d, &style, &out);
	code = cli_print(buf_str(&out));
	buf_release(&out);
	doctor_release(&d);
	free(m);
	return code;
}

extern const struct command command_doctor;
const struct command command_doctor = {
	.name = "doctor",
	.usage = "[options]",
	.summary = "Show what can be measured here, what cannot, why, and how to.",
	.options = options,
	.run = run,
};
