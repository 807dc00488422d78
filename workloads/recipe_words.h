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
/* Does one of these bytes of enum recipe_place stand in a word? */
bool recipe_has(const char *word, const char *places);
/* No word of the line has a place: it is no command. */
int recipe_plain(const struct recipe_words *w, struct err *err);
/* n words behind the directive, called what. */
int recipe_wants(const struct recipe_words *w, int n, const char *what, struct err *err);

/* recipe_units.c: a line each. */
struct recipe;
int recipe_parse_work(struct recipe *r, const struct recipe_words *w, struct err *err);
int recipe_parse_work_file(struct recipe *r, const struct recipe_words *w, struct err *err);
int recipe_parse_score(struct recipe *r, const struct recipe_words *w, struct err *err);
int recipe_parse_seconds(struct recipe *r, const struct recipe_words *w, struct err *err);
int recipe_parse_expected(struct recipe *r, const struct recipe_words *w, struct err *err);
/* Where nothing is said of it: a run is the work. */
void recipe_count_runs(struct recipe *r);

#endif
