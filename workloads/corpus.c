/* SPDX-License-Identifier: MIT */
/*
 * corpus.c - documents as on web pages, drawn from the words and snippets of
 * corpus_words.h.
 *
 * What decides how a compressor spends its time is which strings come again,
 * how soon and how long. Hence words by Zipf's law, phrases used again, and for
 * every document its own classes, variables, colours and JSON keys, of which
 * the early ones are used most. Only integers decide the bytes, so they are the
 * same on every machine. All of it is ASCII.
 */
#include "config.h"
#include "workloads/corpus.h"
#include "src/base/buf.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/base/units.h"
#include "workloads/corpus_words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DOC_MIN		((size_t)1024)
#define DOC_MAX		((size_t)200000)
#define FILE_MAX	((off_t)1 << 30)
#define ZIPF_SLOTS	16384	/* a power of two; the rarest word has a slot */
#define NAME_BYTES	24
#define POOL_MAX	600	/* names of one sort in a document */
#define FRAGMENTS	64
#define DEPTH_MAX	4	/* of nested elements or blocks */
#define NEST_MAX	3	/* of nested expressions */
#define WRAP		74	/* column after which plain text wraps */

/* Names of one sort that a document uses again and again. */
struct pool {
	char s[POOL_MAX][NAME_BYTES];
	uint8_t len[POOL_MAX];
	size_t n;
};

enum pool_id { CLASSES, VARIABLES, COLOURS, POOLS };

struct gen {
	struct rng rng;
	uint16_t zipf[ZIPF_SLOTS];
	/* Of the document being made: */
	uint8_t *data;		/* borrowed from the corpus */
	size_t len, goal, cap;	/* it ends after goal, and is cut at cap */
	size_t line;		/* where the present line began */
	const struct kind *kind;
	enum layout layout;
	unsigned depth, nest;
	unsigned style;		/* which snippets it prefers, its dates, ... */
	struct buf schema;	/* the snippet of one JSON record */
	struct pool pools[POOLS];
	struct fragment { size_t at, len; } fragments[FRAGMENTS];	/* said before */
};

static void expand(struct gen *g, const char *t);

static size_t below(struct gen *g, size_t n)
{
	return (size_t)rng_below(&g->rng, n);
}

/* 0 .. n-1, the low ones far more often, from the low 32 bits of r. */
static size_t early(uint64_t r, size_t n)
{
	return (size_t)((r & 0xffff) * (r >> 16 & 0xffff) * n >> 32);
}

static void put(struct gen *g, const void *s, size_t n)
{
	if (n > g->cap - g->len)
		n = g->cap - g->len;
	memcpy(g->data + g->len, s, n);
	g->len += n;
}

static void put_char(struct gen *g, char c)
{
	if (g->len < g->cap)
		g->data[g->len++] = (uint8_t)c;
}

static void put_indent(struct gen *g, size_t n)
{
	if (g->style & 4)
		put(g, "\t\t\t\t\t\t\t\t", n);
	else
		put(g, "                ", 2 * n);
}

static void put_newline(struct gen *g)
{
	if (g->layout == MINIFIED)
		return;
	put_char(g, '\n');
	g->line = g->len;
	if (g->layout == PRETTY)
		put_indent(g, g->depth < 8 ? g->depth : 8);
}

/* Words */

/* Slots in proportion to 1 / (rank + 3), by whole numbers. */
static void init_zipf(struct gen *g)
{
	uint64_t sum = 0, seen = 0;
	size_t slot = 0;

	for (size_t i = 0; i < ARRAY_SIZE(common_words); i++)
		sum += ((uint64_t)1 << 32) / (i + 3);
	for (size_t i = 0; i < ARRAY_SIZE(common_words); i++) {
		seen += ((uint64_t)1 << 32) / (i + 3);
		while (slot < ZIPF_SLOTS && slot * sum < seen * ZIPF_SLOTS)
			g->zipf[slot++] = (uint16_t)i;
	}
}

static void put_word(struct gen *g)
{
	uint64_t r = rng_u64(&g->rng);
	size_t i = g->zipf[r % ZIPF_SLOTS];

	if ((r >> 16 & 31) == 0) {
		expand(g, r >> 40 & 1 ? "%l%l" : "%l%l%l");
		return;
	}
	put(g, common_words[i], strlen(common_words[i]));
	if (i >= COMMON_NOUNS && (r >> 24 & 3) == 0)
		expand(g, "%e");
}

