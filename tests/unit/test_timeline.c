/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/profile/timeline.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* The dso at addr, NONE when there is none; checks that the span holds. */
static uint32_t dso_at(const struct timeline *t, uint64_t time, uint32_t pid, uint64_t addr)
{
	struct timeline_span span = TIMELINE_ALWAYS;
	const struct timeline_map *m = timeline_find(t, time, pid, addr, &span);

	if (m)
		assert_true(addr >= m->start && addr < m->end);
	return m ? m->dso : NONE;
}

static uint64_t offset_at(const struct timeline *t, uint64_t time, uint32_t pid, uint64_t addr)
{
	struct timeline_span span = TIMELINE_ALWAYS;
	const struct timeline_map *m = timeline_find(t, time, pid, addr, &span);

	assert_non_null(m);
	return addr - m->start + m->pgoff;
}

static uint32_t comm_at(const struct timeline *t, uint64_t time, uint32_t tid)
{
	struct timeline_span span = TIMELINE_ALWAYS;

	return timeline_comm_of(t, time, tid, &span);
}

static void test_overlaps(void **state)
{
	struct timeline t = { 0 };

	timeline_map(&t, 10, 1, 0x1000, 0x9000, 0, 1);
	timeline_map(&t, 20, 1, 0x4000, 0x2000, 0x500, 2);	/* into the middle */
	timeline_map(&t, 30, 1, 0x0, 0x2000, 0, 3);		/* over the front */
	timeline_map(&t, 40, 1, 0x9000, 0x9000, 0, 4);		/* over the back */
	timeline_map(&t, 50, 1, 0x0, 0x100000, 0, 5);		/* over everything */
	timeline_finish(&t);

	assert_int_equal(dso_at(&t, 15, 1, 0x4000), 1);
	assert_int_equal(dso_at(&t, 25, 1, 0x3fff), 1);
	assert_int_equal(dso_at(&t, 25, 1, 0x4000), 2);
	assert_int_equal(dso_at(&t, 25, 1, 0x5fff), 2);
	assert_int_equal(dso_at(&t, 25, 1, 0x6000), 1);
	/* What is left of the first keeps its place in the file. */
	assert_int_equal(offset_at(&t, 25, 1, 0x3000), 0x2000);
	assert_int_equal(offset_at(&t, 25, 1, 0x6000), 0x5000);
	assert_int_equal(offset_at(&t, 25, 1, 0x4010), 0x510);
	assert_int_equal(dso_at(&t, 25, 1, 0x1000), 1);
	assert_int_equal(dso_at(&t, 35, 1, 0x1000), 3);
	assert_int_equal(dso_at(&t, 35, 1, 0x2000), 1);
	assert_int_equal(dso_at(&t, 35, 1, 0x9fff), 1);
	assert_int_equal(dso_at(&t, 45, 1, 0x9000), 4);
	assert_int_equal(dso_at(&t, 45, 1, 0x8fff), 1);
	assert_int_equal(dso_at(&t, 45, 1, 0x12000), NONE);
	assert_int_equal(dso_at(&t, 55, 1, 0x4000), 5);
	assert_int_equal(dso_at(&t, 50, 1, 0x4000), 5);
	assert_int_equal(dso_at(&t, 49, 1, 0x4000), 2);
	assert_int_equal(dso_at(&t, 5, 1, 0x4000), NONE);	/* before its birth */
	assert_int_equal(dso_at(&t, 25, 2, 0x4000), NONE);	/* another process */
	timeline_release(&t);
}

static void test_edges(void **state)
{
	struct timeline t = { 0 };

	timeline_map(&t, 1, 1, 0x1000, 0, 0, 1);		/* empty: ignored */
	timeline_map(&t, 1, 1, UINT64_MAX - 0xfff, 0xfff, 0, 2);
	timeline_map(&t, 1, TIMELINE_KERNEL, 0xffffffff81000000, 0x1000000, 0, 3);
	timeline_finish(&t);
	assert_int_equal(dso_at(&t, 2, 1, 0x1000), NONE);
	assert_int_equal(dso_at(&t, 2, 1, UINT64_MAX - 1), 2);
	assert_int_equal(dso_at(&t, 2, TIMELINE_KERNEL, 0xffffffff81000000), 3);
	assert_int_equal(dso_at(&t, 2, 1, 0xffffffff81000000), NONE);
	timeline_release(&t);

	timeline_finish(&t);
	assert_int_equal(dso_at(&t, 2, 1, 0x1000), NONE);
	assert_int_equal(comm_at(&t, 2, 1), 0);
	timeline_release(&t);
}

