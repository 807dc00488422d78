/* SPDX-License-Identifier: MIT */
/*
 * seeds FOLDER: small recordings by the project's own writer, from which fuzzing
 * starts: plain, with call chains and group reads, as a stream, in the other
 * byte order, compressed; and texts of kallsyms and of a perf map.
 */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/perf/record.h"
#include "src/perf/writer.h"

#include <byteswap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	      PERF_SAMPLE_PERIOD)

static const uint64_t ids[] = { 5, 6 };

static void put_header(struct buf *b, uint32_t type, uint16_t misc, size_t body)
{
	const struct perf_event_header h = { type, misc, (uint16_t)(8 + body) };

	buf_add(b, &h, sizeof(h));
}

static void put_trailer(struct buf *b, uint64_t time)
{
	buf_addu32(b, 100);
	buf_addu32(b, 100);
	buf_addu64(b, time);
	buf_addu64(b, ids[0]);
}

static void put_comm(struct buf *b, uint64_t time, uint16_t misc, const char name[8])
{
	put_header(b, PERF_RECORD_COMM, misc, 8 + 8 + 24);
	buf_addu32(b, 100);
	buf_addu32(b, 100);
	buf_add(b, name, 8);
	put_trailer(b, time);
}

static void put_fork(struct buf *b, uint64_t time)
{
	put_header(b, PERF_RECORD_FORK, 0, 24 + 24);
	buf_addu32(b, 101);
	buf_addu32(b, 100);
	buf_addu32(b, 101);
	buf_addu32(b, 100);
	buf_addu64(b, time);
	put_trailer(b, time);
}

static void put_sample(struct buf *b, uint64_t type, uint64_t ip, uint64_t time)
{
	size_t body = 40 + (type & PERF_SAMPLE_READ ? 40 : 0) +
		(type & PERF_SAMPLE_CALLCHAIN ? 40 : 0);

	put_header(b, PERF_RECORD_SAMPLE, ip >> 63 ? PERF_RECORD_MISC_KERNEL :
		   PERF_RECORD_MISC_USER, body);
	buf_addu64(b, ids[time & 1]);
	buf_addu64(b, ip);
	buf_addu32(b, 100 + (uint32_t)(time / 8 & 1));
	buf_addu32(b, 100 + (uint32_t)(time / 8 & 1));
	buf_addu64(b, time);
	buf_addu64(b, 1000);
	if (type & PERF_SAMPLE_READ) {
		buf_addu64(b, 2);
		for (int i = 0; i < 2; i++) {
			buf_addu64(b, time * 100);
			buf_addu64(b, ids[i]);
		}
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		buf_addu64(b, 4);
		buf_addu64(b, PERF_CONTEXT_KERNEL);
		buf_addu64(b, 0xffffffff81000010);
		buf_addu64(b, PERF_CONTEXT_USER);
		buf_addu64(b, ip);
	}
}

static void put_records(struct buf *b, uint64_t type)
{
	writer_mmap2(b, (uint32_t)-1, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, 0,
		     "[kernel.kallsyms]_text", 24, PERF_RECORD_MISC_KERNEL);
	put_comm(b, 1, 0, "sh\0\0\0\0\0");
	writer_mmap2(b, 100, 0x400000, 0x1000, 0, 7, "/nonexistent/a", 24, PERF_RECORD_MISC_USER);
	for (uint64_t i = 2; i < 20; i++) {
		put_sample(b, type, i & 3 ? 0x400000 + i : 0xffffffff81000000 + i, i);
		if (i == 7)
			put_fork(b, 8);
		if (i == 11)
			put_comm(b, 12, PERF_RECORD_MISC_COMM_EXEC, "gzip\0\0\0");
	}
	put_header(b, PERF_RECORD_LOST, 0, 16 + 24);
	buf_addu64(b, ids[0]);
	buf_addu64(b, 3);
	put_trailer(b, 30);
	put_header(b, RECORD_FINISHED_ROUND, 0, 0);
}

static struct perf_event_attr attr(uint64_t type, int i)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr), .type = PERF_TYPE_SOFTWARE,
		.config = (uint64_t)i, .sample_type = type, .sample_period = 1000,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID, .sample_id_all = 1,
	};
}

static void save(const char *dir, const char *name, const struct buf *b)
{
	char *path = xasprintf("%s/%s", dir, name);

	if (io_write_file(path, b->data, b->len, NULL) < 0)
		exit(1);
	free(path);
}

