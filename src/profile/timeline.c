/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/profile/timeline.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct timeline_process {
	uint64_t birth;
	size_t earlier;			/* incarnation of the same pid before, + 1 */
	size_t parent;			/* index + 1; asked for times before exec */
	uint64_t parent_until;		/* exec or later forgets the parent's maps */
	struct timeline_map *maps;	/* all versions; sorted when finished */
	uint64_t *max_end;		/* prefix maximum of end, when finished */
	size_t n, cap;
	uint32_t *live;			/* indices into maps, sorted by start */
	size_t n_live, cap_live;
};

struct comm_change { uint64_t time; uint32_t comm; };

struct timeline_thread {
	struct comm_change *v;
	size_t n, cap;
};

void timeline_release(struct timeline *t)
{
	for (size_t i = 0; i < t->n_procs; i++) {
		free(t->procs[i].maps);
		free(t->procs[i].max_end);
		free(t->procs[i].live);
	}
	for (size_t i = 0; i < t->n_threads; i++)
		free(t->threads[i].v);
	free(t->procs);
	free(t->threads);
	map_release(&t->by_pid);
	map_release(&t->by_tid);
	memset(t, 0, sizeof(*t));
}

static size_t new_process(struct timeline *t, uint32_t pid, uint64_t birth)
{
	uint64_t *slot = map_put(&t->by_pid, pid, NULL);
	struct timeline_process p = { .birth = birth, .earlier = *slot };

	GROW(t->procs, t->n_procs, t->cap_procs);
	t->procs[t->n_procs++] = p;
	*slot = t->n_procs;
	return t->n_procs - 1;
}

static size_t process(struct timeline *t, uint32_t pid)
{
	uint64_t *slot = map_find(&t->by_pid, pid);

	return slot ? *slot - 1 : new_process(t, pid, 0);
}

