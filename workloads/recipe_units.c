/* SPDX-License-Identifier: MIT */
/* The lines of a recipe that say what its work, its score and a right run are. */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/recipe.h"
#include "workloads/recipe_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A unit is a word of letters, digits and / % . - in it. */
static bool is_unit(const char *s, size_t max)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("/%.-_", s[i]))
			return false;
	return n > 0 && n < max && s[0] != '/' && s[n - 1] != '/';
}

static void set_text(char *out, size_t size, const char *s, size_t len)
{
	len = len < size ? len : size - 1;
	memcpy(out, s, len);
	out[len] = '\0';
}

/* "B" scores in MB/s, other work in "UNIT/s". */
static void work_unit(struct recipe *r, const char *unit)
{
	set_text(r->unit, sizeof(r->unit), unit, strlen(unit));
	r->score_scale = strcmp(unit, "B") ? 1 : 1e-6;
	set_text(r->score_unit, sizeof(r->score_unit), unit, strlen(unit));
	if (!strcmp(unit, "B"))
		set_text(r->score_unit, sizeof(r->score_unit), "MB/s", 4);
	else
		strcat(r->score_unit, "/s");
}

int recipe_parse_work(struct recipe *r, const struct recipe_words *w, struct err *err)
{
	const char *digits = w->n > 1 ? w->v[1].text : "";
	char *end;

	if (r->work > 0 || r->work_file)
		return recipe_bad(w, err, "the work stands here twice");
	if (recipe_wants(w, 2, "NUMBER UNIT", err) < 0 || recipe_plain(w, err) < 0)
		return err->code;
	r->work = strtod(digits, &end);
	if (strspn(digits, "0123456789.") != strlen(digits) || *end || end == digits ||
	    !(r->work > 0 && r->work < 9e15)) {
		r->work = 0;
		return recipe_bad(w, err, "'%s' is no number of operations above 0", digits);
	}
	if (!is_unit(w->v[2].text, sizeof(r->unit) - 2) || strchr(w->v[2].text, '/')) {
		r->work = 0;
		return recipe_bad(w, err, "'%s' is no unit: want a short word, B for bytes",
				  w->v[2].text);
	}
	work_unit(r, w->v[2].text);
	return 0;
}

int recipe_parse_work_file(struct recipe *r, const struct recipe_words *w, struct err *err)
{
	if (r->work > 0 || r->work_file)
		return recipe_bad(w, err, "the work stands here twice");
	if (recipe_wants(w, 1, "FILE", err) < 0)
		return err->code;
	if (!w->v[1].text[0] || recipe_has(w->v[1].text, "\1"))
		return recipe_bad(w, err, "work-file wants a file, the same for every number of threads");
	r->work_file = xstrdup(w->v[1].text);
	work_unit(r, "B");
	return 0;
}

/* One number in it and nothing that means nothing. */
static bool is_pattern(const char *s)
{
	int numbers = 0;

	for (; *s; s++) {
		if (*s != '%')
			continue;
		s++;
		numbers += *s == 'f';
		if (!*s || !strchr("f*%", *s))
			return false;
	}
	return numbers == 1;
}

static int parse_pattern(struct recipe *r, const struct recipe_words *w, enum recipe_score kind,
			 struct err *err)
{
	if (r->pattern)
		return recipe_bad(w, err, "there is a pattern above, in line %d", r->pattern_line);
	if (recipe_plain(w, err) < 0)
		return err->code;
	if (!is_pattern(w->v[1].text))
		return recipe_bad(w, err, "'%.80s' is no pattern: want text with one %%f where the "
				  "number stands, %%* for any text, %%%% for a percent sign", w->v[1].text);
	r->pattern = xstrdup(w->v[1].text);
	r->pattern_line = w->line;
	r->score = kind;
	return 0;
}

/* A score in bytes a second counts bytes; others count what stands before "/s". */
int recipe_parse_score(struct recipe *r, const struct recipe_words *w, struct err *err)
{
	static const struct { const char *unit; double bytes; } rates[] = {
		{ "B/s", 1 }, { "kB/s", 1e3 }, { "MB/s", 1e6 }, { "GB/s", 1e9 },
		{ "KiB/s", 1024 }, { "MiB/s", 1048576 }, { "GiB/s", 1073741824 },
	};
	const char *unit = w->n == 3 ? w->v[2].text : "";
	size_t n = strlen(unit);

	if (recipe_wants(w, 2, "\"PATTERN\" UNIT", err) < 0 || parse_pattern(r, w, RECIPE_RATE, err) < 0)
		return err->code;
	if (!is_unit(unit, sizeof(r->score_unit)))
		return recipe_bad(w, err, "'%s' is no unit: want a short word, like MB/s", unit);
	set_text(r->score_unit, sizeof(r->score_unit), unit, n);
	set_text(r->unit, sizeof(r->unit), "op", 2);
	if (n > 2 && !strcmp(unit + n - 2, "/s"))
		set_text(r->unit, sizeof(r->unit), unit, n - 2);
	r->score_scale = 1;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (!strcmp(unit, rates[i].unit)) {
			set_text(r->unit, sizeof(r->unit), "B", 1);
			r->score_scale = 1 / rates[i].bytes;
		}
	return 0;
}

int recipe_parse_expected(struct recipe *r, const struct recipe_words *w, struct err *err)
{
	char *end;

	if (recipe_wants(w, 1, "one word", err) < 0 || recipe_plain(w, err) < 0)
		return err->code;
	if (!strcmp(w->v[0].text, "expect-exit")) {
		long v = strtol(w->v[1].text, &end, 10);

		if (!isdigit((unsigned char)w->v[1].text[0]) || *end || v > 255)
			return recipe_bad(w, err, "'%s' is no exit status", w->v[1].text);
		r->expect_exit = (int)v;
		return 0;
	}
	if (strlen(w->v[1].text) != 64 || strspn(w->v[1].text, "0123456789abcdefABCDEF") != 64)
		return recipe_bad(w, err, "'%.80s' is no SHA-256: want 64 hexadecimal digits",
				  w->v[1].text);
	for (size_t i = 0; i < 64; i++)
		r->sha256[i] = (char)tolower((unsigned char)w->v[1].text[i]);
	return 0;
}

int recipe_parse_seconds(struct recipe *r, const struct recipe_words *w, struct err *err)
{
	return recipe_wants(w, 1, "\"PATTERN\"", err) < 0 ? err->code :
		parse_pattern(r, w, RECIPE_SECONDS, err);
}

void recipe_count_runs(struct recipe *r)
{
	r->work = 1;
	work_unit(r, "run");
	set_text(r->score_unit, sizeof(r->score_unit), "runs/s", 6);
}
