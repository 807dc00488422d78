/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/perf/record.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Builds records field by field, in this machine's byte order or the other. */
struct builder {
	struct buf b;
	bool swap;
};

static void put16(struct builder *w, uint16_t v)
{
	v = w->swap ? bswap_16(v) : v;
	buf_add(&w->b, &v, sizeof(v));
}

static void put32(struct builder *w, uint32_t v)
{
	buf_addu32(&w->b, w->swap ? bswap_32(v) : v);
}

static void put64(struct builder *w, uint64_t v)
{
	buf_addu64(&w->b, w->swap ? bswap_64(v) : v);
}

static void begin(struct builder *w, uint32_t type, uint16_t misc, bool swap)
{
	w->swap = swap;
	buf_clear(&w->b);
	put32(w, type);
	put16(w, misc);
	put16(w, 0);
}

/* The record; its bytes are copied to the end of a block of their own, so that
 * a sanitizer sees every read beyond them. */
static struct record finish(struct builder *w, size_t cut, void **block)
{
	struct record r;
	uint16_t size;

	assert_true(cut <= w->b.len - 8);
	w->b.len -= cut;
	size = (uint16_t)w->b.len;
	if (w->swap)
		size = bswap_16(size);
	memcpy(w->b.data + 6, &size, 2);
	*block = xmalloc(w->b.len);
	memcpy(*block, w->b.data, w->b.len);
	assert_int_equal(record_at(*block, w->b.len, w->swap, &r), w->b.len);
	return r;
}

static void test_record_at(void **state)
{
	static const struct { const char *what; uint16_t size; size_t left; int want; } rows[] = {
		{ "no bytes", 8, 0, 0 },
		{ "half a header", 8, 7, 0 },
		{ "header only", 8, 8, 8 },
		{ "size 0", 0, 64, -EINVAL },
		{ "size 7", 7, 64, -EINVAL },
		{ "longer than the file", 65, 64, 0 },
		{ "fits", 64, 64, 64 },
		{ "room behind", 40, 64, 40 },
		{ "largest", 65535, 65535, 65535 },
	};

	for (int swap = 0; swap < 2; swap++)
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			uint8_t *p = xcalloc(1, 65535);
			uint16_t size = swap ? bswap_16(rows[i].size) : rows[i].size;
			uint8_t *end = p + 65535 - rows[i].left;
			struct record r;

			if (rows[i].left >= 8)
				memcpy(end + 6, &size, 2);
			print_message("%s\n", rows[i].what);
			assert_int_equal(record_at(end, rows[i].left, swap, &r), rows[i].want);
			free(p);
		}
}

static void test_names(void **state)
{
	static const struct { uint32_t type; const char *name; } rows[] = {
		{ PERF_RECORD_MMAP, "MMAP" }, { PERF_RECORD_SAMPLE, "SAMPLE" },
		{ PERF_RECORD_MMAP2, "MMAP2" }, { PERF_RECORD_LOST_SAMPLES, "LOST_SAMPLES" },
		{ PERF_RECORD_KSYMBOL, "KSYMBOL" }, { RECORD_FINISHED_ROUND, "FINISHED_ROUND" },
		{ RECORD_HEADER_FEATURE, "FEATURE" }, { RECORD_COMPRESSED, "COMPRESSED" },
		{ RECORD_COMPRESSED2, "COMPRESSED2" }, { RECORD_FINISHED_INIT, "FINISHED_INIT" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(record_name(rows[i].type), rows[i].name);
	assert_null(record_name(0));
	assert_null(record_name(63));
	assert_null(record_name(UINT32_MAX));
}

/* Every fixed field has a value of its own; those asked for must come back. */
static const struct { uint64_t bit; uint64_t value; } fields[] = {
	{ PERF_SAMPLE_IDENTIFIER, 0x1111111122222222 },
	{ PERF_SAMPLE_IP, 0xffffffff81234567 },
	{ PERF_SAMPLE_TID, 0 },
	{ PERF_SAMPLE_TIME, 0x123456789abcdef },
	{ PERF_SAMPLE_ADDR, 0x7fff00001234 },
	{ PERF_SAMPLE_ID, 0x1111111122222222 },
	{ PERF_SAMPLE_STREAM_ID, 77 },
	{ PERF_SAMPLE_CPU, 0 },
	{ PERF_SAMPLE_PERIOD, 1000003 },
};

static void put_fields(struct builder *w, uint64_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(type & fields[i].bit))
			continue;
		if (fields[i].bit == PERF_SAMPLE_TID) {
			put32(w, 4242);
			put32(w, 4243);
		} else if (fields[i].bit == PERF_SAMPLE_CPU) {
			put32(w, 3);
			put32(w, 0);
		} else {
			put64(w, fields[i].value);
		}
	}
}

