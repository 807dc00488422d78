/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/report.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/cli/cli.h"
#include "src/machine/machine.h"
#include "src/result/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct report_options {
	const char *format;
	int limit;
	bool json, no_insns, explain;
};

static const struct option_desc options[] = {
	{ "format", 'f', OPTION_STRING, offsetof(struct report_options, format), "NAME",
	  "one of \"cpuprof list reports\" (default terminal)" },
	{ "json", 'j', OPTION_FLAG, offsetof(struct report_options, json), NULL,
	  "the same as --format json" },
	{ "limit", 'n', OPTION_INT, offsetof(struct report_options, limit), "N",
	  "at most N functions" },
	{ "explain", 'x', OPTION_FLAG, offsetof(struct report_options, explain), NULL,
	  "show formulas of metrics, and each of many rows in full" },
	{ "no-instructions", 0, OPTION_FLAG, offsetof(struct report_options, no_insns), NULL,
	  "leave out the hottest instructions of a recording" },
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

/* A recording begins with perf's magic, in either byte order. */
static bool is_recording(const char *path)
{
	char magic[8] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool yes;

	if (fd < 0)
		return false;
	yes = io_read(fd, magic, 8) == 8 && (!memcmp(magic, "PERFILE2", 8) ||
		!memcmp(magic, "2ELIFREP", 8) || !memcmp(magic, "PERFFILE", 8));
	close(fd);
	return yes;
}

static int report_recording(struct cli *cli, const char *path, const struct report *fmt,
			    const struct report_style *style, bool insns)
{
	struct machine *m = xcalloc(1, sizeof(*m));
	struct profile_options o = { .insns = insns, .branches = insns, .flight = cli->flight };
	struct buf out = BUF_INIT;
	struct err err = { 0 };
	struct profile p;
	int code;

	machine_read(m, cli->flight);
	o.hostname = m->hostname;
	o.release = m->kernel;
	if (profile_read(&p, path, &o, &err) < 0) {
		free(m);
		return cli_fail(&err, EXIT_FAILED);
	}
	fmt->profile(&p, path, style, &out);
	code = cli_print(buf_str(&out));
	buf_release(&out);
	profile_release(&p);
	free(m);
	return code;
}

static int report_result(const char *path, const struct report *fmt,
			 const struct report_style *style)
{
	struct buf out = BUF_INIT;
	struct err err = { 0 };
	struct result r;
	int code;

	if (bundle_load(path, &r, &err) < 0)
		return cli_fail(&err, EXIT_FAILED);
	fmt->result(&r, style, &out);
	code = cli_print(buf_str(&out));
	buf_release(&out);
	result_release(&r);
	return code;
}

/* A run whose folder is gone has a line that says so. */
static int report_suite(const char *dir, const struct report *fmt,
			const struct report_style *style)
{
	struct suite u = { .version = NULL };
	struct buf out = BUF_INIT;
	struct err err = { 0 };
	int code;

	if (suite_load(dir, &u, &err) < 0)
		return cli_fail(&err, EXIT_FAILED);
	for (size_t i = 0; i < u.n_runs; i++)
		if (u.runs[i].state == SUITE_DONE && suite_load_result(dir, &u.runs[i], &err) < 0)
			u.runs[i].unread = xstrdup(err.msg);
	fmt->suite(&u, style, &out);
	code = cli_print(buf_str(&out));
	buf_release(&out);
	suite_release(&u);
	return code;
}

static int run(const struct command *c, struct cli *cli)
{
	struct report_options o = { 0 };
	const struct report *fmt;
	struct report_style style;
	struct err err = { 0 };
	const char *path;
	struct stat st;
	bool suite;
	int code = EXIT_OK, first = cli_options(c, cli, 0, &o, &code);

	if (first < 0)
		return code;
	if (first + 1 != cli->argc) {
		err_set(&err, -EINVAL, "report wants one folder, result.json or recording");
		return cli_fail(&err, EXIT_USAGE);
	}
	path = cli->argv[first];
	fmt = report_find(o.json ? "json" : o.format ? o.format : "terminal");
	if (!fmt) {
		err_set(&err, -EINVAL, "no report format '%s', see cpuprof list reports", o.format);
		return cli_fail(&err, EXIT_USAGE);
	}
	if (stat(path, &st) < 0) {
		err_set(&err, -errno, "cannot read '%s': %s", path, strerror(errno));
		return cli_fail(&err, EXIT_FAILED);
	}
	cli_style(&style, o.limit);
	style.explain = o.explain;
	suite = S_ISDIR(st.st_mode) && suite_is_folder(path);
	if (suite ? !fmt->suite : is_recording(path) ? !fmt->profile : !fmt->result) {
		err_set(&err, -EINVAL, "format '%s' has nothing to show of '%s'", fmt->name, path);
		return cli_fail(&err, EXIT_USAGE);
	}
	if (suite)
		return report_suite(path, fmt, &style);
	return is_recording(path) ? report_recording(cli, path, fmt, &style, !o.no_insns) :
		report_result(path, fmt, &style);
}

extern const struct command command_report;
const struct command command_report = {
	.name = "report",
	.usage = "[options] DIR|result.json|perf.data",
	.summary = "Show a saved result, or a recording made by cpuprof or perf.",
	.options = options,
	.run = run,
};
