/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/recipe_words.h"
#include "src/base/mem.h"
#include "workloads/recipe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int recipe_bad(const struct recipe_words *w, struct err *err, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(err, -EINVAL, "%.300s:%d: %s", w->file, w->line, text);
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* "{dir}" and the like at p: how long it is, its byte in *byte. 0: no place; -1:
 * it looks like one. */
static int place(const char *p, const char *end, char *byte)
{
	static const struct { const char *text; enum recipe_place place; } places[] = {
		{ "{threads}", RECIPE_THREADS }, { "{dir}", RECIPE_DIR }, { "{here}", RECIPE_HERE },
	};
	const char *q = p + 1;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t n = strlen(places[i].text);

		if ((size_t)(end - p) >= n && !strncmp(p, places[i].text, n)) {
			*byte = (char)places[i].place;
			return (int)n;
		}
	}
	while (q < end && *q >= 'a' && *q <= 'z')
		q++;
	return q > p + 1 && q < end && *q == '}' ? -1 : 0;
}

/* One word from p on into *out; the end of what was read, NULL when wrong. */
static const char *read_word(struct recipe_words *w, const char *p, const char *end,
			     char **out, struct err *err)
{
	char quote = 0, byte;
	int n;

	w->v[w->n].text = *out;
	w->v[w->n].bare = true;
	for (; p < end && (quote || !blank(*p)); p++) {
		if (quote ? *p == quote : *p == '"' || *p == '\'') {
			quote = quote ? 0 : *p;
			w->v[w->n].bare = false;
			continue;
		}
		if (quote == '"' && *p == '\\' && p + 1 < end && (p[1] == '"' || p[1] == '\\'))
			p++;
		else if (*p == '{' && quote != '\'') {
			n = place(p, end, &byte);
			if (n < 0) {
				recipe_bad(w, err, "'%.*s' is none of {threads}, {dir}, {here}; text "
					   "with braces goes into '...'", (int)(strcspn(p, "}") + 1), p);
				return NULL;
			}
			if (n > 0) {
				*(*out)++ = byte;
				p += n - 1;
				continue;
			}
		}
		*(*out)++ = *p;
	}
	if (quote) {
		recipe_bad(w, err, "a quote is not closed");
		return NULL;
	}
	*(*out)++ = '\0';
	w->n++;
	return p;
}

int recipe_split(struct recipe_words *w, const char *line, size_t len, struct err *err)
{
	const char *p = line, *end = line + len;
	char *out = w->room;

	w->n = 0;
	if (len >= RECIPE_LINE)
		return recipe_bad(w, err, "the line is longer than %d bytes", RECIPE_LINE - 1);
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)line[i] < ' ' && !blank(line[i])) || line[i] == 0x7f)
			return recipe_bad(w, err, "byte 0x%02x is no text", (unsigned char)line[i]);
	for (;;) {
		while (p < end && blank(*p))
			p++;
		if (p == end || *p == '#')
			return 0;
		if (w->n == RECIPE_WORDS)
			return recipe_bad(w, err, "more than %d words", RECIPE_WORDS);
		p = read_word(w, p, end, &out, err);
		if (!p)
			return -EINVAL;
	}
}

bool recipe_has(const char *word, const char *places)
{
	return strpbrk(word, places) != NULL;
}

int recipe_plain(const struct recipe_words *w, struct err *err)
{
	for (int i = 1; i < w->n; i++)
		if (recipe_has(w->v[i].text, "\1\2\3"))
			return recipe_bad(w, err, "{threads}, {dir} and {here} have no place in '%s'",
					  w->v[0].text);
	return 0;
}

int recipe_wants(const struct recipe_words *w, int n, const char *what, struct err *err)
{
	return w->n == n + 1 ? 0 : recipe_bad(w, err, "%s wants %s", w->v[0].text, what);
}