static void test_fork_and_exec(void **state)
{
	struct timeline t = { 0 };

	timeline_map(&t, 10, 1, 0x1000, 0x1000, 0, 1);
	timeline_comm(&t, 10, 1, 1, 100, false);
	timeline_fork(&t, 20, 2, 2, 1, 1);
	timeline_map(&t, 25, 1, 0x1000, 0x1000, 0, 2);	/* the parent's, after */
	timeline_map(&t, 30, 2, 0x8000, 0x1000, 0, 3);	/* the child's own */
	timeline_fork(&t, 32, 3, 3, 2, 2);		/* grandchild */
	timeline_comm(&t, 40, 2, 2, 200, true);		/* exec */
	timeline_map(&t, 41, 2, 0x1000, 0x1000, 0, 4);
	timeline_finish(&t);

	assert_int_equal(dso_at(&t, 22, 2, 0x1000), 1);
	assert_int_equal(dso_at(&t, 35, 2, 0x1000), 1);
	assert_int_equal(dso_at(&t, 35, 1, 0x1000), 2);
	assert_int_equal(dso_at(&t, 29, 2, 0x8000), NONE);
	assert_int_equal(dso_at(&t, 35, 2, 0x8000), 3);
	assert_int_equal(dso_at(&t, 35, 3, 0x8000), 3);
	assert_int_equal(dso_at(&t, 60, 3, 0x8000), 3);	/* not its parent's exec */
	assert_int_equal(dso_at(&t, 60, 3, 0x1000), 1);
	assert_int_equal(dso_at(&t, 40, 2, 0x8000), NONE);
	assert_int_equal(dso_at(&t, 40, 2, 0x1000), NONE);
	assert_int_equal(dso_at(&t, 41, 2, 0x1000), 4);
	assert_int_equal(comm_at(&t, 15, 1), 100);
	assert_int_equal(comm_at(&t, 30, 2), 100);
	assert_int_equal(comm_at(&t, 45, 2), 200);
	assert_int_equal(comm_at(&t, 60, 3), 100);
	timeline_release(&t);
}

static void test_threads(void **state)
{
	struct timeline t = { 0 };

	timeline_comm(&t, 10, 1, 1, 100, false);
	timeline_map(&t, 10, 1, 0x1000, 0x1000, 0, 1);
	timeline_fork(&t, 20, 1, 5, 1, 1);		/* a thread: no new process */
	timeline_comm(&t, 30, 1, 5, 300, false);
	timeline_fork(&t, 35, 1, 6, 1, 5);
	timeline_fork(&t, 36, 1, 7, 1, 9);		/* its parent has no name */
	timeline_finish(&t);
	assert_int_equal(t.n_procs, 1);
	assert_int_equal(dso_at(&t, 25, 1, 0x1000), 1);
	assert_int_equal(comm_at(&t, 25, 5), 100);
	assert_int_equal(comm_at(&t, 31, 5), 300);
	assert_int_equal(comm_at(&t, 40, 6), 300);
	assert_int_equal(comm_at(&t, 40, 7), 0);
	assert_int_equal(comm_at(&t, 1, 1), 100);	/* before its first name */
	timeline_release(&t);
}