static struct event_layout layout_of(uint64_t sample_type, uint64_t read_format)
{
	struct event_layout l = { .sample_type = sample_type, .read_format = read_format };

	event_layout_prepare(&l);
	return l;
}

static void check_fields(const struct sample *s, uint64_t t)
{
	bool id = t & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);

	assert_int_equal(s->id, id ? fields[0].value : 0);
	assert_int_equal(s->ip, t & PERF_SAMPLE_IP ? fields[1].value : 0);
	assert_int_equal(s->pid, t & PERF_SAMPLE_TID ? 4242 : 0);
	assert_int_equal(s->tid, t & PERF_SAMPLE_TID ? 4243 : 0);
	assert_int_equal(s->time, t & PERF_SAMPLE_TIME ? fields[3].value : 0);
	assert_int_equal(s->addr, t & PERF_SAMPLE_ADDR ? fields[4].value : 0);
	assert_int_equal(s->cpu, t & PERF_SAMPLE_CPU ? 3 : 0);
	assert_int_equal(s->period, t & PERF_SAMPLE_PERIOD ? fields[8].value : 1);
}

/* All 512 layouts of the fixed fields, in both byte orders, whole and short. */
static void test_sample_layouts(void **state)
{
	struct builder w = { BUF_INIT, false };

	for (unsigned mask = 0; mask < 1u << ARRAY_SIZE(fields); mask++) {
		struct event_layout l;
		uint64_t type = 0;

		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			type |= mask >> i & 1 ? fields[i].bit : 0;
		l = layout_of(type, 0);
		for (int swap = 0; swap < 2; swap++) {
			struct sample s;
			struct record r;
			void *block;

			begin(&w, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, swap);
			put_fields(&w, type);
			r = finish(&w, 0, &block);
			assert_int_equal(sample_decode(&r, &l, &s), 0);
			check_fields(&s, type);
			free(block);
			if (!type)
				continue;
			r = finish(&w, 1, &block);
			assert_int_equal(sample_decode(&r, &l, &s), -EINVAL);
			free(block);
		}
	}
	buf_release(&w.b);
}

static void test_id_offset(void **state)
{
	assert_int_equal(sample_id_offset(PERF_SAMPLE_IP), -1);
	assert_int_equal(sample_id_offset(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP), 8);
	assert_int_equal(sample_id_offset(PERF_SAMPLE_ID), 8);
	assert_int_equal(sample_id_offset(PERF_SAMPLE_ID | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					  PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR), 40);
	assert_int_equal(sample_id_offset(PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD), 8);
}

static void test_callchain(void **state)
{
	static const struct { uint64_t nr; size_t entries; int want; } rows[] = {
		{ 0, 0, 0 }, { 3, 3, 0 }, { 3, 5, 0 }, { 4, 3, -EINVAL },
		{ UINT64_MAX, 3, -EINVAL }, { UINT64_MAX / 8 + 1, 3, -EINVAL },
		{ (uint64_t)1 << 61, 3, -EINVAL },
	};
	const struct event_layout l = layout_of(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN, 0);
	struct builder w = { BUF_INIT, false };

	for (int swap = 0; swap < 2; swap++)
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			struct sample s;
			struct record r;
			void *block;

			begin(&w, PERF_RECORD_SAMPLE, 0, swap);
			put64(&w, 0x1000);
			put64(&w, rows[i].nr);
			for (size_t k = 0; k < rows[i].entries; k++)
				put64(&w, 0x4000 + k);
			r = finish(&w, 0, &block);
			assert_int_equal(sample_decode(&r, &l, &s), rows[i].want);
			if (rows[i].want == 0) {
				assert_int_equal(s.chain_nr, rows[i].nr);
				if (s.chain_nr)
					assert_ptr_equal(s.chain, r.data + 24);
			}
			free(block);
		}
	buf_release(&w.b);
}

