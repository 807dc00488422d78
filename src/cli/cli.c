/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/cli/cli.h"
#include "reports/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COMMAND(name) extern const struct command command_##name;
#include "src/cli/list.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "src/cli/list.def"
#undef COMMAND
	NULL
};

int cli_fail(const struct err *err, int code)
{
	fprintf(stderr, "cpuprof: %s\n", err->msg);
	return code;
}

void cli_help(const struct command *c, struct buf *out)
{
	buf_printf(out, "usage: cpuprof %s %s\n\n%s\n", c->name, c->usage, c->summary);
	if (c->details)
		buf_printf(out, "\n%s\n", c->details);
	if (c->options[0].name)
		buf_adds(out, "\noptions\n");
	options_help(c->options, out);
}

int cli_options(const struct command *c, struct cli *cli, int stop_at_operand, void *out,
		int *code)
{
	struct err err = { 0 };
	int first = options_parse(c->options, cli->argc, cli->argv, stop_at_operand, out, &err);
	struct buf b = BUF_INIT;

	if (first >= 0)
		return first;
	if (first == -ECANCELED) {
		cli_help(c, &b);
		*code = cli_print(buf_str(&b));
		buf_release(&b);
	} else {
		*code = cli_fail(&err, EXIT_USAGE);
	}
	return -1;
}

int cli_print(const char *text)
{
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return EXIT_OK;
	if (errno != EPIPE)
		fprintf(stderr, "cpuprof: cannot write to standard output: %s\n", strerror(errno));
	return EXIT_FAILED;
}

void cli_style(struct report_style *s, int limit)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	const char *locale = getenv("LC_ALL");
	struct winsize w;

	if (!locale || !*locale)
		locale = getenv("LC_CTYPE");
	if (!locale || !*locale)
		locale = getenv("LANG");
	s->utf8 = locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8"));
	s->limit = limit;
	s->width = 80;
	s->color = isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
		term && strcmp(term, "dumb");
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 &&
	    w.ws_col > 80)
		s->width = w.ws_col < 132 ? w.ws_col : 132;
}

int cli_published(void)
{
	struct reference r = { .n_rows = 0 };
	struct report_style style;
	struct buf out = BUF_INIT;
	struct err err = { 0 };
	int code;

	if (reference_load(&r, "2017.ref", &err) < 0)
		return cli_fail(&err, EXIT_FAILED);
	cli_style(&style, 0);
	report_find("terminal")->reference(&r, &style, &out);
	code = cli_print(buf_str(&out));
	buf_release(&out);
	reference_release(&r);
	return code;
}
