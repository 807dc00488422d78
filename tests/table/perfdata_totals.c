/* SPDX-License-Identifier: MIT */
/*
 * What the profile layer counts in a recording, a fact a line, fields parted
 * by tabs; perfdata.sh compares them with what perf said of the same file.
 *
 *   event    NAME SAMPLES PERIOD
 *   record   NAME COUNT
 *   lost     COUNT
 *   comm_dso NAME SAMPLES PERIOD COMM DSO
 *   comm_sym NAME SAMPLES PERIOD COMM DSO ADDRESS
 *
 * With --stacks before the file: a line for each sample with a branch stack,
 * "PID TID TIME FROM>TO:M;...", M for mispredicted, P for predicted, else -.
 */
#include "config.h"
#include "src/base/mem.h"
#include "src/perf/record.h"
#include "src/profile/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *event, *comm, *dso;
	uint64_t addr, samples, period;
};

static int by_dso(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = strcmp(x->event, y->event);

	c = c ? c : strcmp(x->comm, y->comm);
	return c ? c : strcmp(x->dso, y->dso);
}

static int by_addr(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = by_dso(a, b);

	return c ? c : x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_event(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->event, ((const struct row *)b)->event);
}

/* Sums the sorted rows that cmp holds equal, and prints each sum. */
static void print_sums(const struct row *v, size_t n, int (*cmp)(const void *, const void *),
		       const char *kind)
{
	for (size_t i = 0; i < n;) {
		struct row sum = v[i];

		for (i++; i < n && cmp(&v[i], &sum) == 0; i++) {
			sum.samples += v[i].samples;
			sum.period += v[i].period;
		}
		printf("%s\t%s\t%" PRIu64 "\t%" PRIu64, kind, sum.event, sum.samples, sum.period);
		if (cmp != by_event)
			printf("\t%s\t%s", sum.comm, sum.dso);
		if (cmp == by_addr)
			printf("\t0x%" PRIx64, sum.addr);
		putchar('\n');
	}
}

static void print_hits(const struct reading *r)
{
	struct row *v = xcalloc(r->n_hits, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < r->n_hits; i++) {
		const struct reading_hit *h = &r->hits[i];

		v[n++] = (struct row){
			.event = r->pd.events[h->event].name,
			.comm = strtab_get(&r->p->strings, h->comm),
			.dso = strtab_get(&r->p->strings, r->dsos[h->dso].shown),
			.addr = h->addr, .samples = h->samples, .period = h->period,
		};
	}
	qsort(v, n, sizeof(*v), by_addr);
	print_sums(v, n, by_event, "event");
	print_sums(v, n, by_dso, "comm_dso");
	print_sums(v, n, by_addr, "comm_sym");
	free(v);
}

static void print_profile(const struct profile *p)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(p->records); i++)
		if (p->records[i])
			printf("record\t%s\t%" PRIu64 "\n", record_name(i) ? record_name(i) : "?",
			       p->records[i]);
	printf("lost\t%" PRIu64 "\nbad\t%" PRIu64 "\norphans\t%" PRIu64 "\n", p->lost, p->bad,
	       p->orphans);
}

static int print_stacks(const char *path)
{
	struct perfdata pd;
	struct record rec;
	struct err err = { 0 };

	if (perfdata_open(&pd, path, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	while (perfdata_next(&pd, &rec) > 0) {
		const struct perfdata_event *e = rec.type == PERF_RECORD_SAMPLE ?
			perfdata_event_of(&pd, &rec) : NULL;
		struct branch_stack b;
		struct sample s;

		if (!e || !(e->layout.sample_type & PERF_SAMPLE_BRANCH_STACK) ||
		    sample_decode(&rec, &e->layout, &s) < 0 ||
		    sample_branch_stack(&rec, &e->layout, &b) < 0)
			continue;
		printf("%d %d %" PRIu64 " ", (int)s.pid, (int)s.tid, s.time);
		for (uint64_t i = 0; i < b.nr; i++) {
			struct branch_entry x = branch_stack_entry(&b, i);

			printf("%s0x%" PRIx64 ">0x%" PRIx64 ":%c", i ? ";" : "", x.from, x.to,
			       x.missed ? 'M' : x.predicted ? 'P' : '-');
		}
		putchar('\n');
	}
	perfdata_release(&pd);
	return 0;
}

int main(int argc, char **argv)
{
	const struct profile_options o = { 0 };
	struct profile p = { 0 };
	struct reading r;
	struct err err = { 0 };
	int rc;

	if (argc == 3 && !strcmp(argv[1], "--stacks"))
		return print_stacks(argv[2]);
	if (argc != 2)
		return 2;
	rc = reading_open(&r, &p, argv[1], &err);
	if (rc == 0) {
		r.by_comm = true;
		reading_run(&r, &o);
		print_hits(&r);
		print_profile(&p);
		fprintf(stderr, "%s", buf_str(&r.pd.warnings));
	} else {
		fprintf(stderr, "%s\n", err.msg);
	}
	reading_release(&r);
	profile_release(&p);
	return rc < 0;
}
