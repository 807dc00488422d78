/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/options.h"
#include "src/base/mem.h"
#include "src/base/units.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_desc *find(const struct option_desc *rows, const char *arg)
{
	const char *eq = strchr(arg, '=');
	size_t len = eq ? (size_t)(eq - arg) : strlen(arg);

	for (; rows->name; rows++) {
		if (!strncmp(arg, "--", 2) && strlen(rows->name) == len - 2 &&
		    !strncmp(rows->name, arg + 2, len - 2))
			return rows;
		if (rows->letter && arg[1] == rows->letter && arg[2] == '\0')
			return rows;
	}
	return NULL;
}

static int unknown(const struct option_desc *rows, const char *arg, struct err *err)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (; rows->name && n + 1 < ARRAY_SIZE(names); rows++)
		names[n++] = rows->name;
	names[n] = NULL;
	near = options_nearest(arg + strspn(arg, "-"), names);
	return err_set(err, -EINVAL, near ? "unknown option '%s', did you mean '--%s'?" :
		       "unknown option '%s', see --help", arg, near);
}

static int store(const struct option_desc *row, const char *value, void *out, struct err *err)
{
	void *p = (char *)out + row->offset;
	struct option_list *list = p;
	double t;
	long l;
	char *end;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)p = true;
		return 0;
	case OPTION_STRING:
		*(const char **)p = value;
		return 0;
	case OPTION_STRINGS:
		if (list->n == (int)ARRAY_SIZE(list->v))
			return err_set(err, -EINVAL, "option '--%s' was given more than %d times",
				       row->name, list->n);
		list->v[list->n++] = value;
		return 0;
	case OPTION_INT:
		errno = 0;
		l = strtol(value, &end, 10);
		if (end == value || *end || errno || l < 0 || l > INT_MAX)
			return err_set(err, -EINVAL, "option '--%s' wants a whole number, not '%s'",
				       row->name, value);
		*(int *)p = (int)l;
		return 0;
	case OPTION_TIME:
		t = units_parse_time(value);
		if (t < 0)
			return err_set(err, -EINVAL,
				       "option '--%s' wants a time like 20, 500ms or 2m, not '%s'",
				       row->name, value);
		*(double *)p = t;
		return 0;
	}
	return 0;
}

int options_parse(const struct option_desc *rows, int argc, char **argv,
		  int stop_at_operand, void *out, struct err *err)
{
	char **operands = xcalloc((size_t)argc + 1, sizeof(*operands));
	int n = 0, i, rc = 0;

	for (i = 1; i < argc && rc == 0; i++) {
		const struct option_desc *row;
		const char *value;

		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (argv[i][0] != '-' || argv[i][1] == '\0') {
			if (stop_at_operand)
				break;
			operands[n++] = argv[i];
			continue;
		}
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			rc = -ECANCELED;
			break;
		}
		row = find(rows, argv[i]);
		if (!row) {
			rc = unknown(rows, argv[i], err);
			break;
		}
		value = argv[i][1] == '-' ? strchr(argv[i], '=') : NULL;
		if (value)
			value++;
		if (row->kind == OPTION_FLAG && value)
			rc = err_set(err, -EINVAL, "option '--%s' takes no value", row->name);
		else if (row->kind != OPTION_FLAG && !value && i + 1 == argc)
			rc = err_set(err, -EINVAL, "option '--%s' wants %s", row->name, row->arg);
		else
			rc = store(row, value || row->kind == OPTION_FLAG ? value : argv[++i],
				   out, err);
	}
	if (rc == 0) {
		/* Operands seen so far go in front of what is left. */
		rc = i - n;
		memcpy(argv + rc, operands, (size_t)n * sizeof(*operands));
	}
	free(operands);
	return rc;
}

void options_help(const struct option_desc *rows, struct buf *out)
{
	for (; rows->name; rows++) {
		char head[64];
		const char *h = rows->help;
		size_t col = 30;
		int n = snprintf(head, sizeof(head), "  %c%c%s--%s%s%s", rows->letter ? '-' : ' ',
				 rows->letter ? rows->letter : ' ', rows->letter ? ", " : "  ",
				 rows->name, rows->arg ? " " : "", rows->arg ? rows->arg : "");

		buf_printf(out, n < 29 ? "%-30s" : "%s\n                              ", head);
		/* Fold the help text at 80 columns. */
		while (*h) {
			size_t word = strcspn(h, " ");

			if (col > 30 && col + 1 + word > 79) {
				buf_adds(out, "\n                              ");
				col = 30;
			} else if (col > 30) {
				buf_addc(out, ' ');
				col++;
			}
			buf_add(out, h, word);
			col += word;
			h += word;
			h += strspn(h, " ");
		}
		buf_addc(out, '\n');
	}
}

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[64], la = strlen(a), lb = strlen(b);

	if (la >= 64 || lb >= 64)
		return SIZE_MAX;	/* nothing is alike */
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diag = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = diag + (a[i - 1] != b[j - 1]);

			diag = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

const char *options_nearest(const char *word, const char *const *candidates)
{
	const char *best = NULL;
	size_t best_d = strlen(word) / 3 + 2;

	for (; *candidates; candidates++) {
		size_t d = edit_distance(word, *candidates);

		if (d < best_d) {
			best_d = d;
			best = *candidates;
		}
	}
	return best;
}
