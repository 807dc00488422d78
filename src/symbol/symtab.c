/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/symtab.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

void symtab_release(struct symtab *t)
{
	free(t->v);
	buf_release(&t->names);
	memset(t, 0, sizeof(*t));
}

void symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, size_t len,
		uint8_t rank)
{
	if (t->names.len == 0)
		buf_addc(&t->names, 0);
	if (t->names.len + len + 1 > UINT32_MAX || end < start)
		return;
	GROW(t->v, t->n, t->cap);
	t->v[t->n++] = (struct symtab_entry){ start, end, (uint32_t)t->names.len, rank, false };
	buf_add(&t->names, name, len);
	buf_addc(&t->names, 0);
}

void symtab_add_range(struct symtab *t, uint64_t start, uint64_t end)
{
	if (t->names.len == 0)
		buf_addc(&t->names, 0);
	if (end <= start)
		return;
	GROW(t->v, t->n, t->cap);
	t->v[t->n++] = (struct symtab_entry){ start, end, 0, 0, true };
}

const char *symtab_name(const struct symtab *t, const struct symtab_entry *e)
{
	return t->names.data + e->name;
}

static bool sorted(const struct symtab *t)
{
	for (size_t i = 1; i < t->n; i++)
		if (t->v[i - 1].start > t->v[i].start)
			return false;
	return true;
}

/* By start; those that start together stay in the order they came in. A radix
 * sort, as large files bring 100,000 functions; bytes in which all agree cost
 * nothing. */
static void sort_entries(struct symtab *t)
{
	struct symtab_entry *from = t->v, *to = xcalloc(t->n, sizeof(*to));

	for (int shift = 0; shift < 64; shift += 8) {
		size_t count[256] = { 0 }, at = 0;
		struct symtab_entry *swap = from;

		for (size_t i = 0; i < t->n; i++)
			count[from[i].start >> shift & 255]++;
		if (count[from[0].start >> shift & 255] == t->n)
			continue;
		for (int b = 0; b < 256; b++) {
			size_t len = count[b];

			count[b] = at;
			at += len;
		}
		for (size_t i = 0; i < t->n; i++)
			to[count[from[i].start >> shift & 255]++] = from[i];
		from = to;
		to = swap;
	}
	t->v = from;
	t->cap = t->n;
	free(to);
}

static size_t underscores(const char *s)
{
	return strspn(s, "_");
}

/* perf's choose_best_symbol(): sized, not weak, global, fewer leading
 * underscores, longer, else the first. */
static bool better(const struct symtab *t, const struct symtab_entry *a,
		   const struct symtab_entry *b)
{
	const char *na = symtab_name(t, a), *nb = symtab_name(t, b);
	bool sized_a = a->end > a->start, sized_b = b->end > b->start;

	if (sized_a != sized_b)
		return sized_a;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (underscores(na) != underscores(nb))
		return underscores(na) < underscores(nb);
	return strlen(na) > strlen(nb);
}

static void keep_best(struct symtab *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct symtab_entry *last = n ? &t->v[n - 1] : NULL;

		if (!last || last->start != t->v[i].start)
			t->v[n++] = t->v[i];
		else if (!t->v[i].range && (last->range || better(t, &t->v[i], last)))
			*last = t->v[i];
	}
	t->n = n;
}

static void give_ends(struct symtab *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct symtab_entry *e = &t->v[i];

		if (e->end > e->start)
			continue;
		if (i + 1 < t->n && t->v[i + 1].start - e->start < 1u << 20)
			e->end = t->v[i + 1].start;
		else
			e->end = ((e->start + 4095) & ~(uint64_t)4095) + 4096;
	}
}

/* Unwind ranges inside named functions say nothing new; those that start
 * before one are cut where it starts. */
static void fit_ranges(struct symtab *t)
{
	uint64_t covered = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct symtab_entry e = t->v[i];

		if (e.range) {
			if (e.start < covered)
				e.start = covered;
			if (i + 1 < t->n && e.end > t->v[i + 1].start)
				e.end = t->v[i + 1].start;
			if (e.end <= e.start)
				continue;
		} else if (e.end > covered) {
			covered = e.end;
		}
		t->v[n++] = e;
	}
	t->n = n;
}

