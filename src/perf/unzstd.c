/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/perf/unzstd.h"
#include "src/base/cursor.h"
#include "src/base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define ROOM ((size_t)256 << 10)	/* more than two records */

struct perfdata_zstd {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool broken;		/* what follows cannot be read either */
	bool more;		/* the last call filled the room: ask again */
	size_t start, end;	/* records not yet handed out */
	uint8_t out[ROOM];
};

struct perfdata_zstd *unzstd_new(void)
{
	struct perfdata_zstd *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (!z->stream)
		abort();
	ZSTD_initDStream(z->stream);
	/* A window of 8 MiB is what perf can ask for at its highest level. */
	ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, 23);
	return z;
}

void unzstd_free(struct perfdata_zstd *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void unzstd_feed(struct perfdata_zstd *z, const struct record *r)
{
	struct cursor c = cursor_of(r->data + 8, r->size - 8u, r->swap);
	uint64_t len = cursor_left(&c);

	if (r->type == RECORD_COMPRESSED2) {
		len = cursor_u64(&c);
		if (len > cursor_left(&c))
			len = cursor_left(&c);
	}
	if (!z->broken)
		z->in = (ZSTD_inBuffer){ c.p, len, 0 };
}

static int unpack(struct perfdata_zstd *z)
{
	ZSTD_outBuffer out;
	size_t rc;

	memmove(z->out, z->out + z->start, z->end - z->start);
	z->end -= z->start;
	z->start = 0;
	out = (ZSTD_outBuffer){ z->out, ROOM, z->end };
	rc = ZSTD_decompressStream(z->stream, &out, &z->in);
	if (ZSTD_isError(rc))
		return -EINVAL;
	z->more = out.pos == ROOM;
	z->end = out.pos;
	return 0;
}

static int give_up(struct perfdata_zstd *z)
{
	z->broken = true;
	z->more = false;
	z->in.size = z->in.pos = 0;
	z->start = z->end = 0;
	return -EINVAL;
}

int unzstd_next(struct perfdata_zstd *z, bool swap, struct record *r)
{
	for (;;) {
		int n = record_at(z->out + z->start, z->end - z->start, swap, r);

		if (n < 0)
			return give_up(z);
		if (n > 0) {
			z->start += (size_t)n;
			return 1;
		}
		if (z->in.pos >= z->in.size && !z->more)
			return 0;
		if (unpack(z) < 0)
			return give_up(z);
	}
}
