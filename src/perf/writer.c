/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/perf/writer.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/perf/record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define HEADER_SIZE 104
#define NAME_ALIGN 64

struct section { uint64_t off, len; };

static void put_string(struct buf *b, const char *s)
{
	size_t n = strlen(s) + 1, padded = (n + NAME_ALIGN - 1) / NAME_ALIGN * NAME_ALIGN;

	buf_addu32(b, (uint32_t)padded);
	buf_add(b, s, n);
	for (; n < padded; n++)
		buf_addc(b, 0);
}

static void flush(struct writer *w)
{
	int rc = w->failed ? 0 : io_write(w->fd, w->pending.data, w->pending.len);

	if (rc < 0)
		w->failed = rc;
	buf_clear(&w->pending);
}

int writer_open(struct writer *w, const char *path, const struct writer_event *events,
		size_t n, struct err *err)
{
	uint64_t off = HEADER_SIZE;
	struct buf *b = &w->pending;

	memset(w, 0, sizeof(*w));
	w->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (w->fd < 0)
		return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	w->n_events = n;
	for (int i = 0; i < HEADER_SIZE; i++)
		buf_addc(b, 0);
	for (size_t i = 0; i < n; i++)
		buf_add(b, events[i].ids, events[i].n_ids * 8);
	w->attrs_off = b->len;
	buf_addu32(&w->desc, (uint32_t)n);
	buf_addu32(&w->desc, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < n; i++) {
		const struct writer_event *e = &events[i];

		buf_add(b, &e->attr, sizeof(e->attr));
		buf_addu64(b, off);
		buf_addu64(b, e->n_ids * 8);
		off += e->n_ids * 8;
		buf_add(&w->desc, &e->attr, sizeof(e->attr));
		buf_addu32(&w->desc, (uint32_t)e->n_ids);
		put_string(&w->desc, e->name);
		buf_add(&w->desc, e->ids, e->n_ids * 8);
	}
	w->data_off = b->len;
	flush(w);
	if (w->failed)
		return err_set(err, w->failed, "cannot write '%s': %s", path, strerror(-w->failed));
	return 0;
}

int writer_add(struct writer *w, const void *records, size_t len)
{
	if (w->failed)
		return w->failed;
	w->failed = io_write(w->fd, records, len);
	if (!w->failed)
		w->data_len += len;
	return w->failed;
}

int writer_round(struct writer *w)
{
	const struct perf_event_header h = { RECORD_FINISHED_ROUND, 0, sizeof(h) };

	return writer_add(w, &h, sizeof(h));
}

static void put_build_ids(struct buf *b, const struct writer_info *info)
{
	for (size_t i = 0; i < info->n_build_ids; i++) {
		const struct writer_build_id *id = &info->build_ids[i];
		size_t n = strlen(id->path) + 1;
		size_t padded = (n + NAME_ALIGN - 1) / NAME_ALIGN * NAME_ALIGN;
		struct perf_event_header h = {
			RECORD_HEADER_BUILD_ID, id->cpumode | 1u << 15, (uint16_t)(36 + padded),
		};
		uint8_t raw[24] = { 0 };

		if (padded > 4096)
			continue;
		memcpy(raw, id->id, 20);
		raw[20] = id->len;
		buf_add(b, &h, sizeof(h));
		buf_addu32(b, id->cpumode == PERF_RECORD_MISC_KERNEL ? (uint32_t)-1 : 0);
		buf_add(b, raw, sizeof(raw));
		buf_add(b, id->path, n);
		for (; n < padded; n++)
			buf_addc(b, 0);
	}
}

/* The bytes of one feature; empty when there is nothing to say. */
static void feature_bytes(const struct writer *w, const struct writer_info *info, int feature,
			  struct buf *b)
{
	const char *text[] = {
		[3] = info->hostname, [4] = info->osrelease, [5] = info->version,
		[6] = info->arch, [8] = info->cpudesc, [9] = info->cpuid,
	};
	uint32_t n = 0;