static void test_read_values(void **state)
{
	enum { ENABLED = 1, RUNNING = 2, ID = 4, GROUP = 8, LOST = 16 };
	static const struct { uint64_t format, nr; unsigned words, stride; int want; } rows[] = {
		{ 0, 0, 1, 0, 0 },
		{ ID, 0, 2, 0, 0 },
		{ ID | LOST | ENABLED | RUNNING, 0, 5, 0, 0 },
		{ ID | LOST, 0, 2, 0, -EINVAL },
		{ GROUP | ID, 2, 5, 16, 0 },
		{ GROUP | ID | LOST, 2, 7, 24, 0 },
		{ GROUP | ID | ENABLED | RUNNING, 3, 9, 16, 0 },
		{ GROUP | ID, 3, 5, 16, -EINVAL },
		{ GROUP | ID, UINT64_MAX, 5, 16, -EINVAL },
		{ GROUP, UINT64_MAX / 4, 5, 8, -EINVAL },
		{ GROUP, 0, 1, 8, 0 },
	};
	struct builder w = { BUF_INIT, false };

	for (int swap = 0; swap < 2; swap++)
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			const struct event_layout l = layout_of(PERF_SAMPLE_READ, rows[i].format);
			struct sample s;
			struct record r;
			void *block;

			begin(&w, PERF_RECORD_SAMPLE, 0, swap);
			put64(&w, rows[i].format & GROUP ? rows[i].nr : 1);
			for (unsigned k = 1; k < rows[i].words; k++)
				put64(&w, 100 + k);
			r = finish(&w, 0, &block);
			assert_int_equal(sample_decode(&r, &l, &s), rows[i].want);
			if (rows[i].want == 0 && rows[i].format & GROUP) {
				assert_int_equal(s.read_nr, rows[i].nr);
				assert_int_equal(s.read_stride, rows[i].stride);
			}
			free(block);
		}
	buf_release(&w.b);
}

static void put_mmap(struct builder *w, bool two, bool build_id, const char *name, size_t len)
{
	put32(w, 10);
	put32(w, 11);
	put64(w, 0x400000);
	put64(w, 0x2000);
	put64(w, 0x1000);
	if (two && build_id) {
		const uint8_t head[4] = { 20, 0, 0, 0 };

		buf_add(&w->b, head, 4);
		for (uint8_t i = 0; i < 20; i++)
			buf_addc(&w->b, (char)(i + 1));
	} else if (two) {
		put32(w, 8);
		put32(w, 1);
		put64(w, 0xabcdef);
		put64(w, 5);
	}
	if (two) {
		put32(w, 5);
		put32(w, 2);
	}
	buf_add(&w->b, name, len);
}

static void test_mmap(void **state)
{
	struct event_layout l = layout_of(PERF_SAMPLE_TID | PERF_SAMPLE_TIME, 0);
	struct builder w = { BUF_INIT, false };

	l.sample_id_all = true;
	for (int kind = 0; kind < 6; kind++) {
		bool swap = kind & 1, two = kind >= 2, build_id = kind >= 4;
		struct record_mmap m;
		struct record r;
		void *block;

		begin(&w, two ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP,
		      build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0, swap);
		put_mmap(&w, two, build_id, "/bin/x\0", 8);
		put64(&w, 0x4141414141414141);	/* the trailer is no part of the name */
		put64(&w, 99);
		r = finish(&w, 0, &block);
		assert_int_equal(record_mmap(&r, &l, &m), 0);
		assert_int_equal(m.pid, 10);
		assert_int_equal(m.tid, 11);
		assert_int_equal(m.addr, 0x400000);
		assert_int_equal(m.len, 0x2000);
		assert_int_equal(m.pgoff, 0x1000);
		assert_int_equal(m.prot, two ? 5 : 4);
		assert_string_equal(m.path, "/bin/x");
		assert_int_equal(m.inode, two && !build_id ? 0xabcdef : 0);
		assert_int_equal(m.build_id_len, build_id ? 20 : 0);
		assert_int_equal(m.build_id[19], build_id ? 20 : 0);
		free(block);
	}
	buf_release(&w.b);
}

