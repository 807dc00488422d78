/* SPDX-License-Identifier: MIT */
/* Words with their places filled, and the number in a command's output. */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "workloads/recipe.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 4096

char *recipe_fill(const char *word, const struct recipe_values *v)
{
	struct buf b = BUF_INIT;

	for (; *word; word++)
		switch (*word) {
		case RECIPE_THREADS: buf_adds(&b, v->threads); break;
		case RECIPE_DIR: buf_adds(&b, v->dir); break;
		case RECIPE_HERE: buf_adds(&b, v->here); break;
		default: buf_addc(&b, *word);
		}
	return b.data ? buf_detach(&b) : xstrdup("");
}

char **recipe_argv(const struct recipe_command *c, const struct recipe_values *v)
{
	size_t n = 0;
	char **argv;

	while (c->argv[n])
		n++;
	argv = xcalloc(n + 1, sizeof(*argv));
	for (size_t i = 0; i < n; i++)
		argv[i] = recipe_fill(c->argv[i], v);
	return argv;
}

static void add_word(struct buf *b, const char *before, const char *word)
{
	char *text = recipe_fill(word, &recipe_shown);
	bool quote = !*text || strpbrk(text, " \t\"'#;|&<>()$*");

	buf_printf(b, quote ? "%s'%s'" : "%s%s", before, text);
	free(text);
}

char *recipe_line(const struct recipe_command *c)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; c->argv[i]; i++)
		add_word(&b, i ? " " : "", c->argv[i]);
	if (c->input)
		add_word(&b, " < ", c->input);
	if (c->output)
		add_word(&b, " > ", c->output);
	return buf_detach(&b);
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A decimal number at p: its length, 0 when there is none. */
static size_t number(const char *p, const char *end, double *value)
{
	char text[64];
	size_t n = 0, digits = 0, mantissa;

	if (end - p > (ptrdiff_t)sizeof(text))
		end = p + sizeof(text);
	n += p < end && (*p == '+' || *p == '-');
	while (p + n < end && isdigit((unsigned char)p[n]))
		n++, digits++;
	if (p + n < end && p[n] == '.')
		for (n++; p + n < end && isdigit((unsigned char)p[n]); n++)
			digits++;
	mantissa = n;
	if (p + n < end && (p[n] == 'e' || p[n] == 'E')) {
		n++;
		n += p + n < end && (p[n] == '+' || p[n] == '-');
		if (p + n < end && isdigit((unsigned char)p[n]))
			while (p + n < end && isdigit((unsigned char)p[n]))
				n++;
		else
			n = mantissa;
	}
	if (!digits || n >= sizeof(text))
		return 0;
	memcpy(text, p, n);
	text[n] = '\0';
	*value = strtod(text, NULL);
	return n;
}

/* The part of a pattern up to %* or its end, at p: the end of what it took, or
 * NULL. */
static const char *part_at(const char *part, const char *p, const char *start, const char *end,
			   double *value)
{
	/* A run of blanks is looked at once. */
	if (blank(*part) && p > start && blank(p[-1]))
		return NULL;
	for (; *part && !(part[0] == '%' && part[1] == '*'); part++) {
		if (blank(*part)) {
			if (p == end || !blank(*p))
				return NULL;
			while (blank(part[1]))
				part++;
			while (p < end && blank(*p))
				p++;
		} else if (part[0] == '%' && part[1] == 'f') {
			size_t n = number(p, end, value);

			/* "5 MB" is not in "15 MB". */
			if (!n || (p > start && (isdigit((unsigned char)p[-1]) || p[-1] == '.')))
				return NULL;
			p += n;
			part++;
		} else {
			part += part[0] == '%';
			if (p == end || *p != *part)
				return NULL;
			p++;
		}
	}
	return p;
}

/* Each part at its first place behind the one before it. */
static bool match_line(const char *pattern, const char *p, const char *end, double *value)
{
	const char *start = p;

	for (;;) {
		const char *stop = NULL, *star;

		for (; !stop && p <= end; p++)
			stop = part_at(pattern, p, start, end, value);
		if (!stop)
			return false;
		for (star = pattern; *star && !(star[0] == '%' && star[1] == '*'); star++)
			star += star[0] == '%';
		if (!*star)
			return true;
		pattern = star + 2;
		p = stop;
	}
}

bool recipe_match(const char *pattern, const char *text, size_t len, double *value)
{
	const char *end = text + len;
	bool found = false;

	while (text < end) {
		const char *p = text;
		double v = 0;

		/* A carriage return begins a line again, as on a terminal. */
		while (p < end && *p != '\n' && *p != '\r')
			p++;
		if (match_line(pattern, text, p - text < MAX_LINE ? p : text + MAX_LINE, &v)) {
			*value = v;
			found = true;
		}
		text = p + 1;
	}
	return found;
}
