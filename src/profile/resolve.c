/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/profile/reading.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/symbol/disasm.h"
#include "src/symbol/insn.h"
#include "src/symbol/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP_FUNCTIONS 3
#define SHOWN_FUNCTIONS 16	/* whose source is looked at */
#define TOP_INSNS 5

/* The function each hit belongs to, per event. */
struct naming {
	const struct reading_hit *hits;	/* borrowed */
	uint32_t *order;		/* by event, dso, address */
	uint32_t *function;		/* of each hit, index in its event */
	uint64_t *addr;			/* of each hit, as the dso has it */
	size_t n;
};

static const struct reading_hit *nth(const struct naming *n, size_t i)
{
	return &n->hits[n->order[i]];
}

/* The name perf's header gives a build-id to. */
static void find_build_id(const struct reading *r, struct reading_dso *d)
{
	const char *path = strtab_get(&r->p->strings, d->path);

	for (size_t i = 0; i < r->pd.n_build_ids && !d->key.build_id_len; i++) {
		const struct perfdata_build_id *b = &r->pd.build_ids[i];

		if (!strcmp(b->path, path)) {
			d->key.build_id_len = b->len;
			memcpy(d->key.build_id, b->id, sizeof(b->id));
		}
	}
}

struct dso *reading_dso_open(struct reading *r, uint32_t i, const struct profile_options *o)
{
	struct reading_dso *d = &r->dsos[i];

	if (d->dso || i == READING_NO_DSO)
		return d->dso;
	find_build_id(r, d);
	d->key.path = strtab_get(&r->p->strings, d->path);
	d->key.folder = r->folder;
	d->key.same_host = r->pd.hostname && o->hostname && !strcmp(r->pd.hostname, o->hostname) &&
		r->pd.osrelease && o->release && !strcmp(r->pd.osrelease, o->release);
	d->dso = dso_new(o->flight, &d->key);
	return d->dso;
}

static const char *status_note(const struct dso *d)
{
	enum dso_status s = d ? dso_status(d) : DSO_VERIFIED;

	return s == DSO_VERIFIED || s == DSO_NO_FILE ? "" : dso_status_text(s);
}

/* What to call a symbol; several addresses with one name are one function. */
uint32_t reading_function_name(struct reading *r, uint32_t dso, const struct dso_symbol *s)
{
	struct strtab *t = &r->p->strings;
	const char *shown = strtab_get(t, r->dsos[dso].shown);
	const struct dso *d = r->dsos[dso].dso;
	char text[512];

	if (!d || dso == READING_NO_DSO)
		return strtab_add(t, "[unknown]");
	if (s->name)
		return strtab_add(t, s->name);
	if (r->dsos[dso].key.kernel || dso_status(d) == DSO_NO_FILE)
		return strtab_add(t, shown);
	snprintf(text, sizeof(text), "%.400s+0x%llx", shown,
		 (unsigned long long)(s->end > s->start ? s->start : s->addr));
	return strtab_add(t, text);
}

static struct profile_event *add_event(struct profile *p, const char *name)
{
	size_t cap = p->n_events;

	/* Few events: room for exactly one more. */
	p->events = xrealloc(p->events, (cap + 1) * sizeof(*p->events));
	memset(&p->events[cap], 0, sizeof(*p->events));
	p->events[cap].name = strtab_get(&p->strings, strtab_add(&p->strings, name));
	return &p->events[p->n_events++];
}

static uint32_t add_function(struct reading *r, struct profile_event *e, size_t *cap,
			     const struct reading_hit *h, struct dso *d,
			     const struct dso_symbol *s)
{
	const struct strtab *t = &r->p->strings;
	struct profile_function f = { 0 };

	f.name = strtab_get(t, reading_function_name(r, h->dso, s));
	f.path = strtab_get(t, r->dsos[h->dso].path);
	f.dso = strtab_get(t, r->dsos[h->dso].shown);
	f.note = status_note(d);
	f.code = "";
	f.addr = s->addr;
	f.dso_index = h->dso;
	GROW(e->functions, e->n_functions, *cap);
	e->functions[e->n_functions] = f;
	return (uint32_t)e->n_functions++;
}

