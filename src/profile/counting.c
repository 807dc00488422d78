/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/cursor.h"
#include "src/base/mem.h"
#include "src/profile/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Most samples repeat an address that was just seen in the same process. What
 * was found out about it holds for a span of time, so that the next sample only
 * needs to be compared. Indexed by a hash, the newer displaces the older.
 */
struct answer {
	uint64_t ip;
	struct timeline_span span;
	uint64_t who;
	uint32_t event;
	uint16_t mode;
	uint32_t hit;			/* index + 1, 0 while free */
};
#define ANSWERS 8192u

struct counter {
	struct reading *r;
	struct answer *answers;
};

/* A sample that was decoded. */
struct seen {
	struct sample s;
	uint64_t time, who;
	uint32_t event;
	uint16_t mode;
};

static uint32_t hash_hit(const struct reading_hit *h)
{
	return (uint32_t)hash_u64(h->addr ^ (uint64_t)h->dso << 48 ^ (uint64_t)h->comm << 32 ^
				  (uint64_t)h->event << 24);
}

/* The slot of key's hit, or the free one where it belongs. */
static struct reading_slot *find_slot(const struct reading *r, const struct reading_hit *key,
				      uint32_t hash)
{
	size_t mask = r->n_slots - 1, i = hash & mask;

	for (; r->hit_slots[i].hit; i = (i + 1) & mask) {
		const struct reading_hit *h = &r->hits[r->hit_slots[i].hit - 1];

		if (r->hit_slots[i].hash == hash && h->addr == key->addr && h->dso == key->dso &&
		    h->comm == key->comm && h->event == key->event)
			break;
	}
	return &r->hit_slots[i];
}

static void grow_slots(struct reading *r)
{
	struct reading_slot *old = r->hit_slots;
	size_t n = r->n_slots, mask;

	r->n_slots = n ? n * 2 : 1024;
	mask = r->n_slots - 1;
	r->hit_slots = xcalloc(r->n_slots, sizeof(*r->hit_slots));
	for (size_t i = 0; i < n; i++) {
		size_t at = old[i].hash & mask;

		while (old[i].hit && r->hit_slots[at].hit)
			at = (at + 1) & mask;
		if (old[i].hit)
			r->hit_slots[at] = old[i];
	}
	free(old);
}

/* The counter for samples at this place, index + 1. */
static uint32_t find_hit(struct reading *r, const struct reading_hit *key)
{
	uint32_t hash = hash_hit(key);
	struct reading_slot *slot;

	if (r->n_hits * 2 >= r->n_slots)
		grow_slots(r);
	slot = find_slot(r, key, hash);
	if (!slot->hit) {
		GROW(r->hits, r->n_hits, r->cap_hits);
		r->hits[r->n_hits++] = *key;
		*slot = (struct reading_slot){ hash, (uint32_t)r->n_hits };
	}
	return slot->hit;
}

static void keep_chain(struct reading *r, const struct record *rec, const struct sample *s)
{
	struct cursor c = cursor_of(s->chain, s->chain_nr * 8, rec->swap);
	uint64_t ips[128], h, *slot;
	uint32_t n = 0;
	bool kernel = false, fresh;

	while (cursor_left(&c) >= 8 && n < ARRAY_SIZE(ips)) {
		uint64_t ip = cursor_u64(&c);

		if (ip >= (uint64_t)-4095) {	/* PERF_CONTEXT_MAX */
			if (kernel)
				break;
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL;
		} else if (kernel) {
			ips[n++] = ip;
		}
	}
	if (!n)
		return;
	h = hash_bytes(ips, n * sizeof(*ips));
	slot = map_put(&r->chain_by_hash, h, &fresh);
	if (fresh) {
		*slot = r->n_chains;
		GROW(r->chains, r->n_chains, r->cap_chains);
		r->chains[r->n_chains++] = (struct reading_chain){ r->n_chain_ips, n, 0 };
		for (uint32_t i = 0; i < n; i++) {
			GROW(r->chain_ips, r->n_chain_ips, r->cap_chain_ips);
			r->chain_ips[r->n_chain_ips++] = ips[i];
		}
	}
	r->chains[*slot].period += s->period;
}

/* What perf calls a thread whose name was not recorded. */
static uint32_t unnamed_thread(struct reading *r, uint32_t tid)
{
	char text[16];

	snprintf(text, sizeof(text), ":%d", (int)tid);
	return strtab_add(&r->p->strings, text);
}