/* Not "the" or "of": what things are called. */
static void put_noun(struct gen *g)
{
	const char *s = common_words[COMMON_NOUNS + below(g, ARRAY_SIZE(common_words)
					    - COMMON_NOUNS)];

	put(g, s, strlen(s));
}

static void capital(struct gen *g, size_t at)
{
	if (at < g->len && g->data[at] >= 'a' && g->data[at] <= 'z')
		g->data[at] -= 'a' - 'A';
}

static void put_gap(struct gen *g)
{
	if (g->kind == &kinds[TXT] && g->len - g->line > WRAP)
		put_newline(g);
	else
		put_char(g, ' ');
}

/* Words, and now and then something said before in this document. A comma
 * follows "commas" of 256 words. */
static void put_words(struct gen *g, size_t n, unsigned commas)
{
	size_t from = below(g, n), to = from + 1 + below(g, 5), start = g->len, at = start;

	for (size_t i = 0; i < n; i++) {
		uint64_t r = rng_u64(&g->rng);
		struct fragment *f = &g->fragments[r % FRAGMENTS];

		if (i > 0)
			put_gap(g);
		if (i == from)
			at = g->len;
		if (f->len > 0 && (r >> 8 & 255) < 28)
			put(g, g->data + f->at, f->len);
		else if ((r >> 16 & 255) < 21)
			expand(g, "%i");
		else
			put_word(g);
		if (i == to)
			*f = (struct fragment){ at, g->len - at };
		if (i + 2 < n && (r >> 24 & 255) < commas)
			put_char(g, ',');
	}
	capital(g, start);
}

static void put_phrase(struct gen *g)
{
	put_words(g, 2 + below(g, 4), 0);
}

static void put_sentence(struct gen *g)
{
	put_words(g, 5 + below(g, 16), 21);
	put_char(g, '.');
}

/* Names and numbers */

static void put_variable(struct gen *g)
{
	if (g->layout != MINIFIED) {
		expand(g, "%V");
		return;
	}
	put_char(g, "etnraioscludfhmgpvybw"[early(rng_u64(&g->rng), 21)]);
	if (below(g, 16) == 0)
		put_char(g, (char)('a' + below(g, 26)));
}

static void put_hex(struct gen *g)
{
	put_char(g, "0123456789abcdef"[below(g, 16)]);
}

static void put_digit(struct gen *g)
{
	put_char(g, (char)('0' + below(g, 10)));
}

/* 1 to 99, the low ones far more often. */
static void put_small(struct gen *g)
{
	size_t v = 1 + early(rng_u64(&g->rng), 99);

	if (v >= 10)
		put_char(g, (char)('0' + v / 10));
	put_char(g, (char)('0' + v % 10));
}

/* Snippets */

/* Some snippets are common everywhere, others in documents of one style. */
static const char *choose(struct gen *g, struct snippets list)
{
	uint64_t r = rng_u64(&g->rng);
	size_t i = early(r, list.n);

	return list.v[r >> 56 < 170 ? i : (i + g->style) % list.n];
}

static void put_block(struct gen *g)
{
	size_t n = 1 + below(g, 5);

	if (g->depth >= DEPTH_MAX || g->len >= g->goal)
		n = 0;
	g->depth++;
	do {
		put_newline(g);
		expand(g, n > 0 ? choose(g, g->kind->items) : g->kind->leaf);
	} while (n-- > 1);
	g->depth--;
	put_newline(g);
}

static void put_expression(struct gen *g)
{
	unsigned nest = g->nest++;

	if (nest < NEST_MAX)
		expand(g, choose(g, (struct snippets)SNIPPETS(js_expressions)));
	else
		put_variable(g);
	g->nest = nest;
}

/* A script inside a page. */
static void put_script(struct gen *g)
{
	const struct kind *kind = g->kind;

	g->kind = &kinds[JS];
	put_block(g);
	g->kind = kind;
}

static void put_comment(struct gen *g)
{
	if (g->layout == PRETTY && below(g, 2) == 0)
		expand(g, "/* %s */\n");
}

/* What '%' and a letter stands for: a function; or one of some snippets; or
 * one of the document's names, the first and the latest more often, and now and
 * then a new one. */
