/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/perf/perfdata.h"
#include "src/perf/writer.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#define TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	      PERF_SAMPLE_PERIOD)
#define SAMPLES 40

/* A file in memory: some thousand are written. */
static char path[64];
static int file = -1;

static int make_path(void **state)
{
	file = memfd_create("cpuprof-test", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return file < 0;
}

static int remove_path(void **state)
{
	return close(file);
}

static void write_file(const char *bytes, size_t len)
{
	assert_int_equal(ftruncate(file, (off_t)len), 0);
	assert_int_equal(pwrite(file, bytes, len, 0), len);
}

static void put_header(struct buf *b, uint32_t type, uint16_t misc, size_t body)
{
	const struct perf_event_header h = { type, misc, (uint16_t)(8 + body) };

	buf_add(b, &h, sizeof(h));
}

static void put_sample(struct buf *b, uint64_t id, uint64_t ip, uint64_t time, uint64_t period)
{
	put_header(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 40);
	buf_addu64(b, id);
	buf_addu64(b, ip);
	buf_addu32(b, 100);
	buf_addu32(b, 101);
	buf_addu64(b, time);
	buf_addu64(b, period);
}

/* Samples alternate between two events; a FINISHED_ROUND stands in the middle. */
static void write_recording(void)
{
	static const uint64_t ids[2][2] = { { 11, 12 }, { 21, 22 } };
	static char *argv[] = { (char *)"gzip", (char *)"-9", NULL };
	const struct writer_build_id build_ids[] = {
		{ { 1, 2, 3 }, 20, PERF_RECORD_MISC_USER, "/usr/bin/gzip" },
		{ { 9, 8, 7 }, 16, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]" },
	};
	const struct writer_info info = {
		.hostname = "host", .osrelease = "6.1", .version = "0.1", .arch = "x86_64",
		.cpudesc = "a CPU", .cpuid = "GenuineIntel,6,1,1", .argv = argv,
		.cpus_online = 2, .cpus_available = 4, .total_mem_kb = 1024,
		.build_ids = build_ids, .n_build_ids = 2,
	};
	struct writer_event e[2] = {
		{ .name = "cycles", .ids = ids[0], .n_ids = 2 },
		{ .name = "cache-misses:u", .ids = ids[1], .n_ids = 2 },
	};
	struct buf b = BUF_INIT;
	struct writer w;

	for (int i = 0; i < 2; i++) {
		e[i].attr.size = sizeof(e[i].attr);
		e[i].attr.config = i ? PERF_COUNT_HW_CACHE_MISSES : 0;
		e[i].attr.sample_type = TYPE;
		e[i].attr.sample_period = 1000;
		e[i].attr.sample_id_all = 1;
		e[i].attr.freq = i;
		e[i].attr.exclude_kernel = i;
	}
	assert_int_equal(writer_open(&w, path, e, 2, NULL), 0);
	writer_mmap2(&b, 100, 0x400000, 0x1000, 0, 7, "/usr/bin/gzip", 32, PERF_RECORD_MISC_USER);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		if (i == SAMPLES / 2) {
			writer_add(&w, b.data, b.len);
			writer_round(&w);
			buf_clear(&b);
		}
		put_sample(&b, ids[i & 1][i / 2 & 1], 0x400000 + i, 1000 + i, 5);
	}
	writer_add(&w, b.data, b.len);
	assert_int_equal(writer_finish(&w, &info, NULL), 0);
	buf_release(&b);
}

static void test_round_trip(void **state)
{
	struct perfdata pd;
	struct record r;
	unsigned samples = 0, other = 0;

	write_recording();
	assert_int_equal(perfdata_open(&pd, path, NULL), 0);
	assert_int_equal(pd.n_events, 2);
	assert_string_equal(pd.events[0].name, "cycles");
	assert_string_equal(pd.events[1].name, "cache-misses:u");
	assert_false(pd.events[0].freq);
	assert_true(pd.events[1].freq && pd.events[1].exclude_kernel);
	assert_int_equal(pd.events[0].period, 1000);
	assert_int_equal(pd.events[1].config, PERF_COUNT_HW_CACHE_MISSES);
	assert_string_equal(pd.hostname, "host");
	assert_string_equal(pd.osrelease, "6.1");
	assert_string_equal(pd.version, "0.1");
	assert_string_equal(pd.arch, "x86_64");
	assert_string_equal(pd.cpudesc, "a CPU");
	assert_string_equal(pd.cpuid, "GenuineIntel,6,1,1");
	assert_string_equal(pd.cmdline, "gzip -9");
	assert_int_equal(pd.n_build_ids, 2);
	assert_string_equal(pd.build_ids[0].path, "/usr/bin/gzip");
	assert_int_equal(pd.build_ids[0].len, 20);
	assert_int_equal(pd.build_ids[1].len, 16);
	assert_int_equal(pd.build_ids[1].id[0], 9);
	for (int pass = 0; pass < 2; pass++) {
		samples = other = 0;
		perfdata_rewind(&pd);
		while (perfdata_next(&pd, &r) > 0) {
			const struct perfdata_event *e;
			struct sample s;

			if (r.type != PERF_RECORD_SAMPLE) {
				other++;
				continue;
			}
			e = perfdata_event_of(&pd, &r);
			assert_ptr_equal(e, &pd.events[samples & 1]);
			assert_int_equal(sample_decode(&r, &e->layout, &s), 0);
			assert_int_equal(s.ip, 0x400000 + samples);
			assert_int_equal(s.time, 1000 + samples);
			samples++;
		}
		assert_int_equal(samples, SAMPLES);
		assert_int_equal(other, 2);
	}
	assert_string_equal(buf_str(&pd.warnings), "");
	perfdata_release(&pd);
}

