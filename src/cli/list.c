/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/report.h"
#include "src/cli/cli.h"
#include "workloads/workload.h"

#include <errno.h>
#include <string.h>

static const struct option_desc options[] = {
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static void list_workloads(struct buf *out)
{
	for (int i = 0; workloads[i]; i++) {
		const struct workload *w = workloads[i];

		buf_printf(out, "%-12s %s\n%-12s score in %s, %s %d-%d (default %d)", w->name,
			   w->summary, "", w->score_unit, w->variant_name, w->variant_min,
			   w->variant_max, w->variant_default);
		if (w->library)
			buf_printf(out, ", library %s (package %s)", w->library, w->package);
		buf_addc(out, '\n');
	}
}

static void list_reports(struct buf *out)
{
	for (int i = 0; reports[i]; i++)
		buf_printf(out, "%-12s %s\n", reports[i]->name, reports[i]->summary);
}

static int run(const struct command *c, struct cli *cli)
{
	struct buf out = BUF_INIT;
	struct err err = { 0 };
	char unused;
	int code = EXIT_OK, first = cli_options(c, cli, 0, &unused, &code);
	const char *what;

	if (first < 0)
		return code;
	what = first + 1 == cli->argc ? cli->argv[first] : "";
	if (!strcmp(what, "workloads"))
		list_workloads(&out);
	else if (!strcmp(what, "reports"))
		list_reports(&out);
	else {
		err_set(&err, -EINVAL, "list wants one of: workloads, reports");
		return cli_fail(&err, EXIT_USAGE);
	}
	code = cli_print(buf_str(&out));
	buf_release(&out);
	return code;
}

extern const struct command command_list;
const struct command command_list = {
	.name = "list",
	.usage = "workloads|reports",
	.summary = "List what there is to run, or the report formats.",
	.options = options,
	.run = run,
};