static const struct directive {
	void (*put)(struct gen *g);
	struct snippets list;
	enum pool_id pool;
	unsigned rarity;
} directives[128] = {
	['w'] = { .put = put_word }, ['z'] = { .put = put_noun },
	['p'] = { .put = put_phrase }, ['s'] = { .put = put_sentence },
	['v'] = { .put = put_variable }, ['h'] = { .put = put_hex },
	['d'] = { .put = put_digit }, ['y'] = { .list = SNIPPETS(years) },
	['n'] = { .put = put_small }, ['/'] = { .put = put_comment },
	['B'] = { .put = put_block }, ['E'] = { .put = put_expression },
	['J'] = { .put = put_script }, ['P'] = { .list = SNIPPETS(paragraphs) },
	['i'] = { .list = SNIPPETS(odd_words) }, ['e'] = { .list = SNIPPETS(suffixes) },
	['l'] = { .list = SNIPPETS(syllables) }, ['m'] = { .list = SNIPPETS(script_members) },
	['o'] = { .list = SNIPPETS(members) }, ['C'] = { .list = SNIPPETS(class_lists) },
	['A'] = { .list = SNIPPETS(nav_items) }, ['K'] = { .list = SNIPPETS(css_declarations) },
	['Q'] = { .list = SNIPPETS(css_selectors) }, ['r'] = { .list = SNIPPETS(css_lengths) },
	['R'] = { .list = SNIPPETS(css_rules) }, ['D'] = { .list = SNIPPETS(svg_segments) },
	['f'] = { .list = SNIPPETS(coordinates) }, ['S'] = { .list = SNIPPETS(strings) },
	['N'] = { .list = SNIPPETS(large_numbers) }, ['H'] = { .list = SNIPPETS(hashes) },
	['u'] = { .list = SNIPPETS(uuids) }, ['t'] = { .list = SNIPPETS(times) },
	['T'] = { .list = SNIPPETS(epochs) }, ['b'] = { .list = SNIPPETS(booleans) },
	['c'] = { .list = SNIPPETS(class_names), .pool = CLASSES, .rarity = 20 },
	['V'] = { .list = SNIPPETS(variables), .pool = VARIABLES, .rarity = 8 },
	['x'] = { .list = SNIPPETS(colours), .pool = COLOURS, .rarity = 7 },
};

static void put_directive(struct gen *g, const struct directive *d)
{
	struct pool *p = &g->pools[d->pool];
	size_t at = g->len, i;
	uint64_t r;

	if (d->put) {
		d->put(g);
	} else if (d->rarity == 0) {
		expand(g, choose(g, d->list));
	} else if (p->n > 5 && (p->n == POOL_MAX || below(g, d->rarity) > 0)) {
		r = rng_u64(&g->rng);
		i = r >> 63 ? early(r, p->n) : p->n - 1 - early(r, p->n);
		put(g, p->s[i], p->len[i]);
	} else {
		expand(g, choose(g, d->list));
		p->len[p->n] = (uint8_t)(g->len - at < NAME_BYTES ? g->len - at : NAME_BYTES);
		memcpy(p->s[p->n], g->data + at, p->len[p->n]);
		p->n++;
	}
}

/* What follows a '%': K, or 9K for 1 to 9 of them on lines of their own, or ^K
 * for one with a capital. */
static const char *expand_directive(struct gen *g, const char *t)
{
	size_t n = 0, at = g->len;

	switch (*t) {
	case '%': put_char(g, '%'); return t + 1;
	case '>': g->depth++; return t + 1;
	case '<': g->depth--; return t + 1;
	case '$': expand(g, buf_str(&g->schema)); return t + 1;
	case '^':
		t = expand_directive(g, t + 1);
		capital(g, at);
		return t;
	}
	if (*t >= '1' && *t <= '9')
		n = below(g, (size_t)(*t++ - '0'));
	put_directive(g, &directives[(unsigned char)*t]);
	for (; n > 0; n--) {
		put_newline(g);
		put_directive(g, &directives[(unsigned char)*t]);
	}
	return t + 1;
}

static void expand(struct gen *g, const char *t)
{
	for (;;) {
		for (; *t > '%' ? *t != '~' : *t >= ' ' && *t != '%'; t++)
			put_char(g, *t);
		switch (*t++) {
		case '\0': return;
		case '\n': put_newline(g); break;
		case '\t': put_indent(g, g->layout == PRETTY); break;
		case '~': put(g, " ", g->layout != MINIFIED); break;
		default: t = expand_directive(g, t); break;
		}
	}
}

/* Documents */

