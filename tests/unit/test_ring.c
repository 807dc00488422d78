/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/perf/ring.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 4096u

/* What the kernel maps, in ordinary memory. */
struct fake {
	struct perf_event_mmap_page meta;
	uint8_t data[SIZE];
};

struct got {
	struct buf b;
	int calls, fail;
};

static int take(void *arg, const void *data, size_t len)
{
	struct got *g = arg;

	g->calls++;
	buf_add(&g->b, data, len);
	return g->fail;
}

static struct ring ring_of(struct fake *f)
{
	return (struct ring){ .base = &f->meta, .data = f->data, .size = SIZE };
}

/* The kernel's side: bytes counted up, written at head. */
static void produce(struct fake *f, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint64_t head = f->meta.data_head + i;

		f->data[head & (SIZE - 1)] = (uint8_t)(head * 7);
	}
	f->meta.data_head += len;
}

static void check_bytes(const struct got *g, uint64_t from)
{
	for (size_t i = 0; i < g->b.len; i++)
		assert_int_equal((uint8_t)g->b.data[i], (uint8_t)((from + i) * 7));
}

static void test_drain(void **state)
{
	static const struct { uint64_t start; size_t len; int calls; } rows[] = {
		{ 0, 0, 0 },
		{ 0, 40, 1 },
		{ 4000, 96, 1 },		/* up to the end */
		{ 4000, 200, 2 },		/* a record across it */
		{ 4096, 64, 1 },		/* at the start again */
		{ 0, SIZE, 1 },			/* full */
		{ 100, SIZE, 2 },		/* full, from the middle */
		{ UINT64_MAX - 63, 128, 2 },	/* the counter itself wraps */
		{ ((uint64_t)1 << 32) - 8, 16, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fake *f = xcalloc(1, sizeof(*f));
		struct ring r = ring_of(f);
		struct got g = { BUF_INIT, 0, 0 };

		f->meta.data_head = f->meta.data_tail = r.tail = rows[i].start;
		produce(f, rows[i].len);
		assert_int_equal(ring_drain(&r, NULL, take, &g), rows[i].len);
		assert_int_equal(g.calls, rows[i].calls);
		assert_int_equal(g.b.len, rows[i].len);
		check_bytes(&g, rows[i].start);
		assert_int_equal(r.tail, rows[i].start + rows[i].len);
		assert_int_equal(f->meta.data_tail, r.tail);
		assert_int_equal(ring_drain(&r, NULL, take, &g), 0);
		assert_int_equal(g.calls, rows[i].calls);
		buf_release(&g.b);
		free(f);
	}
}

/* A sink that fails loses the bytes, not the ring. */
static void test_failing_sink(void **state)
{
	struct fake *f = xcalloc(1, sizeof(*f));
	struct ring r = ring_of(f);
	struct got g = { BUF_INIT, 0, -ENOSPC };

	f->meta.data_head = f->meta.data_tail = r.tail = SIZE - 8;
	produce(f, 64);
	assert_int_equal(ring_drain(&r, NULL, take, &g), -ENOSPC);
	assert_int_equal(g.calls, 1);	/* the second piece is not offered */
	assert_int_equal(f->meta.data_tail, f->meta.data_head);
	g.fail = 0;
	assert_int_equal(ring_drain(&r, NULL, take, &g), 0);
	produce(f, 8);
	assert_int_equal(ring_drain(&r, NULL, take, &g), 8);
	buf_release(&g.b);
	free(f);
}

static void test_many_rounds(void **state)
{
	struct fake *f = xcalloc(1, sizeof(*f));
	struct ring r = ring_of(f);
	struct got g = { BUF_INIT, 0, 0 };
	uint64_t from = 0;

	for (size_t len = 8; len <= SIZE; len += 8 * (1 + len / 20)) {
		buf_clear(&g.b);
		produce(f, len);
		assert_int_equal(ring_drain(&r, NULL, take, &g), len);
		check_bytes(&g, from);
		from += len;
	}
	buf_release(&g.b);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_failing_sink),
		cmocka_unit_test(test_many_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