/* Whatever the bytes are: a sentence, or records and perhaps warnings. */
static void must_end(const char *bytes, size_t len)
{
	struct perfdata pd;
	struct record r;
	struct err err = { 0 };
	size_t n = 0;

	write_file(bytes, len);
	if (perfdata_open(&pd, path, &err) < 0) {
		assert_true(err.msg[0] && err.code < 0);
		return;
	}
	for (int pass = 0; pass < 2; pass++) {
		perfdata_rewind(&pd);
		while (perfdata_next(&pd, &r) > 0) {
			const struct perfdata_event *e = perfdata_event_of(&pd, &r);
			struct sample s;

			if (r.type == PERF_RECORD_SAMPLE && e)
				sample_decode(&r, &e->layout, &s);
			assert_true(n++ <= 2 * len);
		}
	}
	perfdata_release(&pd);
}

static void read_all(struct buf *b)
{
	assert_int_equal(io_read_file(path, 1 << 20, b, NULL), 0);
}

static void test_truncated(void **state)
{
	struct buf b = BUF_INIT;

	write_recording();
	read_all(&b);
	for (size_t len = 0; len < b.len; len++)
		must_end(b.data, len);
	buf_release(&b);
}

/* Every byte of headers, attrs, first records and features: bits lost and set. */
static void test_damaged(void **state)
{
	static const unsigned char xors[] = { 0x01, 0x80, 0xff };
	struct buf b = BUF_INIT;

	write_recording();
	read_all(&b);
	for (size_t i = 0; i < b.len; i++) {
		if (i > 700 && i < b.len - 2500)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(xors); k++) {
			b.data[i] = (char)(b.data[i] ^ xors[k]);
			must_end(b.data, b.len);
			b.data[i] = (char)(b.data[i] ^ xors[k]);
		}
	}
	buf_release(&b);
}

static void put_attr(struct buf *b, uint64_t id)
{
	struct perf_event_attr a = {
		.size = sizeof(a), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_type = TYPE, .sample_period = 7,
	};

	put_header(b, RECORD_HEADER_ATTR, 0, sizeof(a) + 8);
	buf_add(b, &a, sizeof(a));
	buf_addu64(b, id);
}

static void begin_pipe(struct buf *b)
{
	buf_add(b, "PERFILE2", 8);
	buf_addu64(b, 16);
}

static void test_pipe(void **state)
{
	struct buf b = BUF_INIT;
	struct perfdata pd;
	struct record r;
	int n = 0;

	begin_pipe(&b);
	put_attr(&b, 5);
	put_sample(&b, 5, 1, 2, 3);
	put_header(&b, RECORD_EVENT_UPDATE, 0, 24);	/* a name that comes late */
	buf_addu64(&b, 2);
	buf_addu64(&b, 5);
	buf_add(&b, "renamed\0", 8);
	put_header(&b, RECORD_HEADER_FEATURE, 0, 16);
	buf_addu64(&b, 3);
	buf_addu32(&b, 4);
	buf_add(&b, "box\0", 4);
	write_file(b.data, b.len);
	assert_int_equal(perfdata_open(&pd, path, NULL), 0);
	assert_true(pd.pipe);
	assert_string_equal(pd.events[0].name, "task-clock:HG");
	for (int pass = 0; pass < 2; pass++, perfdata_rewind(&pd))
		while (perfdata_next(&pd, &r) > 0)
			n += r.type == PERF_RECORD_SAMPLE;
	assert_int_equal(n, 2);
	assert_int_equal(pd.n_events, 1);
	assert_string_equal(pd.events[0].name, "renamed");
	assert_string_equal(pd.hostname, "box");
	perfdata_release(&pd);
	for (size_t len = 0; len < b.len; len++)
		must_end(b.data, len);
	buf_release(&b);
}

