/*
 * options.h - one table per command gives parsing, -h, and the text the
 * manual page is checked against.
 */
#ifndef CPUPROF_BASE_OPTIONS_H
#define CPUPROF_BASE_OPTIONS_H

#include "src/base/buf.h"
#include "src/base/err.h"

#include <stddef.h>

enum option_kind {
	OPTION_FLAG,		/* bool; --no-NAME in the table is its own row */
	OPTION_STRING,		/* const char *, borrowed from argv */
	OPTION_STRINGS,		/* struct option_list, may be repeated */
	OPTION_INT,		/* int */
	OPTION_TIME,		/* double, seconds */
};

struct option_list {
	const char *v[16];
	int n;
};

struct option_desc {
	const char *name;	/* without the dashes */
	char letter;		/* one-letter form, or 0 */
	enum option_kind kind;
	size_t offset;		/* into the command's struct */
	const char *arg;	/* name of the value, NULL for flags */
	const char *help;
};

/* Parse argv[1..] into out. Options end at "--" or, with stop_at_operand, at
 * the first operand; else operands may stand between options and are moved to
 * the end. Returns the index of the first operand, or -EINVAL. --help and -h
 * are accepted everywhere and returned as -ECANCELED. rows ends with a row
 * whose name is NULL. */
int options_parse(const struct option_desc *rows, int argc, char **argv,
		  int stop_at_operand, void *out, struct err *err);

/* The rows as aligned text of at most 80 columns. */
void options_help(const struct option_desc *rows, struct buf *out);

/* The candidate nearest to word by edit distance, NULL if none is near. The
 * list ends with NULL. */
const char *options_nearest(const char *word, const char *const *candidates);

#endif
