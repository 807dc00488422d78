/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/threads.h"
#include "src/base/mem.h"
#include "src/perf/perfdata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 100000u	/* rows; a storm of short ones is cut off, and said */

static struct result_thread *thread_of(struct result_row *row, uint32_t pid, uint32_t tid)
{
	/* Threads end one after another: the last one asked for is the likeliest. */
	for (size_t i = row->n_per_thread; i-- > 0;)
		if (row->per_thread[i].tid == tid && row->per_thread[i].pid == pid)
			return &row->per_thread[i];
	if (row->n_per_thread == MAX_THREADS)
		return NULL;
	GROW(row->per_thread, row->n_per_thread, row->cap_per_thread);
	row->per_thread[row->n_per_thread] = (struct result_thread){ .pid = pid, .tid = tid };
	return &row->per_thread[row->n_per_thread++];
}

void threads_of_batches(struct result_row *row)
{
	for (size_t i = 0; i < row->n_reps; i++)
		for (size_t k = 0; k < row->reps[i].n_batches; k++) {
			const struct result_batch *b = &row->reps[i].batches[k];
			struct result_thread *t = thread_of(row, 0, b->thread);

			if (!t)
				return;
			snprintf(t->comm, sizeof(t->comm), "thread %u", b->thread);
			t->cpu_s += b->cpu_s;
			/* One batch without a count, and the sum would lie. */
			if (b->cycles <= 0)
				t->uncounted = true;
			t->cycles += b->cycles;
			t->instructions += b->instructions;
			t->counted_s += b->counted_s;
		}
}

static int by_time(const void *a, const void *b)
{
	const struct result_thread *x = a, *y = b;

	if (x->cpu_s != y->cpu_s)
		return x->cpu_s > y->cpu_s ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Which threads there were, what they were called, and what each left behind. */
struct known {
	uint32_t pid, tid;
	bool told, ended;
	char comm[32];
	double count[SAMPLING_COUNTS];
};

struct census {
	struct known *v;
	size_t n, cap;
};

static struct known *known_of(struct census *c, uint32_t pid, uint32_t tid)
{
	/* Threads end one after another: the last one asked for is the likeliest. */
	for (size_t i = c->n; i-- > 0;)
		if (c->v[i].tid == tid && c->v[i].pid == pid)
			return &c->v[i];
	GROW(c->v, c->n, c->cap);
	memset(&c->v[c->n], 0, sizeof(*c->v));
	c->v[c->n].pid = pid;
	c->v[c->n].tid = tid;
	return &c->v[c->n++];
}

/* A thread is called what the one that made it was called, until it says else. */
static void name_thread(struct census *c, const struct record *rec)
{
	struct record_task task;
	char comm[32];

	if (record_task(rec, &task) < 0)
		return;
	if (rec->type == PERF_RECORD_EXIT) {
		known_of(c, task.pid, task.tid)->ended = true;
		return;
	}
	snprintf(comm, sizeof(comm), "%.31s", rec->type == PERF_RECORD_COMM ? task.comm :
		 known_of(c, task.ppid, task.ptid)->comm);
	memcpy(known_of(c, task.pid, task.tid)->comm, comm, sizeof(comm));
}

static void add_read(const struct sampling *s, const struct perfdata *pd,
		     const struct record *rec, struct census *c)
{
	const struct perfdata_event *e;
	struct record_read v;
	struct known *k;
	size_t i;

	if (record_read(rec, &v) < 0 || !(e = perfdata_event_by_id(pd, v.id)) || e == pd->events)
		return;
	i = (size_t)(e - pd->events) - 1;	/* the first one tracks names */
	if (i >= s->n_counts)
		return;
	k = known_of(c, v.pid, v.tid);
	k->told = true;
	k->count[i] += (double)v.value;		/* there is one event on each CPU */
}

/*
 * The kernel exchanges the events of threads that follow each other on a CPU, so
 * any one of them may end with those that were opened first, and those tell
 * nothing: the rest of the total is the count of the one that told nothing. Of
 * kernels that leave no counts at all (6.1 for one), none is known.
 * Returns how many told nothing.
 */
static int add_rest(const struct sampling *s, struct census *c)
{
	struct known *silent = NULL;
	int n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].ended && !c->v[i].told) {
			silent = &c->v[i];
			n++;
		}
	for (size_t e = 0; n == 1 && e < s->n_counts; e++) {
		double value = (double)s->totals[e][0];

		for (size_t i = 0; i < c->n; i++)
			if (&c->v[i] != silent)
				value -= c->v[i].count[e];
		silent->count[e] = value > 0 ? value : 0;
		silent->told = true;
	}
	return n;
}

/* One thread's counts as a row; what shared a counter is scaled, and said to be. */
static void add_thread(const struct sampling *s, const struct known *k, struct result_row *row)
{
	struct result_thread *t = thread_of(row, k->pid, k->tid);

	if (!t)
		return;
	memcpy(t->comm, k->comm, sizeof(t->comm));
	for (size_t e = 0; e < s->n_counts; e++) {
		/* All CPUs' events are enabled whenever the thread runs on any. */
		double enabled = (double)s->totals[e][1] / (double)s->machine->n_allowed;
		double share = enabled > 0 ? (double)s->totals[e][2] / enabled : 1;
		double value = share > 0 ? k->count[e] / fmin(1, share) : 0;
		const char *name = s->counts[e]->name;

		t->scaled |= share < 0.97;
		if (!strcmp(name, "cycles"))
			t->cycles = value;
		else if (!strcmp(name, "instructions"))
			t->instructions = value;
		else if (!strcmp(name, "task-clock"))
			t->cpu_s = t->counted_s = value * 1e-9;
	}
}

int threads_of_recording(const struct sampling *s, const char *path, struct result_row *row,
			 struct err *err)
{
	struct census c = { .n = 0 };
	struct perfdata pd;
	struct record rec;
	int silent;

	if (perfdata_open(&pd, path, err) < 0)
		return err->code;
	while (perfdata_next(&pd, &rec) > 0) {
		if (rec.type == PERF_RECORD_READ)
			add_read(s, &pd, &rec, &c);
		else if (rec.type == PERF_RECORD_COMM || rec.type == PERF_RECORD_FORK ||
			 rec.type == PERF_RECORD_EXIT)
			name_thread(&c, &rec);
	}
	silent = add_rest(s, &c);
	for (size_t i = 0; i < c.n; i++)
		if (c.v[i].told)
			add_thread(s, &c.v[i], row);
	free(c.v);
	perfdata_release(&pd);
	if (row->n_per_thread)
		qsort(row->per_thread, row->n_per_thread, sizeof(*row->per_thread), by_time);
	return silent > 1 ? silent : 0;
}