void symtab_finish(struct symtab *t)
{
	if (!t->n)
		return;
	if (!sorted(t))		/* kallsyms is, as a rule */
		sort_entries(t);
	keep_best(t);
	give_ends(t);
	fit_ranges(t);
}

const struct symtab_entry *symtab_find(const struct symtab *t, uint64_t addr)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* An enclosing symbol may start a few entries earlier. */
	for (size_t back = 0; back < 8 && lo > back; back++) {
		const struct symtab_entry *e = &t->v[lo - 1 - back];

		if (addr < e->end)
			return e;
	}
	return NULL;
}

static uint64_t hex(const char **p, const char *end)
{
	const char *s = *p;
	uint64_t v = 0;

	for (; s < end; s++) {
		unsigned c = (unsigned char)*s, digit = c - '0', letter = (c | 0x20) - 'a';

		if (digit > 9 && letter > 5)
			break;
		v = v << 4 | (digit <= 9 ? digit : letter + 10);
	}
	*p = s;
	return v;
}

/* "ffffffff81000000 T _text[\t[module]]": the name is ended in place. */
static void kallsyms_line(struct symtab *t, char *line, char *eol, struct symtab_anchor *anchor,
			  bool *all_zero)
{
	const char *p = line;
	uint64_t addr = hex(&p, eol);
	size_t name = (size_t)(p - t->names.data) + 3;
	char type, *tab;

	if (addr)
		*all_zero = false;
	if (eol - p <= 3)
		return;
	type = (char)(p[1] | 0x20);
	if ((type != 't' && type != 'w') || name > UINT32_MAX)
		return;
	tab = memchr(p + 3, '\t', (size_t)(eol - p - 3));
	*(tab ? tab : eol) = '\0';
	if (p[3] == '_' && !strcmp(p + 3, "_text"))
		*anchor = (struct symtab_anchor){ addr, "_text" };
	else if (p[3] == '_' && !anchor->start && !strcmp(p + 3, "_stext"))
		*anchor = (struct symtab_anchor){ addr, "_stext" };
	GROW(t->v, t->n, t->cap);
	t->v[t->n++] = (struct symtab_entry){
		addr, addr, (uint32_t)name,
		p[1] == 'T' ? SYMTAB_RANK_GLOBAL : type == 'w' ? SYMTAB_RANK_WEAK :
		SYMTAB_RANK_LOCAL, false,
	};
}

bool symtab_take_kallsyms(struct symtab *t, struct buf *text, struct symtab_anchor *anchor)
{
	char *p, *end;
	bool all_zero = true;

	symtab_release(t);
	t->names = *text;
	memset(text, 0, sizeof(*text));
	*anchor = (struct symtab_anchor){ 0, "_text" };
	p = t->names.data;
	end = p + t->names.len;
	while (p < end) {
		char *eol = memchr(p, '\n', (size_t)(end - p));

		eol = eol ? eol : end;	/* a buffer has a NUL there */
		kallsyms_line(t, p, eol, anchor, &all_zero);
		p = eol + 1;
	}
	return all_zero;
}

bool symtab_kallsyms(struct symtab *t, const char *text, size_t len, struct symtab_anchor *anchor)
{
	struct buf copy = BUF_INIT;

	buf_add(&copy, text, len);
	return symtab_take_kallsyms(t, &copy, anchor);
}

/* Some runtimes write a prefix that the format does not have. */
static uint64_t prefixed_hex(const char **p, const char *end)
{
	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] | 0x20) == 'x')
		*p += 2;
	return hex(p, end);
}

void symtab_perf_map(struct symtab *t, const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		uint64_t start, size;

		if (!eol)
			eol = end;
		start = prefixed_hex(&p, eol);
		p += p < eol;
		size = prefixed_hex(&p, eol);
		if (p < eol && *p == ' ' && size && start + size > start)
			symtab_add(t, start, start + size, p + 1, (size_t)(eol - p - 1),
				   SYMTAB_RANK_GLOBAL);
		p = eol + 1;
	}
}