/* The first live map that ends behind addr. */
static size_t live_from(const struct timeline_process *p, uint64_t addr)
{
	size_t lo = 0, hi = p->n_live;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->maps[p->live[mid]].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void live_insert(struct timeline_process *p, struct timeline_map m)
{
	size_t at = live_from(p, m.start);

	GROW(p->maps, p->n, p->cap);
	p->maps[p->n] = m;
	GROW(p->live, p->n_live, p->cap_live);
	memmove(p->live + at + 1, p->live + at, (p->n_live - at) * sizeof(*p->live));
	p->live[at] = (uint32_t)p->n++;
	p->n_live++;
}

/* What the new map covers ends now; what sticks out on either side goes on. */
static void cut_overlaps(struct timeline_process *p, uint64_t time, uint64_t start, uint64_t end)
{
	size_t at = live_from(p, start), n = at;
	struct timeline_map left = { 0 }, right = { 0 };

	while (n < p->n_live && p->maps[p->live[n]].start < end) {
		struct timeline_map *m = &p->maps[p->live[n]];

		if (m->start < start) {
			left = *m;
			left.end = start;
		}
		if (m->end > end) {
			right = *m;
			right.pgoff += end - m->start;
			right.start = end;
		}
		m->death = time;
		n++;
	}
	if (n == at)
		return;
	memmove(p->live + at, p->live + n, (p->n_live - n) * sizeof(*p->live));
	p->n_live -= n - at;
	left.birth = right.birth = time;
	if (left.end > left.start)
		live_insert(p, left);
	if (right.end > right.start)
		live_insert(p, right);
}

void timeline_map(struct timeline *t, uint64_t time, uint32_t pid, uint64_t start,
		  uint64_t len, uint64_t pgoff, uint32_t dso)
{
	size_t i = process(t, pid);	/* may move procs */
	struct timeline_process *p = &t->procs[i];
	struct timeline_map m = { start, start + len, pgoff, time, UINT64_MAX, dso };

	if (!len)
		return;
	cut_overlaps(p, time, m.start, m.end);
	live_insert(p, m);
}

static struct timeline_thread *thread(struct timeline *t, uint32_t tid)
{
	uint64_t *slot = map_put(&t->by_tid, tid, NULL);

	if (!*slot) {
		GROW(t->threads, t->n_threads, t->cap_threads);
		memset(&t->threads[t->n_threads], 0, sizeof(*t->threads));
		*slot = ++t->n_threads;
	}
	return &t->threads[*slot - 1];
}

static void set_comm(struct timeline *t, uint64_t time, uint32_t tid, uint32_t comm)
{
	struct timeline_thread *th = thread(t, tid);

	GROW(th->v, th->n, th->cap);
	th->v[th->n++] = (struct comm_change){ time, comm };
}

void timeline_comm(struct timeline *t, uint64_t time, uint32_t pid, uint32_t tid,
		   uint32_t comm, bool exec)
{
	set_comm(t, time, tid, comm);
	if (exec) {
		size_t at = process(t, pid);	/* may move procs */
		struct timeline_process *p = &t->procs[at];

		for (size_t i = 0; i < p->n_live; i++)
			p->maps[p->live[i]].death = time;
		p->n_live = 0;
		if (p->parent_until > time)
			p->parent_until = time;
	}
}

void timeline_fork(struct timeline *t, uint64_t time, uint32_t pid, uint32_t tid,
		   uint32_t ppid, uint32_t ptid)
{
	struct timeline_span span = TIMELINE_ALWAYS;
	uint32_t comm = timeline_comm_of(t, time, ptid, &span);

	if (comm)
		set_comm(t, time, tid, comm);
	if (pid != ppid) {
		size_t parent = process(t, ppid), child = new_process(t, pid, time);

		t->procs[child].parent = parent + 1;
		t->procs[child].parent_until = UINT64_MAX;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct timeline_map *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->birth < y->birth ? -1 : x->birth > y->birth;
}

void timeline_finish(struct timeline *t)
{
	for (size_t i = 0; i < t->n_procs; i++) {
		struct timeline_process *p = &t->procs[i];
		uint64_t max = 0;

		if (!p->n)
			continue;
		qsort(p->maps, p->n, sizeof(*p->maps), by_start);
		p->max_end = xcalloc(p->n, sizeof(*p->max_end));
		for (size_t m = 0; m < p->n; m++) {
			if (p->maps[m].end > max)
				max = p->maps[m].end;
			p->max_end[m] = max;
		}
	}
}

static void narrow(struct timeline_span *s, uint64_t from, uint64_t until)
{
	if (from > s->from)
		s->from = from;
	if (until < s->until)
		s->until = until;
}

static const struct timeline_map *find_own(const struct timeline_process *p, uint64_t time,
					   uint64_t addr, struct timeline_span *span)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->maps[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* Older versions of the same place lie before; 4096 bounds a hostile file. */
	for (size_t steps = 0; lo > 0 && p->max_end[lo - 1] > addr; lo--, steps++) {
		const struct timeline_map *m = &p->maps[lo - 1];

		if (steps == 4096) {
			narrow(span, time, time);
			return NULL;
		}
		if (addr >= m->end)
			continue;
		if (time < m->birth)
			narrow(span, 0, m->birth);
		else if (time >= m->death)
			narrow(span, m->death, UINT64_MAX);
		else {
			narrow(span, m->birth, m->death);
			return m;
		}
	}
	return NULL;
}

/* The incarnation of a pid that lives at time, as index + 1; 0 when unknown. */
static size_t incarnation(const struct timeline *t, uint64_t time, uint32_t pid,
			  struct timeline_span *span)
{
	const uint64_t *slot = map_find(&t->by_pid, pid);
	size_t i = slot ? *slot : 0;

	/* No pid comes around this often in one recording; 4096 bounds a hostile file. */
	for (int n = 0; i && t->procs[i - 1].earlier && time < t->procs[i - 1].birth; n++) {
		narrow(span, 0, t->procs[i - 1].birth);
		i = n < 4096 ? t->procs[i - 1].earlier : 0;
	}
	if (i && t->procs[i - 1].earlier)
		narrow(span, t->procs[i - 1].birth, UINT64_MAX);
	return i;
}

const struct timeline_map *timeline_find(const struct timeline *t, uint64_t time, uint32_t pid,
					 uint64_t addr, struct timeline_span *span)
{
	struct timeline_span ignored = TIMELINE_ALWAYS;
	size_t i = incarnation(t, time, pid, span);

	for (int depth = 0; i && depth < 64; depth++) {
		const struct timeline_process *p = &t->procs[i - 1];
		const struct timeline_map *m = find_own(p, time, addr, span);

		if (m || !p->parent)
			return m;
		if (time >= p->parent_until) {
			narrow(span, p->parent_until, UINT64_MAX);
			return NULL;
		}
		narrow(span, p->birth, time < p->birth ? 0 : p->parent_until);
		/* The parent is asked for the moment of birth: always the same. */
		span = &ignored;
		if (time > p->birth)
			time = p->birth;
		i = p->parent;
	}
	return NULL;
}

uint32_t timeline_comm_of(const struct timeline *t, uint64_t time, uint32_t tid,
			  struct timeline_span *span)
{
	const uint64_t *slot = map_find(&t->by_tid, tid);
	const struct timeline_thread *th;
	size_t lo = 0, hi;

	if (!slot)
		return 0;
	th = &t->threads[*slot - 1];
	hi = th->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (th->v[mid].time <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)	/* before its first name: perf calls it by that one */
		lo = 1;
	narrow(span, lo > 1 ? th->v[lo - 1].time : 0, lo < th->n ? th->v[lo].time : UINT64_MAX);
	return th->v[lo - 1].comm;
}