/* Any cut of a map record is an error or a shorter name, never a read beyond. */
static void test_mmap_cut(void **state)
{
	struct event_layout l = layout_of(PERF_SAMPLE_TID, 0);
	struct builder w = { BUF_INIT, false };

	l.sample_id_all = true;
	for (int two = 0; two < 2; two++)
		for (size_t cut = 0; cut < (two ? 64 : 32) + 24u; cut++) {
			struct record_mmap m;
			struct record r;
			void *block;

			begin(&w, two ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP, 0, false);
			put_mmap(&w, two, false, "AAAAAAAAAAAAAAAA", 16);
			put64(&w, 0x4242424242424242);
			r = finish(&w, cut, &block);
			assert_int_equal(record_mmap(&r, &l, &m), cut <= 16 ? 0 : -EINVAL);
			if (cut <= 16)
				assert_int_equal(strlen(m.path), 16 - cut);
			free(block);
		}
	buf_release(&w.b);
}

static void test_mmap_end(void **state)
{
	const struct event_layout l = layout_of(0, 0);
	struct builder w = { BUF_INIT, false };
	struct record_mmap *m = xcalloc(1, sizeof(*m));
	struct record r;
	void *block;
	char name[5000];

	begin(&w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, false);
	put32(&w, (uint32_t)-1);
	put32(&w, 0);
	put64(&w, 0xffffffff81000000);
	put64(&w, UINT64_MAX);
	put64(&w, 0);
	memset(name, 'n', sizeof(name));
	buf_add(&w.b, name, sizeof(name));
	r = finish(&w, 0, &block);
	assert_int_equal(record_mmap(&r, &l, m), 0);
	assert_int_equal(m->addr + m->len, UINT64_MAX);	/* cut, not wrapped */
	assert_int_equal(strlen(m->path), sizeof(m->path) - 1);
	free(block);
	free(m);
	buf_release(&w.b);
}

static void test_tasks(void **state)
{
	struct builder w = { BUF_INIT, false };
	char name[100];

	memset(name, 'c', sizeof(name));
	for (int swap = 0; swap < 2; swap++) {
		struct record_task t;
		struct record r;
		void *block;

		begin(&w, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, swap);
		put32(&w, 1);
		put32(&w, 2);
		buf_add(&w.b, "gzip\0\0\0", 8);
		r = finish(&w, 0, &block);
		assert_int_equal(record_task(&r, &t), 0);
		assert_int_equal(t.pid, 1);
		assert_int_equal(t.tid, 2);
		assert_string_equal(t.comm, "gzip");
		free(block);
		r = finish(&w, 9, &block);
		assert_int_equal(record_task(&r, &t), -EINVAL);
		free(block);

		begin(&w, PERF_RECORD_COMM, 0, swap);
		put32(&w, 1);
		put32(&w, 2);
		buf_add(&w.b, name, sizeof(name));	/* no NUL, too long */
		r = finish(&w, 0, &block);
		assert_int_equal(record_task(&r, &t), 0);
		assert_int_equal(strlen(t.comm), sizeof(t.comm) - 1);
		free(block);

		begin(&w, PERF_RECORD_FORK, 0, swap);
		put32(&w, 5);
		put32(&w, 4);
		put32(&w, 7);
		put32(&w, 6);
		put64(&w, 123456789);
		r = finish(&w, 0, &block);
		assert_int_equal(record_task(&r, &t), 0);
		assert_int_equal(t.pid, 5);
		assert_int_equal(t.ppid, 4);
		assert_int_equal(t.tid, 7);
		assert_int_equal(t.ptid, 6);
		assert_int_equal(t.time, 123456789);
		free(block);
		r = finish(&w, 1, &block);
		assert_int_equal(record_task(&r, &t), -EINVAL);
		free(block);
	}
	buf_release(&w.b);
}

static void test_lost(void **state)
{
	struct builder w = { BUF_INIT, false };

	for (int swap = 0; swap < 2; swap++) {
		struct record r;
		void *block;

		begin(&w, PERF_RECORD_LOST, 0, swap);
		put64(&w, 17);
		put64(&w, 1000);
		r = finish(&w, 0, &block);
		assert_int_equal(record_lost(&r), 1000);
		free(block);
		r = finish(&w, 1, &block);
		assert_int_equal(record_lost(&r), 0);
		free(block);
		begin(&w, PERF_RECORD_LOST_SAMPLES, 0, swap);
		put64(&w, 5);
		r = finish(&w, 0, &block);
		assert_int_equal(record_lost(&r), 5);
		free(block);
		begin(&w, PERF_RECORD_EXIT, 0, swap);
		put64(&w, 5);
		r = finish(&w, 0, &block);
		assert_int_equal(record_lost(&r), 0);
		free(block);
	}
	buf_release(&w.b);
}