/* Where samples belong, index of the hit + 1, and for how long they will. */
static uint32_t place(struct reading *r, uint64_t ip, uint64_t who, uint16_t mode,
		      uint32_t event, uint64_t time, struct timeline_span *span)
{
	bool kernel = mode == PERF_RECORD_MISC_KERNEL;
	uint32_t pid = (uint32_t)(who >> 32), tid = (uint32_t)who;
	const struct timeline_map *m = NULL;
	struct reading_hit key = { .addr = ip, .event = event };

	if (kernel || mode == PERF_RECORD_MISC_USER)
		m = timeline_find(&r->timeline, time, kernel ? TIMELINE_KERNEL : pid, ip, span);
	if (m) {
		key.dso = m->dso;
		if (!r->dsos[m->dso].absolute)
			key.addr = ip - m->start + m->pgoff;
	}
	if (r->by_comm) {
		key.comm = timeline_comm_of(&r->timeline, time, tid, span);
		if (!key.comm)
			key.comm = unnamed_thread(r, tid);
	}
	return find_hit(r, &key);
}

/* Samples that belong nowhere. */
struct rejects { uint64_t bad, orphans; };

/* Inlined into both passes: this is where the time goes. */
static inline __attribute__((always_inline)) bool
see(const struct reading *r, const struct record *rec, uint64_t seq, struct seen *v,
    bool flat, struct rejects *rejects)
{
	const struct perfdata_event *e = perfdata_event_of(&r->pd, rec);

	if (!e) {
		rejects->orphans++;
		return false;
	}
	if ((flat ? sample_decode_flat(rec, &e->layout, &v->s) :
	     sample_decode(rec, &e->layout, &v->s)) < 0) {
		rejects->bad++;
		return false;
	}
	if (!e->layout.period)
		v->s.period = e->period;
	v->time = r->timed ? v->s.time : seq;
	v->event = (uint32_t)(e - r->pd.events);
	v->mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	/* All see the same kernel; the thread matters for its name only. */
	v->who = (uint64_t)v->s.pid << 32 | v->s.tid;
	if (!r->by_comm)
		v->who = v->mode == PERF_RECORD_MISC_KERNEL ? 0 : v->who & ~(uint64_t)UINT32_MAX;
	return true;
}

static void add_rejects(struct profile *p, const struct rejects *rejects)
{
	p->bad += rejects->bad;
	p->orphans += rejects->orphans;
}

static inline size_t hash_place(uint64_t ip, uint64_t who, uint32_t event)
{
	uint64_t h = (ip ^ who << 7 ^ who >> 23 ^ (uint64_t)event << 40) * 0x9e3779b97f4a7c15u;

	return (size_t)(h >> 32);
}

static void count_sample(struct counter *c, const struct seen *v)
{
	struct answer *a = &c->answers[hash_place(v->s.ip, v->who, v->event) & (ANSWERS - 1)];
	struct reading_hit *h;

	if (!a->hit || a->ip != v->s.ip || a->who != v->who || a->mode != v->mode ||
	    a->event != v->event || v->time < a->span.from || v->time >= a->span.until) {
		struct timeline_span span = TIMELINE_ALWAYS;
		uint32_t found = place(c->r, v->s.ip, v->who, v->mode, v->event, v->time, &span);

		*a = (struct answer){ v->s.ip, span, v->who, v->event, v->mode, found };
	}
	h = &c->r->hits[a->hit - 1];
	h->samples++;
	h->period += v->s.period;
}

/* A group read is one sample for each member that moved since the last. */
static void count_group(struct counter *c, const struct record *rec, struct seen *v)
{
	struct reading *r = c->r;
	struct cursor in = cursor_of(v->s.read, v->s.read_nr * v->s.read_stride, rec->swap);

	for (uint64_t i = 0; i < v->s.read_nr; i++) {
		uint64_t value = cursor_u64(&in), id = cursor_u64(&in), *last;
		const struct perfdata_event *e = perfdata_event_by_id(&r->pd, id);

		if (v->s.read_stride > 16)
			cursor_u64(&in);
		last = map_put(&r->read_values, id, NULL);
		v->s.period = value - *last;
		*last = value;
		if (e && v->s.period) {
			v->event = (uint32_t)(e - r->pd.events);
			count_sample(c, v);
		}
	}
}

static void count_branches(struct reading *r, const struct record *rec, const struct seen *v)
{
	struct branch_stack b;

	if (sample_branch_stack(rec, &r->pd.events[v->event].layout, &b) < 0)
		r->p->bad++;
	reading_branch_stack(r, &b, v->s.pid, v->time);
}