static void put_compressed(struct buf *b, ZSTD_CCtx *z, const char *data, size_t len, bool two)
{
	char out[4096];
	ZSTD_inBuffer in = { data, len, 0 };
	ZSTD_outBuffer o = { out, sizeof(out), 0 };
	size_t padded;

	assert_int_equal(ZSTD_compressStream2(z, &o, &in, ZSTD_e_flush), 0);
	padded = two ? 8 + ((o.pos + 7) & ~(size_t)7) : o.pos;
	put_header(b, two ? RECORD_COMPRESSED2 : RECORD_COMPRESSED, 0, padded);
	if (two)
		buf_addu64(b, o.pos);
	buf_add(b, out, o.pos);
	for (size_t i = o.pos + (two ? 8 : 0); i < padded; i++)
		buf_addc(b, 0);
}

/* Records cut anywhere, over two compressed ones of either kind; then damage. */
static void test_compressed(void **state)
{
	struct buf plain = BUF_INIT, b = BUF_INIT;

	for (uint64_t i = 0; i < 6; i++)
		put_sample(&plain, 5, i, i, 1);
	for (int two = 0; two < 2; two++)
		for (size_t cut = 0; cut <= plain.len; cut += 13) {
			ZSTD_CCtx *z = ZSTD_createCCtx();
			struct perfdata pd;
			struct record r;
			int n = 0, rounds = 0;

			buf_clear(&b);
			begin_pipe(&b);
			put_attr(&b, 5);
			put_compressed(&b, z, plain.data, cut, two);
			put_compressed(&b, z, plain.data + cut, plain.len - cut, two);
			put_header(&b, RECORD_FINISHED_ROUND, 0, 0);
			ZSTD_freeCCtx(z);
			write_file(b.data, b.len);
			assert_int_equal(perfdata_open(&pd, path, NULL), 0);
			while (perfdata_next(&pd, &r) > 0) {
				n += r.type == PERF_RECORD_SAMPLE;
				rounds += r.type == RECORD_FINISHED_ROUND;
			}
			assert_int_equal(n, 6);
			assert_int_equal(rounds, 1);
			assert_string_equal(buf_str(&pd.warnings), "");
			perfdata_release(&pd);
		}
	for (size_t i = 16; i < b.len; i++) {
		b.data[i] = (char)~b.data[i];
		must_end(b.data, b.len);
		b.data[i] = (char)~b.data[i];
	}
	buf_release(&plain);
	buf_release(&b);
}

static void test_other_byte_order(void **state)
{
	struct perf_event_attr a = {
		.size = bswap_32(sizeof(a)), .type = bswap_32(PERF_TYPE_HARDWARE),
		.sample_type = bswap_64(PERF_SAMPLE_IP),
	};
	const uint8_t exclude_kernel = 0x80 >> 5;	/* bit 5, mirrored in its byte */
	struct perf_event_header h = {
		bswap_32(RECORD_HEADER_ATTR), 0, bswap_16(8 + sizeof(a)),
	};
	struct buf b = BUF_INIT;
	struct perfdata pd;
	struct record r;
	struct sample s;

	memcpy((char *)&a + 40, &exclude_kernel, 1);
	buf_add(&b, "2ELIFREP", 8);
	buf_addu64(&b, bswap_64(16));
	buf_add(&b, &h, sizeof(h));
	buf_add(&b, &a, sizeof(a));
	h = (struct perf_event_header){ bswap_32(PERF_RECORD_SAMPLE), 0, bswap_16(16) };
	buf_add(&b, &h, sizeof(h));
	buf_addu64(&b, bswap_64(0x1234));
	write_file(b.data, b.len);
	assert_int_equal(perfdata_open(&pd, path, NULL), 0);
	assert_true(pd.swap);
	assert_true(pd.events[0].exclude_kernel && !pd.events[0].exclude_user);
	assert_string_equal(pd.events[0].name, "cycles:uh");
	do
		assert_int_equal(perfdata_next(&pd, &r), 1);
	while (r.type != PERF_RECORD_SAMPLE);
	assert_int_equal(sample_decode(&r, &pd.events[0].layout, &s), 0);
	assert_int_equal(s.ip, 0x1234);
	perfdata_release(&pd);
	buf_release(&b);
}

static void test_no_file(void **state)
{
	struct err err = { 0 };
	struct perfdata pd;

	assert_int_equal(perfdata_open(&pd, "/nonexistent/perf.data", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/perf.data"));
	assert_true(perfdata_open(&pd, "/", &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_other_byte_order),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
