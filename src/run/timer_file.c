/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/buf.h"
#include "src/perf/record.h"
#include "src/perf/writer.h"
#include "src/run/build_ids.h"
#include "src/run/timer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define TIMER_ID 1u
#define TIMER_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
		    PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define TRAILER 24		/* pid and tid, time, identifier */

static void put_comm(struct buf *b, uint32_t pid, uint32_t tid, const char *comm)
{
	char name[16] = "";
	struct perf_event_header h = { PERF_RECORD_COMM, 0, 8 + 8 + sizeof(name) + TRAILER };

	snprintf(name, sizeof(name), "%.15s", comm);
	buf_add(b, &h, sizeof(h));
	buf_addu32(b, pid);
	buf_addu32(b, tid);
	buf_add(b, name, sizeof(name));
	for (int i = 0; i < TRAILER / 8; i++)
		buf_addu64(b, 0);
}

/* Executable lines of /proc/PID/maps; "deleted" files keep their mark. */
static void put_maps(struct buf *b, uint32_t pid, const char *maps)
{
	for (const char *p = maps; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		unsigned long long start, end, off, inode;
		char perms[8], path[1024] = "";
		int at = 0;

		if (sscanf(p, "%llx-%llx %7s %llx %*s %llu%n", &start, &end, perms, &off, &inode,
			   &at) < 5 || perms[2] != 'x')
			continue;
		/* Code made at run time has no path: a blank in a format would go on
		 * to the next line's. */
		sscanf(p + at, "%*[ ]%1023[^\n]", path);
		writer_mmap2(b, pid, start, end - start, off, inode, path[0] ? path : "//anon",
			     TRAILER, PERF_RECORD_MISC_USER);
	}
}

static void put_sample(struct buf *b, uint32_t pid, int rate_hz, const struct protocol_sample *s)
{
	uint32_t n = s->n_chain < PROTOCOL_CHAIN ? s->n_chain : PROTOCOL_CHAIN;
	struct perf_event_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
				       (uint16_t)(8 + 8 * (8 + n)) };

	buf_add(b, &h, sizeof(h));
	buf_addu64(b, TIMER_ID);
	buf_addu64(b, s->ip);
	buf_addu32(b, pid);
	buf_addu32(b, s->tid);
	buf_addu64(b, s->time_ns);
	buf_addu64(b, s->weight * (1000000000ull / (unsigned)rate_hz));
	buf_addu64(b, n + 2);
	buf_addu64(b, (uint64_t)PERF_CONTEXT_USER);
	buf_addu64(b, s->ip);
	buf_add(b, s->chain, 8 * n);
}

int timer_write(const char *path, const struct machine *m, const char *comm, uint32_t pid,
		int rate_hz, const char *maps, const struct protocol_sample *v, size_t n,
		struct flight *f, char *const *argv, struct err *err)
{
	static const uint64_t id = TIMER_ID;
	struct writer_event e = { .name = TIMER_EVENT, .ids = &id, .n_ids = 1 };
	struct build_ids ids = { 0 };
	struct writer_info info;
	struct buf b = BUF_INIT;
	struct writer w;
	uint32_t last = pid;
	int rc;

	e.attr.type = PERF_TYPE_SOFTWARE;
	e.attr.config = PERF_COUNT_SW_TASK_CLOCK;
	e.attr.size = sizeof(e.attr);
	e.attr.sample_type = TIMER_TYPE;
	e.attr.freq = 1;
	e.attr.sample_freq = (uint64_t)rate_hz;
	e.attr.exclude_kernel = 1;
	e.attr.sample_id_all = 1;
	e.attr.use_clockid = 1;
	e.attr.clockid = CLOCK_MONOTONIC_RAW;
	rc = writer_open(&w, path, &e, 1, err);
	if (rc < 0)
		return rc;
	put_comm(&b, pid, pid, comm);
	put_maps(&b, pid, maps);
	for (size_t i = 0; i < n; i++) {
		if (v[i].tid != last)
			put_comm(&b, pid, last = v[i].tid, comm);
		put_sample(&b, pid, rate_hz, &v[i]);
	}
	writer_add(&w, b.data, b.len);
	writer_round(&w);
	buf_release(&b);
	build_ids_collect(&ids, f, path, &w, TIMER_TYPE);
	build_ids_info(&ids, m, argv, &info);
	rc = writer_finish(&w, &info, err);
	build_ids_release(&ids);
	return rc;
}
