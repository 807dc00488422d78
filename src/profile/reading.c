/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/profile/reading.h"
#include "src/base/cursor.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fact about maps or names, to be put in the order of time. */
struct fact {
	uint64_t time;
	uint64_t start, len, pgoff;
	uint32_t seq;
	uint32_t pid, tid, ppid, ptid;
	uint32_t what;		/* dso index or comm string */
	uint8_t kind;		/* record type */
	bool exec;
};

struct facts {
	struct fact *v;
	size_t n, cap;
};

/* perf delivers records without a time at once, samples only when a round
 * later has ended; what it has delivered so far is the time of the former. */
struct rounds { uint64_t max, next, delivered; };

static void rounds_see(struct rounds *r, uint64_t time)
{
	if (time > r->max)
		r->max = time;
}

static void rounds_end(struct rounds *r)
{
	r->delivered = r->next;
	r->next = r->max;
}

int reading_open(struct reading *r, struct profile *p, const char *path, struct err *err)
{
	memset(r, 0, sizeof(*r));
	r->p = p;
	strtab_add(&p->strings, "");
	GROW(r->dsos, r->n_dsos, r->cap_dsos);
	memset(&r->dsos[0], 0, sizeof(r->dsos[0]));
	r->dsos[0].path = r->dsos[0].shown = strtab_add(&p->strings, "[unknown]");
	r->n_dsos = 1;
	return perfdata_open(&r->pd, path, err);
}

void reading_release(struct reading *r)
{
	for (size_t i = 0; i < r->n_dsos; i++)
		dso_free(r->dsos[i].dso);
	free(r->dsos);
	free(r->hits);
	free(r->chains);
	free(r->chain_ips);
	map_release(&r->dso_by_key);
	map_release(&r->read_values);
	map_release(&r->chain_by_hash);
	timeline_release(&r->timeline);
	perfdata_release(&r->pd);
}

/* Names as perf shows them: the last part of a path; "[ext4]" for a module's
 * file (tools/perf/util/dso.c, __kmod_path__parse()). */