static void file_mode(const char *dir, const char *name, uint64_t type)
{
	static char *argv[] = { (char *)"gzip", NULL };
	const struct writer_build_id id = { { 1 }, 20, PERF_RECORD_MISC_USER, "/nonexistent/a" };
	const struct writer_info info = {
		.hostname = "h", .argv = argv, .build_ids = &id, .n_build_ids = 1,
	};
	const struct writer_event e[2] = {
		{ attr(type, 0), "cpu-clock", &ids[0], 1 }, { attr(type, 1), "task-clock", &ids[1], 1 },
	};
	char *path = xasprintf("%s/%s", dir, name);
	struct buf b = BUF_INIT;
	struct writer w;

	put_records(&b, type);
	if (writer_open(&w, path, e, 2, NULL) < 0 || writer_add(&w, b.data, b.len) < 0 ||
	    writer_finish(&w, &info, NULL) < 0)
		exit(1);
	buf_release(&b);
	free(path);
}

static void put_attrs(struct buf *b, uint64_t type)
{
	buf_add(b, "PERFILE2", 8);
	buf_addu64(b, 16);
	for (int i = 0; i < 2; i++) {
		const struct perf_event_attr a = attr(type, i);

		put_header(b, RECORD_HEADER_ATTR, 0, sizeof(a) + 8);
		buf_add(b, &a, sizeof(a));
		buf_addu64(b, ids[i]);
	}
}

static void pipe_mode(const char *dir)
{
	struct buf b = BUF_INIT, records = BUF_INIT, packed = BUF_INIT;
	char out[8192];
	size_t n;

	put_records(&records, TYPE);
	put_attrs(&b, TYPE);
	buf_add(&b, records.data, records.len);
	save(dir, "pipe.data", &b);

	put_attrs(&packed, TYPE);
	n = ZSTD_compress(out, sizeof(out), records.data, records.len, 1);
	if (ZSTD_isError(n))
		exit(1);
	put_header(&packed, RECORD_COMPRESSED, 0, n);
	buf_add(&packed, out, n);
	save(dir, "compressed.data", &packed);
	buf_release(&b);
	buf_release(&records);
	buf_release(&packed);
}

static void other_byte_order(const char *dir)
{
	const struct perf_event_attr a = {
		.type = bswap_32(PERF_TYPE_SOFTWARE), .size = bswap_32(sizeof(a)),
		.sample_type = bswap_64(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME),
	};
	struct buf b = BUF_INIT;

	buf_add(&b, "2ELIFREP", 8);
	buf_addu64(&b, bswap_64(16));
	put_header(&b, bswap_32(RECORD_HEADER_ATTR), 0, bswap_16(8 + sizeof(a)) - 8u);
	buf_add(&b, &a, sizeof(a));
	for (uint64_t i = 0; i < 4; i++) {
		put_header(&b, bswap_32(PERF_RECORD_SAMPLE), bswap_16(PERF_RECORD_MISC_USER),
			   bswap_16(32) - 8u);
		buf_addu64(&b, bswap_64(0x1000 + i));
		buf_addu32(&b, bswap_32(1));
		buf_addu32(&b, bswap_32(1));
		buf_addu64(&b, bswap_64(i));
	}
	save(dir, "big.data", &b);
	buf_release(&b);
}

static void texts(const char *dir)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\n"
		 "ffffffff81000000 T startup_64\nffffffff81000100 t helper\n"
		 "ffffffff81000300 W weak\nffffffffc0000000 t mod\t[ext4]\n");
	save(dir, "kallsyms.txt", &b);
	buf_clear(&b);
	buf_adds(&b, "7f0000001000 40 LazyCompile:~add /app/main.js:12\n"
		 "0x7f0000002000 0x10 other\n7f0000003000 0 empty\n");
	save(dir, "perf-map.txt", &b);
	buf_release(&b);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	file_mode(argv[1], "plain.data", TYPE);
	file_mode(argv[1], "chains.data", TYPE | PERF_SAMPLE_CALLCHAIN);
	file_mode(argv[1], "groups.data", TYPE | PERF_SAMPLE_READ);
	pipe_mode(argv[1]);
	other_byte_order(argv[1]);
	texts(argv[1]);
	return 0;
}