static void test_trailer(void **state)
{
	static const uint64_t types[] = {
		0, PERF_SAMPLE_TIME, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		PERF_SAMPLE_IDENTIFIER,
		PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN,
	};
	static const size_t lens[] = { 0, 8, 24, 40, 0 };
	struct builder w = { BUF_INIT, false };

	for (int swap = 0; swap < 2; swap++)
		for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
			struct event_layout l = layout_of(types[i], 0);
			struct record_trailer t;
			struct record r;
			void *block;

			begin(&w, PERF_RECORD_EXIT, 0, swap);
			for (uint64_t k = 0; k < lens[i] / 8; k++)
				put64(&w, k + 100);
			r = finish(&w, 0, &block);
			assert_int_equal(record_trailer(&r, &l, &t), 0);
			assert_int_equal(t.len, 0);	/* sample_id_all is off */
			l.sample_id_all = true;
			assert_int_equal(record_trailer(&r, &l, &t), 0);
			assert_int_equal(t.len, lens[i]);
			assert_int_equal(t.has_time, i >= 1 && i <= 3);
			if (t.has_time)
				assert_int_equal(t.time, i == 1 ? 100 : 101);
			if (t.has_id)
				assert_int_equal(t.id, i == 2 ? 102 : 104);
			free(block);
			if (!lens[i])
				continue;
			r = finish(&w, 1, &block);
			assert_int_equal(record_trailer(&r, &l, &t), -EINVAL);
			assert_int_equal(t.len, 0);
			free(block);
		}
	buf_release(&w.b);
}

/* Stack of two behind a call chain and raw data: in both byte orders, whole and
 * cut anywhere. */
static void test_branch_stack(void **state)
{
	struct event_layout l = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			PERF_SAMPLE_BRANCH_STACK,
		.branch_type = PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	struct builder w = { .b = BUF_INIT };

	event_layout_prepare(&l);
	for (int swap = 0; swap < 2; swap++)
		for (size_t cut = 0; cut <= 40; cut += 4) {
			struct branch_stack b;
			struct branch_entry e;
			struct record r;
			void *block;

			begin(&w, PERF_RECORD_SAMPLE, 2, swap);
			put64(&w, 0x401000);
			put64(&w, 1);		/* call chain */
			put64(&w, 0x401000);
			put32(&w, 12);		/* raw, padded to eight bytes */
			put32(&w, 1);
			put64(&w, 2);
			put64(&w, 2);		/* entries */
			put64(&w, 7);		/* hw_idx */
			for (uint64_t i = 0; i < 2; i++) {
				put64(&w, 0x1000 + i);
				put64(&w, 0x2000 + i);
				put64(&w, i ? swap ? 1ull << 62 : 2 : swap ? 1ull << 63 : 1);
			}
			r = finish(&w, cut, &block);
			if (cut) {
				assert_int_equal(sample_branch_stack(&r, &l, &b), -EINVAL);
				assert_int_equal(b.nr, 0);
				free(block);
				continue;
			}
			assert_int_equal(sample_branch_stack(&r, &l, &b), 0);
			assert_int_equal(b.nr, 2);
			e = branch_stack_entry(&b, 0);
			assert_true(e.from == 0x1000 && e.to == 0x2000 && e.missed && !e.predicted);
			e = branch_stack_entry(&b, 1);
			assert_true(e.from == 0x1001 && e.to == 0x2001 && !e.missed && e.predicted);
			free(block);
		}
	buf_release(&w.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_at),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_sample_layouts),
		cmocka_unit_test(test_id_offset),
		cmocka_unit_test(test_callchain),
		cmocka_unit_test(test_read_values),
		cmocka_unit_test(test_branch_stack),
		cmocka_unit_test(test_mmap),
		cmocka_unit_test(test_mmap_cut),
		cmocka_unit_test(test_mmap_end),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_trailer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