static uint32_t shown_name(struct strtab *t, const char *path, bool kernel)
{
	const char *name = dso_short_name(path), *ext = strstr(name, ".ko");
	char text[128];

	if (!kernel || name[0] == '[' || !ext || (ext[3] && ext[3] != '.'))
		return strtab_add(t, name);
	snprintf(text, sizeof(text), "[%.*s]", ext - name < 120 ? (int)(ext - name) : 120, name);
	for (char *c = text; *c; c++)
		if (*c == '-')
			*c = '_';
	return strtab_add(t, text);
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static uint32_t add_dso(struct reading *r, const struct record_mmap *m, bool kernel)
{
	const char *path = m->path[0] ? m->path : "[unknown]", *end = strchr(path, ']');
	struct strtab *t = &r->p->strings;
	uint64_t h, *slot;
	bool fresh;
	struct reading_dso d = { 0 };

	/* "[kernel.kallsyms]_text" names the symbol its address belongs to. */
	if (kernel && path[0] == '[' && end) {
		d.path = strtab_addn(t, path, (size_t)(end + 1 - path));
		d.key.kernel_text = end[1] ? m->pgoff : 0;
	} else {
		d.path = strtab_add(t, path);
	}
	d.key.kernel = kernel;
	d.key.inode = m->inode;
	d.key.build_id_len = m->build_id_len;
	memcpy(d.key.build_id, m->build_id, sizeof(d.key.build_id));
	/* Anonymous memory is named by the process's own JIT map. */
	if (starts(path, "//anon") || starts(path, "/dev/zero") || starts(path, "/anon_hugepage") ||
	    starts(path, "/memfd:") || starts(path, "[anon"))
		d.key.pid = m->pid;
	d.absolute = kernel || d.key.pid || starts(path, "[stack") || starts(path, "/SYSV") ||
		!strcmp(path, "[heap]");
	h = hash_bytes(m->build_id, m->build_id_len) ^ hash_u64(d.path + 1) ^
		hash_u64(m->inode * 31 + d.key.pid);
	slot = map_put(&r->dso_by_key, h, &fresh);
	if (!fresh)
		return (uint32_t)*slot;
	d.shown = shown_name(t, strtab_get(t, d.path), kernel);
	GROW(r->dsos, r->n_dsos, r->cap_dsos);
	r->dsos[r->n_dsos] = d;
	*slot = r->n_dsos;
	if (kernel && !r->kernel_dso && path[0] == '[')
		r->kernel_dso = (uint32_t)r->n_dsos;
	return (uint32_t)r->n_dsos++;
}

static void add_fact(struct reading *r, struct facts *facts, const struct record *rec,
		     uint64_t time)
{
	const struct event_layout *l = &r->pd.events[0].layout;
	struct fact f = { .time = time, .seq = (uint32_t)facts->n, .kind = (uint8_t)rec->type };
	struct record_mmap m;
	struct record_task t;
	bool kernel;

	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (record_mmap(rec, l, &m) < 0) {
			r->p->bad++;
			return;
		}
		kernel = (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL ||
			m.pid == TIMELINE_KERNEL;
		f.kind = PERF_RECORD_MMAP;
		f.pid = kernel ? TIMELINE_KERNEL : m.pid;
		f.start = m.addr;
		f.len = m.len;
		/* The vdso is no file; kernels differ in what they say here. */
		f.pgoff = strcmp(m.path, "[vdso]") ? m.pgoff : 0;
		f.what = add_dso(r, &m, kernel);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
		if (record_task(rec, &t) < 0) {
			r->p->bad++;
			return;
		}
		f.pid = t.pid;
		f.tid = t.tid;
		f.ppid = t.ppid;
		f.ptid = t.ptid;
		f.exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC;
		f.what = strtab_add(&r->p->strings, t.comm);
		break;
	default:
		return;
	}
	GROW(facts->v, facts->n, facts->cap);
	facts->v[facts->n++] = f;
}

static int by_time(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void apply_facts(struct reading *r, struct facts *facts)
{
	struct timeline *t = &r->timeline;

	/* No record names the idle thread; its children are named after it. */
	timeline_comm(t, 0, 0, 0, strtab_add(&r->p->strings, "swapper"), false);
	qsort(facts->v, facts->n, sizeof(*facts->v), by_time);
	for (size_t i = 0; i < facts->n; i++) {
		const struct fact *f = &facts->v[i];

		if (f->kind == PERF_RECORD_MMAP)
			timeline_map(t, f->time, f->pid, f->start, f->len, f->pgoff, f->what);
		else if (f->kind == PERF_RECORD_COMM)
			timeline_comm(t, f->time, f->pid, f->tid, f->what, f->exec);
		else
			timeline_fork(t, f->time, f->pid, f->tid, f->ppid, f->ptid);
	}
	timeline_finish(t);
	free(facts->v);
}

static void count_record(struct profile *p, const struct record *rec)
{
	p->records[rec->type < 95 ? rec->type : 95]++;
	p->bytes_read += rec->size;
	p->lost += record_lost(rec);
}

/* First pass: everything but samples. */
static void read_facts(struct reading *r)
{
	const struct event_layout *l = &r->pd.events[0].layout;
	struct facts facts = { 0 };
	struct rounds rounds = { 0 };
	struct record rec;
	uint64_t seq = 0;

	r->timed = l->sample_type & PERF_SAMPLE_TIME;
	perfdata_rewind(&r->pd);
	while (perfdata_next(&r->pd, &rec) > 0) {
		struct record_trailer t = { 0 };
		struct sample s;

		seq++;
		count_record(r->p, &rec);
		if (rec.type == RECORD_FINISHED_ROUND)
			rounds_end(&rounds);
		if (rec.type == PERF_RECORD_SAMPLE) {
			if (r->timed && !l->sample_id_all &&
			    sample_decode(&rec, l, &s) == 0)
				rounds_see(&rounds, s.time);
			continue;
		}
		if (rec.type > PERF_RECORD_MMAP2)
			continue;
		record_trailer(&rec, l, &t);
		add_fact(r, &facts, &rec, !r->timed ? seq : t.has_time ? t.time :
			 rounds.delivered);
	}
	apply_facts(r, &facts);
}

/* The counter for samples at this place. */
static struct reading_hit *hit(struct reading *r, const struct reading_hit *key)
{
	size_t i;

	if (r->n_hits * 2 >= r->cap_hits) {
		struct reading_hit *old = r->hits;
		size_t old_cap = r->cap_hits;

		r->cap_hits = old_cap ? old_cap * 2 : 1024;
		r->hits = xcalloc(r->cap_hits, sizeof(*r->hits));
		r->n_hits = 0;
		for (i = 0; i < old_cap; i++)
			if (old[i].samples)
				*hit(r, &old[i]) = old[i];
		free(old);
	}
	i = hash_u64(key->addr ^ ((uint64_t)key->dso << 48) ^ ((uint64_t)key->comm << 32) ^
		     ((uint64_t)key->event << 24)) & (r->cap_hits - 1);
	for (; r->hits[i].samples; i = (i + 1) & (r->cap_hits - 1))
		if (r->hits[i].addr == key->addr && r->hits[i].dso == key->dso &&
		    r->hits[i].comm == key->comm && r->hits[i].event == key->event)
			return &r->hits[i];
	r->hits[i] = *key;
	r->hits[i].samples = r->hits[i].period = 0;
	r->n_hits++;
	return &r->hits[i];
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

struct map_cache { const struct timeline_map *map; uint64_t page; uint32_t pid; };
#define MAP_CACHE 1024

static const struct timeline_map *find_map(const struct reading *r, struct map_cache *cache,
					   uint64_t time, uint32_t pid, uint64_t ip)
{
	uint64_t page = ip >> 12;
	struct map_cache *c = &cache[(page * 31 + pid * 7919u) & (MAP_CACHE - 1)];
	const struct timeline_map *m = c->map;
	bool own = false;

	if (m && c->page == page && c->pid == pid && ip >= m->start && ip < m->end &&
	    time >= m->birth && time < m->death)
		return m;
	m = timeline_find(&r->timeline, time, pid, ip, &own);
	if (m && own)
		*c = (struct map_cache){ m, page, pid };
	return m;
}

static void count_sample(struct reading *r, const struct record *rec, const struct sample *s,
			 const struct perfdata_event *e, uint64_t time, struct map_cache *cache)
{
	uint16_t mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL;
	const struct timeline_map *m = NULL;
	struct reading_hit key = { .addr = s->ip, .pid = s->pid }, *h;

	if (kernel || mode == PERF_RECORD_MISC_USER)
		m = find_map(r, cache, time, kernel ? TIMELINE_KERNEL : s->pid, s->ip);
	if (m) {
		key.dso = m->dso;
		if (!r->dsos[m->dso].absolute)
			key.addr = s->ip - m->start + m->pgoff;
	}
	key.event = (uint32_t)(e - r->pd.events);
	key.comm = timeline_comm_of(&r->timeline, time, s->tid);
	if (!key.comm)
		key.comm = unnamed_thread(r, s->tid);
	h = hit(r, &key);
	h->samples++;
	h->period += s->period;
}

/* A group read is one sample for each member that moved since the last. */
static void count_group(struct reading *r, const struct record *rec, struct sample *s,
			uint64_t time, struct map_cache *cache)
{
	struct cursor c = cursor_of(s->read, s->read_nr * s->read_stride, rec->swap);

	for (uint64_t i = 0; i < s->read_nr; i++) {
		uint64_t value = cursor_u64(&c), id = cursor_u64(&c), *last;
		const struct perfdata_event *e = perfdata_event_by_id(&r->pd, id);

		if (s->read_stride > 16)
			cursor_u64(&c);
		last = map_put(&r->read_values, id, NULL);
		s->period = value - *last;
		*last = value;
		if (e && s->period)
			count_sample(r, rec, s, e, time, cache);
	}
}

static void read_samples(struct reading *r, bool chains)
{
	struct map_cache *cache = xcalloc(MAP_CACHE, sizeof(*cache));
	struct record rec;
	uint64_t seq = 0;

	perfdata_rewind(&r->pd);
	while (perfdata_next(&r->pd, &rec) > 0) {
		const struct perfdata_event *e;
		struct sample s;
		uint64_t time;

		seq++;
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		e = perfdata_event_of(&r->pd, &rec);
		if (!e) {
			r->p->orphans++;
			continue;
		}
		if (sample_decode(&rec, &e->layout, &s) < 0) {
			r->p->bad++;
			continue;
		}
		if (!(e->layout.sample_type & PERF_SAMPLE_PERIOD))
			s.period = e->period;
		time = r->timed ? s.time : seq;
		if (s.read_nr && s.read_stride >= 16)
			count_group(r, &rec, &s, time, cache);
		else
			count_sample(r, &rec, &s, e, time, cache);
		if (chains && s.chain_nr && e == &r->pd.events[0])
			keep_chain(r, &rec, &s);
	}
	free(cache);
}

void reading_run(struct reading *r, const struct profile_options *o)
{
	read_facts(r);
	read_samples(r, o->entries);
}
