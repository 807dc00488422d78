/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/model_file.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/perf/record.h"
#include "src/perf/writer.h"
#include "src/run/build_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
		    PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)
#define TRAILER 24		/* pid and tid, time, identifier */
#define PAGE 4096u

static const char *const names[MODEL_EVENTS] = {
	[MODEL_INSTRUCTIONS] = "instructions", [MODEL_BRANCHES] = "branches",
	[MODEL_BRANCH_MISSES] = "branch-misses", [MODEL_L1D_MISSES] = "l1d-misses",
	[MODEL_L2_MISSES] = "l2-misses", [MODEL_LLC_MISSES] = "llc-misses",
	[MODEL_DTLB_WALKS] = "dtlb-walks", [MODEL_L1I_MISSES] = "l1i-misses",
};

const char *model_event_name(enum model_event e)
{
	return names[e];
}

uint64_t model_event_count(const struct counts_insn *i, enum model_event e)
{
	switch (e) {
	case MODEL_INSTRUCTIONS:
		return i->v[COUNTS_EXECUTED];
	case MODEL_BRANCHES:
		return counts_is_branch(i->kind) ? i->v[COUNTS_EXECUTED] : 0;
	case MODEL_BRANCH_MISSES:
		return i->v[COUNTS_MISSED];
	case MODEL_L1D_MISSES:
		return i->v[COUNTS_L1D];
	case MODEL_L2_MISSES:
		return i->v[COUNTS_L2];
	case MODEL_LLC_MISSES:
		return i->v[COUNTS_LLC];
	case MODEL_DTLB_WALKS:
		return i->v[COUNTS_TLB2];
	case MODEL_L1I_MISSES:
		return i->v[COUNTS_L1I];
	case MODEL_EVENTS:
		break;
	}
	return 0;
}

/* How far the instructions of a map reach; the tool does not know its end. */
static void put_maps(struct buf *b, const struct counts *c)
{
	uint64_t *end = xcalloc(c->n_maps, sizeof(*end));

	for (size_t i = 0; i < c->n_insns; i++)
		for (size_t k = 0; k < c->n_maps; k++)
			if (c->maps[k].number == c->insns[i].map &&
			    c->insns[i].addr >= c->maps[k].start && c->insns[i].addr >= end[k])
				end[k] = c->insns[i].addr + c->insns[i].len;
	for (size_t k = 0; k < c->n_maps; k++) {
		const struct counts_map *m = &c->maps[k];

		if (end[k])
			writer_mmap2(b, m->process, m->start,
				     (end[k] - m->start + PAGE - 1) / PAGE * PAGE, m->offset,
				     m->inode, m->path[0] ? m->path : "//anon", TRAILER,
				     PERF_RECORD_MISC_USER);
	}
	free(end);
}

static void put_samples(struct buf *b, const struct counts *c)
{
	for (int e = 0; e < MODEL_EVENTS; e++)
		for (size_t i = 0; i < c->n_insns; i++) {
			uint64_t n = model_event_count(&c->insns[i], (enum model_event)e);
			struct perf_event_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
						       8 + 8 * 5 };

			if (!n)
				continue;
			buf_add(b, &h, sizeof(h));
			buf_addu64(b, (uint64_t)e + 1);
			buf_addu64(b, c->insns[i].addr);
			buf_addu32(b, c->insns[i].process);
			buf_addu32(b, c->insns[i].process);
			buf_addu64(b, 1);
			buf_addu64(b, n);
		}
}

int model_write(const char *path, const struct counts *c, const struct machine *m,
		struct flight *f, char *const *argv, struct err *err)
{
	struct writer_event events[MODEL_EVENTS];
	uint64_t id[MODEL_EVENTS];
	char label[MODEL_EVENTS][40];
	struct build_ids ids = { 0 };
	struct writer_info info;
	struct buf b = BUF_INIT;
	struct writer w;
	int rc;

	memset(events, 0, sizeof(events));
	for (int e = 0; e < MODEL_EVENTS; e++) {
		id[e] = (uint64_t)e + 1;
		snprintf(label[e], sizeof(label[e]), "%s:model", names[e]);
		events[e].name = label[e];
		events[e].ids = &id[e];
		events[e].n_ids = 1;
		events[e].attr.type = PERF_TYPE_SOFTWARE;
		events[e].attr.config = PERF_COUNT_SW_DUMMY;
		events[e].attr.size = sizeof(events[e].attr);
		events[e].attr.sample_type = MODEL_TYPE;
		events[e].attr.sample_period = 1;
		events[e].attr.exclude_kernel = 1;
		events[e].attr.sample_id_all = 1;
	}
	rc = writer_open(&w, path, events, MODEL_EVENTS, err);
	if (rc < 0)
		return rc;
	put_maps(&b, c);
	put_samples(&b, c);
	writer_add(&w, b.data, b.len);
	writer_round(&w);
	buf_release(&b);
	build_ids_collect(&ids, f, path, &w, MODEL_TYPE);
	build_ids_info(&ids, m, argv, &info);
	rc = writer_finish(&w, &info, err);
	build_ids_release(&ids);
	return rc;
}