	if (feature < (int)ARRAY_SIZE(text) && text[feature]) {
		put_string(b, text[feature]);
		return;
	}
	switch (feature) {
	case 2:
		put_build_ids(b, info);
		break;
	case 7:
		buf_addu32(b, info->cpus_available);
		buf_addu32(b, info->cpus_online);
		break;
	case 10:
		buf_addu64(b, info->total_mem_kb);
		break;
	case 11:
		while (info->argv && info->argv[n])
			n++;
		buf_addu32(b, n);
		for (uint32_t i = 0; i < n; i++)
			put_string(b, info->argv[i]);
		break;
	case 12:
		buf_add(b, w->desc.data, w->desc.len);
		break;
	}
}

static void put_header(const struct writer *w, uint64_t features, struct buf *b)
{
	size_t entry = sizeof(struct perf_event_attr) + 16;

	buf_add(b, "PERFILE2", 8);
	buf_addu64(b, HEADER_SIZE);
	buf_addu64(b, entry);
	buf_addu64(b, w->attrs_off);
	buf_addu64(b, entry * w->n_events);
	buf_addu64(b, w->data_off);
	buf_addu64(b, w->data_len);
	buf_addu64(b, 0);
	buf_addu64(b, 0);
	buf_addu64(b, features);
	for (int i = 0; i < 3; i++)
		buf_addu64(b, 0);
}

int writer_finish(struct writer *w, const struct writer_info *info, struct err *err)
{
	enum { LAST = 13 };
	struct buf bytes[LAST] = { 0 }, b = BUF_INIT;
	uint64_t features = 0, off;
	int lost = w->failed, rc = 0;

	/* A failed write may have left part of a record behind data_len. */
	w->failed = 0;
	off = w->data_off + w->data_len;
	if (ftruncate(w->fd, (off_t)off) < 0 || lseek(w->fd, (off_t)off, SEEK_SET) < 0)
		rc = -errno;
	for (int f = 0; f < LAST; f++) {
		feature_bytes(w, info, f, &bytes[f]);
		if (bytes[f].len) {
			features |= 1ull << f;
			off += 16;
		}
	}
	for (int f = 0; f < LAST; f++) {
		if (!bytes[f].len)
			continue;
		buf_addu64(&b, off);
		buf_addu64(&b, bytes[f].len);
		off += bytes[f].len;
	}
	for (int f = 0; f < LAST; f++) {
		buf_add(&b, bytes[f].data, bytes[f].len);
		buf_release(&bytes[f]);
	}
	if (rc == 0)
		rc = io_write(w->fd, b.data, b.len);
	buf_clear(&b);
	/* Without room for the features the records are still worth keeping. */
	put_header(w, rc == 0 ? features : 0, &b);
	if (pwrite(w->fd, b.data, b.len, 0) != (ssize_t)b.len && rc == 0)
		rc = -errno;
	buf_release(&b);
	if (close(w->fd) < 0 && rc == 0)
		rc = -errno;
	w->fd = -1;
	writer_release(w);
	if (lost)
		rc = lost;
	return rc < 0 ? err_set(err, rc, "the recording is incomplete: %s", strerror(-rc)) : 0;
}

void writer_release(struct writer *w)
{
	if (w->fd > 0)
		close(w->fd);
	buf_release(&w->desc);
	buf_release(&w->pending);
	w->fd = -1;
}

void writer_mmap2(struct buf *out, uint32_t pid, uint64_t addr, uint64_t len,
		  uint64_t pgoff, uint64_t inode, const char *path, size_t id_bytes,
		  uint16_t cpumode)
{
	size_t n = strlen(path) + 1, padded = (n + 7) & ~(size_t)7;
	struct perf_event_header h = { PERF_RECORD_MMAP2, cpumode, 0 };

	if (padded > 4096)
		return;
	h.size = (uint16_t)(72 + padded + id_bytes);
	buf_add(out, &h, sizeof(h));
	buf_addu32(out, pid);
	buf_addu32(out, pid);
	buf_addu64(out, addr);
	buf_addu64(out, len);
	buf_addu64(out, pgoff);
	buf_addu32(out, 0);		/* major, minor: not known here */
	buf_addu32(out, 0);
	buf_addu64(out, inode);
	buf_addu64(out, 0);
	buf_addu32(out, 5);		/* PROT_READ | PROT_EXEC */
	buf_addu32(out, 2);		/* MAP_PRIVATE */
	buf_add(out, path, n);
	for (; n < padded; n++)
		buf_addc(out, 0);
	for (size_t i = 0; i < id_bytes; i++)
		buf_addc(out, 0);
}