void reading_count(struct reading *r, const struct profile_options *o)
{
	struct counter c = { r, xcalloc(ANSWERS, sizeof(*c.answers)) };
	struct rejects rejects = { 0 };
	struct record rec;
	struct seen v;

	perfdata_rewind(&r->pd);
	for (uint64_t seq = 1; perfdata_next(&r->pd, &rec) > 0; seq++) {
		if (rec.type != PERF_RECORD_SAMPLE || !see(r, &rec, seq, &v, false, &rejects))
			continue;
		if (o->entries && v.s.chain_nr && v.event == 0)
			keep_chain(r, &rec, &v.s);
		if (o->branches)
			count_branches(r, &rec, &v);
		if (v.s.read_nr && v.s.read_stride >= 16)
			count_group(&c, &rec, &v);
		else
			count_sample(&c, &v);
	}
	add_rejects(r->p, &rejects);
	free(c.answers);
}

/*
 * Before all maps are known samples can only be counted by process and address.
 * When at the end the answer is the same for the first and the last sample of
 * each, that was enough. Recordings of many short processes are too varied for
 * it: then the attempt ends early and costs little.
 */
struct early {
	uint64_t ip, who, first, last, period;
	uint32_t samples;
	uint16_t event, mode;
};

#define EARLY_MAX 32768u	/* places */

struct early_table {
	struct rejects rejects;
	struct early *v;	/* open addressing: samples == 0 is free */
	size_t n, cap;
	uint64_t samples;
};

/* Whether so many places for so few samples leave hope. */
static bool too_varied(const struct early_table *t)
{
	return t->n >= EARLY_MAX || (t->n >= 1024 && t->samples < 8 * t->n);
}

/* The entry of v, or the free one where it belongs. */
static inline struct early *find_early(struct early *table, size_t cap,
				       const struct early *key)
{
	size_t i = hash_place(key->ip, key->who, key->event) & (cap - 1);

	for (; table[i].samples; i = (i + 1) & (cap - 1))
		if (table[i].ip == key->ip && table[i].who == key->who &&
		    table[i].event == key->event && table[i].mode == key->mode)
			break;
	return &table[i];
}

static void grow_early(struct early_table *t)
{
	size_t cap = t->cap ? t->cap * 2 : 1024;
	struct early *v = xcalloc(cap, sizeof(*v));

	for (size_t i = 0; i < t->cap; i++)
		if (t->v[i].samples)
			*find_early(v, cap, &t->v[i]) = t->v[i];
	free(t->v);
	t->v = v;
	t->cap = cap;
}

/* What a group read means depends on the ones before. */
static bool has_reads(const struct reading *r)
{
	for (size_t i = 0; i < r->pd.n_events; i++)
		if (r->pd.events[i].layout.sample_type & PERF_SAMPLE_READ)
			return true;
	return false;
}

void reading_early_begin(struct reading *r)
{
	if (has_reads(r))
		return;
	r->early = xcalloc(1, sizeof(*r->early));
	grow_early(r->early);
}

void reading_early_release(struct reading *r)
{
	if (r->early)
		free(r->early->v);
	free(r->early);
	r->early = NULL;
}

static void give_up_early(struct reading *r)
{
	reading_early_release(r);
	r->n_hits = 0;
	free(r->hit_slots);
	r->hit_slots = NULL;
	r->n_slots = 0;
}

void reading_early_sample(struct reading *r, const struct record *rec, uint64_t seq)
{
	struct early_table *t = r->early;
	struct early key = { 0 }, *e;
	struct seen v;

	if (!see(r, rec, seq, &v, true, &t->rejects))
		return;
	key.ip = v.s.ip;
	key.who = v.who;
	key.event = (uint16_t)v.event;
	key.mode = v.mode;
	e = find_early(t->v, t->cap, &key);
	if (!e->samples) {
		*e = key;
		e->first = e->last = v.time;
		t->n++;
	}
	if (v.time < e->first)
		e->first = v.time;
	if (v.time > e->last)
		e->last = v.time;
	e->samples++;
	e->period += v.s.period;
	t->samples++;
	if (t->n * 2 < t->cap)
		return;
	if (too_varied(t))
		give_up_early(r);
	else
		grow_early(t);
}

bool reading_early_settle(struct reading *r)
{
	if (has_reads(r))	/* an event that came late in a stream */
		give_up_early(r);
	for (size_t i = 0; r->early && i < r->early->cap; i++) {
		const struct early *e = &r->early->v[i];
		struct timeline_span span = TIMELINE_ALWAYS;
		struct reading_hit *h;
		uint32_t found;

		if (!e->samples)
			continue;
		found = place(r, e->ip, e->who, e->mode, e->event, e->first, &span);
		h = &r->hits[found - 1];
		if (e->first < span.from || e->last >= span.until) {
			give_up_early(r);
			return false;
		}
		h->samples += e->samples;
		h->period += e->period;
	}
	if (!r->early)
		return false;
	add_rejects(r->p, &r->early->rejects);
	reading_early_release(r);
	return true;
}