static void test_pid_reuse(void **state)
{
	struct timeline t = { 0 };

	timeline_map(&t, 10, 7, 0x1000, 0x1000, 0, 1);
	timeline_fork(&t, 50, 7, 7, 1, 1);
	timeline_map(&t, 60, 7, 0x1000, 0x1000, 0, 2);
	timeline_fork(&t, 90, 7, 7, 1, 1);
	timeline_finish(&t);
	assert_int_equal(dso_at(&t, 20, 7, 0x1000), 1);
	assert_int_equal(dso_at(&t, 49, 7, 0x1000), 1);
	assert_int_equal(dso_at(&t, 50, 7, 0x1000), NONE);
	assert_int_equal(dso_at(&t, 70, 7, 0x1000), 2);
	assert_int_equal(dso_at(&t, 95, 7, 0x1000), NONE);
	timeline_release(&t);
}

/* A span is a promise: inside it every answer is the same. */
static void check_spans(const struct timeline *t, uint32_t pid, uint64_t addr, uint64_t end)
{
	for (uint64_t time = 0; time < end; time++) {
		struct timeline_span span = TIMELINE_ALWAYS;
		const struct timeline_map *m = timeline_find(t, time, pid, addr, &span);

		for (uint64_t other = 0; other < end; other++) {
			struct timeline_span ignored = TIMELINE_ALWAYS;

			if (other >= span.from && other < span.until)
				assert_ptr_equal(timeline_find(t, other, pid, addr, &ignored), m);
		}
	}
}

static void check_comm_spans(const struct timeline *t, uint32_t tid, uint64_t end)
{
	for (uint64_t time = 0; time < end; time++) {
		struct timeline_span span = TIMELINE_ALWAYS;
		uint32_t comm = timeline_comm_of(t, time, tid, &span);

		assert_true(time >= span.from && time < span.until);
		for (uint64_t other = 0; other < end; other++)
			if (other >= span.from && other < span.until)
				assert_int_equal(comm_at(t, other, tid), comm);
	}
}

static void test_spans(void **state)
{
	struct rng rng;

	rng_init(&rng, 7);
	for (int round = 0; round < 200; round++) {
		struct timeline t = { 0 };
		uint64_t time = 0;

		for (uint32_t i = 0; i < 12; i++) {
			uint32_t pid = 1 + (uint32_t)rng_below(&rng, 3);
			uint32_t other = 1 + (uint32_t)rng_below(&rng, 3);

			time += rng_below(&rng, 4);
			switch (rng_below(&rng, 4)) {
			case 0:
				timeline_fork(&t, time, pid, pid, other, other);
				break;
			case 1:
				timeline_comm(&t, time, pid, pid, 10 + i, rng_below(&rng, 2));
				break;
			default:
				timeline_map(&t, time, pid, rng_below(&rng, 4), 2, 0, i);
			}
		}
		timeline_finish(&t);
		for (uint32_t pid = 1; pid <= 3; pid++) {
			check_comm_spans(&t, pid, time + 3);
			for (uint64_t addr = 0; addr < 6; addr++)
				check_spans(&t, pid, addr, time + 3);
		}
		timeline_release(&t);
	}
}

/* Random maps, against a table of every byte at every time. */
static void test_against_model(void **state)
{
	enum { ADDRS = 64, TIMES = 64 };
	static uint32_t model[TIMES][ADDRS];
	struct rng rng;

	rng_init(&rng, 42);
	for (int round = 0; round < 50; round++) {
		struct timeline t = { 0 };

		for (size_t a = 0; a < ADDRS; a++)
			model[0][a] = NONE;
		for (uint32_t time = 1; time < TIMES; time++) {
			uint64_t start = rng_below(&rng, ADDRS - 1);
			uint64_t len = 1 + rng_below(&rng, ADDRS - start);

			memcpy(model[time], model[time - 1], sizeof(model[0]));
			timeline_map(&t, time, 1, start, len, start, time);
			for (uint64_t a = start; a < start + len && a < ADDRS; a++)
				model[time][a] = time;
		}
		timeline_finish(&t);
		for (uint32_t time = 0; time < TIMES; time++)
			for (uint64_t a = 0; a < ADDRS; a++) {
				assert_int_equal(dso_at(&t, time, 1, a), model[time][a]);
				if (model[time][a] != NONE)
					assert_int_equal(offset_at(&t, time, 1, a), a);
			}
		timeline_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_fork_and_exec),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_pid_reuse),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_against_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