/* Hits lie in address order, so that one lookup serves a whole function. */
static void name_hits(struct reading *r, struct naming *n, const struct profile_options *o)
{
	struct profile_event *e = NULL;
	struct dso_symbol s = { 0 };
	struct map by_start = MAP_INIT;
	size_t cap = 0;

	for (size_t i = 0; i < n->n; i++) {
		const struct reading_hit *h = nth(n, i), *before = i ? nth(n, i - 1) : NULL;
		struct dso *d = reading_dso_open(r, h->dso, o);
		struct profile_function *f;
		uint64_t delta, *slot;
		bool fresh;

		if (!before || before->event != h->event) {
			e = add_event(r->p, r->pd.events[h->event].name);
			cap = 0;
			map_release(&by_start);
		}
		if (!before || before->event != h->event || before->dso != h->dso) {
			memset(&s, 0, sizeof(s));
		}
		/* Within a segment addresses keep the distance of offsets. */
		delta = before && before->dso == h->dso ? h->addr - before->addr : 0;
		if (d && s.end > s.start && s.addr + delta < s.end)
			s.addr += delta;
		else if (d)
			dso_lookup(d, h->addr, &s);
		else
			s.addr = h->addr;
		n->addr[i] = s.addr;
		slot = map_put(&by_start, hash_u64(h->dso + 1ull) ^
			       (s.end > s.start ? s.start : s.name || !d ? 1 :
				r->dsos[h->dso].key.kernel || dso_status(d) == DSO_NO_FILE ? 2 :
				s.addr), &fresh);
		if (fresh)
			*slot = add_function(r, e, &cap, h, d, &s);
		n->function[i] = (uint32_t)*slot;
		f = &e->functions[*slot];
		f->samples += h->samples;
		f->period += h->period;
		e->samples += h->samples;
		e->period += h->period;
		if (r->dsos[h->dso].key.kernel)
			e->kernel_share += (double)h->period;
		if (!d || (!s.name && s.end == s.start))
			e->unknown_share += (double)h->period;
	}
	map_release(&by_start);
}

static int by_period(const void *a, const void *b)
{
	const struct profile_function *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_samples(const void *a, const void *b)
{
	const struct profile_insn *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

const char *reading_insn_text(struct reading *r, uint32_t dso, uint64_t addr)
{
	struct dso *d = r->dsos[dso].dso;
	uint8_t code[16];
	char text[128];
	size_t n = d ? dso_code(d, addr, code, sizeof(code)) : 0;

	if (!n || !disasm(dso_machine(d), code, n, addr, text, sizeof(text)))
		return "";
	return strtab_get(&r->p->strings, strtab_add(&r->p->strings, text));
}

/* "sort.go:12, less < insertionSort" */
static const char *source_text(struct reading *r, uint32_t dso, uint64_t addr)
{
	struct source_place at;
	char text[256];

	if (!r->dsos[dso].dso || r->dsos[dso].key.kernel)
		return "";
	dso_source(r->dsos[dso].dso, addr, &at);
	if (!at.file[0])
		return "";
	snprintf(text, sizeof(text), "%s:%d%s%s", at.file, at.line, at.inlined[0] ? ", " : "", at.inlined);
	return strtab_get(&r->p->strings, strtab_add(&r->p->strings, text));
}

/* Was a function written in assembly, or compiled? By the source its code is of. */
static void find_code(struct reading *r, struct profile_function *f)
{
	struct dso *d = f->dso_index == READING_NO_DSO || r->dsos[f->dso_index].key.kernel ? NULL :
		r->dsos[f->dso_index].dso;
	struct source_place at;
	const char *dot;

	if (!d)
		return;
	dso_source(d, f->addr, &at);
	dot = strrchr(at.file, '.');
	if (dot)
		f->code = !strcmp(dot, ".s") || !strcmp(dot, ".S") ? "assembly" : "compiled";
}

/* The hottest instructions of function f (before sorting) in event e, whose
 * hits are from..to. */
static void top_insns(struct reading *r, struct profile_event *e, const struct naming *n,
		      size_t from, size_t to, uint32_t f, uint32_t rank, bool exact)
{
	struct profile_insn *v = NULL;
	size_t n_v = 0, cap = 0, total, keep;
	uint32_t dso = 0;

	/* Counts weigh what they count, samples are one each. */
	total = exact ? e->functions[f].period : e->functions[f].samples;
	for (size_t i = from; i < to; i++) {
		const struct reading_hit *h = nth(n, i);
		uint64_t weight = exact ? h->period : h->samples;

		if (n->function[i] != f)
			continue;
		dso = h->dso;
		if (n_v && v[n_v - 1].addr == n->addr[i]) {
			v[n_v - 1].samples += weight;
			continue;
		}
		GROW(v, n_v, cap);
		v[n_v++] = (struct profile_insn){ rank, n->addr[i], weight, 0, "", "" };
	}
	qsort(v, n_v, sizeof(*v), by_samples);
	keep = n_v < TOP_INSNS ? n_v : TOP_INSNS;
	for (size_t i = 0; i < keep; i++) {
		v[i].share = (double)v[i].samples / (double)total;
		/* Below their own error they are not the hottest of anything. */
		if (i && !exact && v[i].share <= stats_share_error((double)v[i].samples, (double)total))
			break;
		v[i].text = reading_insn_text(r, dso, v[i].addr);
		v[i].place = source_text(r, dso, v[i].addr);
		e->insns = xrealloc(e->insns, (e->n_insns + 1) * sizeof(*e->insns));
		e->insns[e->n_insns++] = v[i];
	}
	free(v);
}

/* What kinds of instructions the time is spent at. */
static void classify_insns(struct reading *r, struct profile_event *e, const struct naming *n,
			   size_t from, size_t to)
{
	double total = 0;

	for (size_t i = from; i < to; i++) {
		const struct reading_hit *h = nth(n, i);
		struct dso *d = r->dsos[h->dso].dso;
		uint8_t code[16];
		unsigned size = 0, classes;
		size_t got = d && !r->dsos[h->dso].key.kernel ?
			dso_code(d, n->addr[i], code, sizeof(code)) : 0;

		total += (double)h->period;
		classes = got ? insn_classes(dso_machine(d), code, got, &size) : 0;
		if (!size)
			continue;
		e->decoded_share += (double)h->period;
		for (int c = 0; c < PROFILE_CLASSES; c++)
			if (classes >> c & 1)
				e->class_share[c] += (double)h->period;
	}
	for (int c = 0; c < PROFILE_CLASSES && total > 0; c++)
		e->class_share[c] /= total;
	e->decoded_share /= total > 0 ? total : 1;
}

static uint32_t hottest(const struct profile_event *e, const bool *taken)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < e->n_functions; i++)
		if (!taken[i] && (best == UINT32_MAX ||
				  by_period(&e->functions[i], &e->functions[best]) < 0))
			best = i;
	return best;
}

