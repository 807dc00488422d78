/*
 * recipe_words.h - the words of a line of a recipe. Private to recipe*.c.
 */
#ifndef CPUPROF_WORKLOADS_RECIPE_WORDS_H
#define CPUPROF_WORKLOADS_RECIPE_WORDS_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define RECIPE_WORDS 128
#define RECIPE_LINE 4096

struct recipe_words {
	const char *file;
	int line;
	int n;
	struct { char *text; bool bare; } v[RECIPE_WORDS];	/* bare: without quotes */
	char room[2 * RECIPE_LINE];
};

/* Blanks part words; "..." and '...' keep them together; # begins a comment. In
 * '...' nothing has a meaning, in "..." a \ stands before " and \. */
int recipe_split(struct recipe_words *w, const char *line, size_t len, struct err *err);
/* "FILE:LINE: sentence". */
int recipe_bad(const struct recipe_words *w, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
