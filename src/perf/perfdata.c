/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/perf/perfdata.h"
#include "src/base/cursor.h"
#include "src/base/mem.h"
#include "src/perf/perfdata_header.h"
#include "src/perf/unzstd.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define DROP_WINDOW ((size_t)1 << 20)

void perfdata_rewind(struct perfdata *pd)
{
	pd->pos = pd->data_off;
	pd->n_handed = 0;
	pd->dropped = 0;
	unzstd_free(pd->zstd);
	pd->zstd = NULL;
}

int perfdata_open(struct perfdata *pd, const char *path, struct err *err)
{
	struct record r;
	uint64_t magic;
	int rc;

	memset(pd, 0, sizeof(*pd));
	pd->id_offset = -1;
	rc = io_map_file(path, &pd->map, err);
	if (rc < 0)
		return rc;
	if (pd->map.len < 16) {
		rc = err_set(err, -EINVAL, "'%s' is no perf.data file: %zu bytes", path, pd->map.len);
		goto out;
	}
	memcpy(&magic, pd->map.data, 8);
	pd->swap = magic == bswap_64(0x32454c4946524550u);
	if (!pd->swap && magic != 0x32454c4946524550u && memcmp(pd->map.data, "PERFFILE", 8)) {
		rc = err_set(err, -EINVAL, "'%s' is no perf.data file", path);
		goto out;
	}
	memcpy(&magic, (const char *)pd->map.data + 8, 8);
	if (pd->swap)
		magic = bswap_64(magic);
	pd->pipe = magic == 16;
	if (pd->pipe) {
		pd->data_off = 16;
		pd->data_end = pd->map.len;
	} else {
		rc = perfdata_file_header(pd, path, err);
		if (rc < 0)
			goto out;
	}
	/* In a stream the events stand before the records of the kernel. */
	pd->pos = pd->data_off;
	while (pd->pipe && perfdata_next(pd, &r) > 0)
		if (pd->n_events && r.type < RECORD_HEADER_ATTR)
			break;
	if (pd->n_events == 0)
		rc = err_set(err, -EINVAL, "'%s' describes no events", path);
	perfdata_rewind(pd);
out:
	if (rc < 0)
		perfdata_release(pd);
	return rc;
}

void perfdata_release(struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++) {
		free(pd->events[i].name);
		free(pd->events[i].ids);
	}
	for (size_t i = 0; i < pd->n_build_ids; i++)
		free(pd->build_ids[i].path);
	free(pd->events);
	free(pd->build_ids);
	free(pd->hostname);
	free(pd->osrelease);
	free(pd->version);
	free(pd->arch);
	free(pd->cpudesc);
	free(pd->cpuid);
	free(pd->cmdline);
	map_release(&pd->by_id);
	buf_release(&pd->warnings);
	unzstd_free(pd->zstd);
	io_map_release(&pd->map);
	memset(pd, 0, sizeof(*pd));
}

/* Bytes that follow a record without being counted in its size. */
static uint64_t payload_behind(const struct perfdata *pd, const struct record *r)
{
	struct cursor c = cursor_of(r->data + 8, r->size - 8u, r->swap);

	if (r->type == RECORD_AUXTRACE)
		return cursor_u64(&c);
	if (r->type == RECORD_HEADER_TRACING_DATA && pd->pipe)
		return (cursor_u32(&c) + 7u) & ~7u;
	return 0;
}

/* From the compressed stream: 1 with a record, 0 when it wants more input. */
static int next_unpacked(struct perfdata *pd, struct record *r)
{
	int rc = unzstd_next(pd->zstd, pd->swap, r);

	if (rc < 0)
		perfdata_warn(pd, "compressed records are damaged before offset %zu; they and later "
		     "ones are lost", pd->pos);
	return rc > 0;
}

/* Pages that were read count as ours although the page cache holds them too:
 * give them back now and then, before the record at pos. */
static void drop_behind(struct perfdata *pd)
{
	size_t end = pd->pos & ~(DROP_WINDOW - 1);	/* a multiple of any page size */

	if (end <= pd->dropped)
		return;
	madvise((char *)pd->map.data + pd->dropped, end - pd->dropped, MADV_DONTNEED);
	pd->dropped = end;
}

/* Nearly all records: the kernel's, whole, as they lie in the file. */
static inline bool next_plain(struct perfdata *pd, struct record *r)
{
	if (pd->zstd || pd->pos >= pd->data_end || pd->pos >= pd->dropped + 2 * DROP_WINDOW ||
	    record_at((const uint8_t *)pd->map.data + pd->pos, pd->data_end - pd->pos, pd->swap,
		      r) <= 0 || r->type >= RECORD_HEADER_ATTR)
		return false;
	pd->pos += r->size;
	/* The processor's own prefetching stops where a page ends. */
	__builtin_prefetch(r->data + 2048);
	return true;
}

static int next_record(struct perfdata *pd, struct record *r)
{
	drop_behind(pd);
	for (;;) {
		const uint8_t *p = (const uint8_t *)pd->map.data + pd->pos;
		size_t left = pd->pos < pd->data_end ? pd->data_end - pd->pos : 0;
		uint64_t behind;
		int n;

		if (pd->zstd && next_unpacked(pd, r))
			return 1;
		if (!left)
			return 0;
		n = record_at(p, left, pd->swap, r);
		if (n <= 0) {
			if (n < 0)
				perfdata_warn(pd, "record of %u bytes at offset %zu cannot be: %zu bytes not read",
				     r->size, pd->pos, left);
			else
				perfdata_warn(pd, "the last record at offset %zu is cut off", pd->pos);
			pd->pos = pd->data_end;
			return 0;
		}
		pd->pos += (size_t)n;
		if (r->type < RECORD_HEADER_ATTR)
			return 1;
		behind = payload_behind(pd, r);
		if (behind > left - (size_t)n) {
			perfdata_warn(pd, "data behind the record at offset %zu is cut off",
			     pd->pos - (size_t)n);
			behind = left - (size_t)n;
		}
		pd->pos += behind;
		if (r->type != RECORD_COMPRESSED && r->type != RECORD_COMPRESSED2)
			return 1;
		if (!pd->zstd)
			pd->zstd = unzstd_new();
		unzstd_feed(pd->zstd, r);
	}
}

int perfdata_next(struct perfdata *pd, struct record *r)
{
	if (!next_plain(pd, r) && next_record(pd, r) == 0) {
		pd->ended = true;
		return 0;
	}
	/* What a record says of the recording is taken in once. */
	if (++pd->n_handed > pd->n_seen) {
		pd->n_seen = pd->n_handed;
		if (r->type >= RECORD_HEADER_ATTR)
			perfdata_header_record(pd, r);
	}
	return 1;
}

const struct perfdata_event *perfdata_event_by_id(const struct perfdata *pd, uint64_t id)
{
	const uint64_t *at = map_find(&pd->by_id, id);

	return at ? &pd->events[*at - 1] : NULL;
}

const struct perfdata_event *perfdata_event_of(const struct perfdata *pd,
					       const struct record *r)
{
	const struct perfdata_event *e;
	uint64_t id;

	if (pd->n_events == 1)
		return &pd->events[0];
	if (pd->id_offset < 0 || (size_t)pd->id_offset + 8 > r->size)
		return pd->n_events ? &pd->events[0] : NULL;
	memcpy(&id, r->data + pd->id_offset, 8);
	if (r->swap)
		id = bswap_64(id);
	e = perfdata_event_by_id(pd, id);
	/* perf gives samples without an id to the first event. */
	return e || id ? e : &pd->events[0];
}
