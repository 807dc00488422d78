/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/profile/reading.h"
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
	const char *slash = strrchr(path, '/');

	memset(r, 0, sizeof(*r));
	r->p = p;
	strtab_add(&p->strings, "");
	GROW(r->dsos, r->n_dsos, r->cap_dsos);
	memset(&r->dsos[0], 0, sizeof(r->dsos[0]));
	r->dsos[0].path = r->dsos[0].shown = strtab_add(&p->strings, "[unknown]");
	r->n_dsos = 1;
	r->folder = xstrndup(path, slash ? (size_t)(slash - path) : 1);
	if (!slash)
		r->folder[0] = '.';
	return perfdata_open(&r->pd, path, err);
}

void reading_release(struct reading *r)
{
	for (size_t i = 0; i < r->n_dsos; i++)
		dso_free(r->dsos[i].dso);
	free(r->dsos);
	free(r->folder);
	free(r->hits);
	free(r->hit_slots);
	reading_early_release(r);
	free(r->chains);
	free(r->chain_ips);
	map_release(&r->dso_by_key);
	map_release(&r->read_values);
	map_release(&r->chain_by_hash);
	free(r->branches);
	map_release(&r->branch_by_place);
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
		     const struct event_layout *l, uint64_t time)
{
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
	if (facts->n)
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
	if (rec->type == PERF_RECORD_LOST || rec->type == PERF_RECORD_LOST_SAMPLES)
		p->lost += record_lost(rec);
}

/* First pass: everything but samples, and those too if they can be counted. */
static void read_facts(struct reading *r)
{
	const struct event_layout l = r->pd.events[0].layout;
	struct facts facts = { 0 };
	struct rounds rounds = { 0 };
	struct record rec;
	uint64_t seq = 0;

	perfdata_rewind(&r->pd);
	while (perfdata_next(&r->pd, &rec) > 0) {
		struct record_trailer t = { 0 };
		struct sample s;

		seq++;
		count_record(r->p, &rec);
		if (rec.type == RECORD_FINISHED_ROUND)
			rounds_end(&rounds);
		if (rec.type == PERF_RECORD_SAMPLE) {
			if (r->timed && !l.sample_id_all &&
			    sample_decode(&rec, &l, &s) == 0)
				rounds_see(&rounds, s.time);
			if (r->early)
				reading_early_sample(r, &rec, seq);
			continue;
		}
		if (rec.type > PERF_RECORD_MMAP2)
			continue;
		record_trailer(&rec, &l, &t);
		add_fact(r, &facts, &rec, &l, !r->timed ? seq : t.has_time ? t.time :
			 rounds.delivered);
	}
	apply_facts(r, &facts);
}

static bool has_stacks(const struct reading *r)
{
	for (size_t i = 0; i < r->pd.n_events; i++)
		if (r->pd.events[i].layout.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

void reading_run(struct reading *r, const struct profile_options *o)
{
	r->timed = r->pd.events[0].layout.time;
	/* Call chains and branch stacks are read in the second pass. */
	if (!o->entries && !(o->branches && has_stacks(r)))
		reading_early_begin(r);
	read_facts(r);
	if (!r->early || !reading_early_settle(r))
		reading_count(r, o);
	free(r->hit_slots);
	r->hit_slots = NULL;
}