static void finish_event(struct reading *r, struct profile_event *e, const struct naming *n,
			 size_t from, size_t to, const struct profile_options *o)
{
	double period = e->period ? (double)e->period : 1;

	if (o->insns) {
		bool *taken = xcalloc(e->n_functions, sizeof(*taken));

		for (uint32_t rank = 0; rank < TOP_FUNCTIONS && rank < e->n_functions; rank++) {
			uint32_t f = hottest(e, taken);

			taken[f] = true;
			top_insns(r, e, n, from, to, f, rank, o->exact);
		}
		free(taken);
		classify_insns(r, e, n, from, to);
	}
	e->kernel_share /= period;
	e->unknown_share /= period;
	qsort(e->functions, e->n_functions, sizeof(*e->functions), by_period);
	for (size_t i = 0; i < e->n_functions; i++) {
		struct profile_function *f = &e->functions[i];

		f->share = (double)f->period / period;
		f->error = o->exact ? 0 :
			stats_share_error((double)f->samples, (double)e->samples);
		if (f->share > f->error && e->n_ranked == i)
			e->n_ranked = i + 1;
		if (o->insns && i < SHOWN_FUNCTIONS)
			find_code(r, f);
	}
}

void reading_resolve(struct reading *r, const struct profile_options *o)
{
	struct naming n = { .hits = r->hits, .n = r->n_hits };
	size_t from = 0, at = 0;

	n.order = reading_order(r);
	n.function = xcalloc(n.n, sizeof(*n.function));
	n.addr = xcalloc(n.n, sizeof(*n.addr));
	name_hits(r, &n, o);
	for (size_t i = 0; i < n.n; i++)
		if (i + 1 == n.n || nth(&n, i + 1)->event != nth(&n, i)->event) {
			finish_event(r, &r->p->events[at++], &n, from, i + 1, o);
			from = i + 1;
		}
	if (o->entries)
		reading_kernel(r, o);
	reading_rank_branches(r, o);
	free(n.order);
	free(n.function);
	free(n.addr);
}

int profile_read(struct profile *p, const char *path, const struct profile_options *o,
		 struct err *err)
{
	struct reading r;
	int rc;

	memset(p, 0, sizeof(*p));
	rc = reading_open(&r, p, path, err);
	if (rc == 0) {
		reading_run(&r, o);
		reading_resolve(&r, o);
		p->throttled = p->records[PERF_RECORD_THROTTLE];
		p->warnings = xstrdup(buf_str(&r.pd.warnings));
		p->cmdline = r.pd.cmdline ? xstrdup(r.pd.cmdline) : NULL;
		p->hostname = r.pd.hostname ? xstrdup(r.pd.hostname) : NULL;
		p->cpudesc = r.pd.cpudesc ? xstrdup(r.pd.cpudesc) : NULL;
		p->version = r.pd.version ? xstrdup(r.pd.version) : NULL;
	}
	reading_release(&r);
	if (rc < 0)
		profile_release(p);
	return rc;
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < p->n_events; i++) {
		free(p->events[i].functions);
		free(p->events[i].insns);
	}
	free(p->events);
	free(p->branches);
	free(p->warnings);
	free(p->cmdline);
	free(p->hostname);
	free(p->cpudesc);
	free(p->version);
	strtab_release(&p->strings);
	memset(p, 0, sizeof(*p));
}

const struct profile_event *profile_main(const struct profile *p)
{
	return p->n_events ? &p->events[0] : NULL;
}