/* Keys drawn once, values whenever a record is expanded. */
static void make_schema(struct gen *g)
{
	buf_clear(&g->schema);
	buf_adds(&g->schema, "{%>");
	for (size_t n = 4 + below(g, 10); n > 0; n--) {
		buf_printf(&g->schema, "\n\"%s", common_words[COMMON_NOUNS + below(g, 500)]);
		if (below(g, 2) == 0)
			buf_printf(&g->schema, "_%s", common_words[COMMON_NOUNS + below(g, 500)]);
		buf_printf(&g->schema, "\":~%s%s",
			   choose(g, (struct snippets)SNIPPETS(json_values)),
			   n > 1 ? "," : "%<\n}");
	}
}

/* Document "number" at g->data, where left bytes are still wanted. It leaves
 * none of them or enough for another document. */
static void make_document(struct gen *g, size_t number, size_t left)
{
	size_t round = number / ARRAY_SIZE(page), place = number % ARRAY_SIZE(page);
	const struct kind *k = &kinds[page[place]];

	g->len = g->line = g->depth = g->nest = 0;
	memset(g->fragments, 0, sizeof(g->fragments));
	for (size_t i = 0; i < POOLS; i++)
		g->pools[i].n = 0;
	g->kind = k;
	g->style = (unsigned)below(g, 1 << 16);
	g->cap = left < DOC_MAX ? left : DOC_MAX;
	/* Not by chance, so that every kind has small and large ones. */
	g->goal = DOC_MIN << (round + place) % (k->size_log2 + 1);
	g->goal += below(g, g->goal);
	if (g->goal > g->cap || left < 2 * DOC_MIN)
		g->goal = g->cap;
	/* Large files are mostly made by tools. */
	g->layout = below(g, 8) < k->n_dense + (g->goal >> 15) ? k->dense : PRETTY;
	if (k == &kinds[JSON])
		make_schema(g);
	expand(g, k->head);
	for (;;) {
		expand(g, choose(g, k->items));
		if (g->len >= g->goal)
			break;
		expand(g, k->comma);
	}
	expand(g, k->tail);
	if (left > g->len && left - g->len < DOC_MIN)
		g->len = left - DOC_MIN;
}

void corpus_web(struct corpus *c, size_t len)
{
	struct gen *g = xcalloc(1, sizeof(*g));
	size_t cap = 0;

	memset(c, 0, sizeof(*c));
	c->bytes = xmalloc(len + 1);
	rng_init(&g->rng, 9);
	init_zipf(g);
	while (c->len < len) {
		g->data = c->bytes + c->len;
		make_document(g, c->n, len - c->len);
		GROW(c->docs, c->n, cap);
		c->docs[c->n++] = (struct corpus_doc){ g->data, g->len, g->kind->name };
		c->len += g->len;
	}
	buf_release(&g->schema);
	free(g);
}

int corpus_file(struct corpus *c, const char *path, struct err *err)
{
	/* O_NONBLOCK: opening a FIFO would wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
	struct stat st = { 0 };
	ssize_t n;

	memset(c, 0, sizeof(*c));
	if (fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		rc = err_set(err, -EISDIR, "'%s' is a folder, not a file", path);
	else if (!S_ISREG(st.st_mode))
		rc = err_set(err, -EINVAL, "'%s' is not a regular file", path);
	else if (st.st_size == 0)
		rc = err_set(err, -ENODATA, "'%s' is empty", path);
	else if (st.st_size > FILE_MAX)
		rc = err_set(err, -EFBIG, "'%s' is larger than 1 GiB", path);
	if (rc == 0) {
		c->len = (size_t)st.st_size;
		c->bytes = xmalloc(c->len);
		n = io_read(fd, c->bytes, c->len);
		if (n < 0)
			rc = err_set(err, (int)n, "cannot read '%s': %s", path, strerror((int)-n));
		else if ((size_t)n < c->len)
			rc = err_set(err, -EIO, "'%s' became shorter while it was read", path);
	}
	close(fd);
	if (rc < 0) {
		corpus_release(c);
		return rc;
	}
	c->docs = xmalloc(sizeof(*c->docs));
	c->docs[0] = (struct corpus_doc){ c->bytes, c->len, "file" };
	c->n = 1;
	return 0;
}

int corpus_load(struct corpus *c, const char *path, size_t len, char *name,
		size_t name_size, struct err *err)
{
	char bytes[32];

	if (path) {
		snprintf(name, name_size, "%s", path);
		return corpus_file(c, path, err);
	}
	snprintf(name, name_size, "web corpus %s", units_bytes(bytes, sizeof(bytes), (double)len));
	corpus_web(c, len);
	return 0;
}

void corpus_release(struct corpus *c)
{
	free(c->bytes);
	free(c->docs);
	memset(c, 0, sizeof(*c));
}
