/* SPDX-License-Identifier: MIT */
/*
 * gzip - zlib's deflate in a gzip wrapper, one stream a document, as a web
 * server compresses pages. A batch compresses the whole corpus once.
 */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/library.h"
#include "workloads/meter.h"
#include "workloads/slots.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GZIP_FORMAT 16		/* added to the window's bits: gzip header and trailer */
#define WINDOW 15		/* 32 KiB, everybody's */
#define MEM_LEVEL 8		/* zlib's and nginx's default */

/* The functions used, from whichever build of zlib was asked for. */
#define FUNCTIONS(X) \
	X(deflateInit2_) X(deflate) X(deflateReset) X(deflateEnd) X(deflateBound) X(zlibVersion)

struct zlib {
	FUNCTIONS(LIBRARY_MEMBER)
};

static const char *const names[] = { FUNCTIONS(LIBRARY_NAME) NULL };
static const struct library library = { "zlib", "libz.so.1", names };

struct shared {
	void *handle;
	struct zlib z;
	struct corpus corpus;
	int level, window;
	int flip_byte;
};

struct state {
	const struct shared *shared;	/* borrowed */
	z_stream stream;
	struct meter meter;		/* of what zlib allocates */
	bool open;
	struct slots slots;
};

static int load_zlib(struct shared *s, const char *path, struct workload_info *info,
		     struct err *err)
{
	int rc = library_open(&s->handle, &library, path, &s->z, info, err);

	if (rc == 0)
		snprintf(info->library_version, sizeof(info->library_version), "%s",
			 s->z.zlibVersion());
	return rc;
}

static int gzip_probe(struct workload_info *info, struct err *err)
{
	struct shared s = { 0 };
	int rc = load_zlib(&s, NULL, info, err);

	if (s.handle)
		dlclose(s.handle);
	return rc;
}

/* As zlib wants it: so many items of a size. */
static void *alloc_items(void *meter, unsigned items, unsigned size)
{
	return meter_alloc(meter, (size_t)items * size);
}

static void gzip_teardown(void *p)
{
	struct shared *s = p;

	if (!s)
		return;
	corpus_release(&s->corpus);
	if (s->handle)
		dlclose(s->handle);
	free(s);
}

static int gzip_setup(const struct workload_env *env, void **shared,
		      struct workload_info *info, struct err *err)
{
	struct shared *s = xcalloc(1, sizeof(*s));
	int rc;

	s->level = env->variant;
	s->window = env->window;
	s->flip_byte = env->flip_byte;
	rc = load_zlib(s, env->library, info, err);
	if (rc == 0)
		rc = corpus_load(&s->corpus, env->input, CORPUS_WEB_BYTES, info->input,
				 sizeof(info->input), err);
	if (rc < 0) {
		gzip_teardown(s);
		return rc;
	}
	*shared = s;
	return 0;
}

static void gzip_thread_end(void *p)
{
	struct state *st = p;

	if (!st)
		return;
	if (st->open)
		st->shared->z.deflateEnd(&st->stream);
	slots_release(&st->slots);
	free(st);
}

static size_t bound(const void *p, size_t len)
{
	const struct state *st = p;

	return st->shared->z.deflateBound((z_stream *)&st->stream, len);
}

static int gzip_thread_begin(void *p, void **state, struct err *err)
{
	struct shared *s = p;
	struct state *st = xcalloc(1, sizeof(*st));
	int rc;

	st->shared = s;
	st->stream.zalloc = alloc_items;
	st->stream.zfree = meter_free;
	st->stream.opaque = &st->meter;
	rc = s->z.deflateInit2_(&st->stream, s->level, Z_DEFLATED, GZIP_FORMAT + s->window,
				MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
				(int)sizeof(st->stream));
	if (rc != Z_OK) {
		free(st);
		return err_set(err, -EINVAL, "zlib's deflateInit2 failed with %d", rc);
	}
	st->open = true;
	slots_init(&st->slots, &s->corpus, bound, st);
	*state = st;
	return 0;
}

static uint64_t gzip_batch(void *p)
{
	struct state *st = p;
	const struct zlib *z = &st->shared->z;
	const struct corpus *c = &st->shared->corpus;

	for (size_t i = 0; i < c->n; i++) {
		z_stream *s = &st->stream;

		z->deflateReset(s);
		s->next_in = (unsigned char *)c->docs[i].data;
		s->avail_in = (uInt)c->docs[i].len;
		s->next_out = st->slots.out + st->slots.at[i];
		s->avail_out = (uInt)st->slots.room[i];
		if (z->deflate(s, Z_FINISH) != Z_STREAM_END)
			st->slots.broken = "deflate did not finish a document";
		slots_put(&st->slots, i, s->total_out);
	}
	return c->len;
}

/* zlib of the system decompresses, whatever build compressed. */
static bool decompress(const void *unused, const uint8_t *in, size_t len, uint8_t *out,
		       size_t room)
{
	z_stream s = { .next_in = (uint8_t *)in, .avail_in = (uInt)len,
		       .next_out = out, .avail_out = (uInt)room };
	int rc;

	(void)unused;
	if (inflateInit2(&s, GZIP_FORMAT + WINDOW) != Z_OK)
		return false;
	rc = inflate(&s, Z_FINISH);
	inflateEnd(&s);
	return rc == Z_STREAM_END && s.total_out == room;
}

static int gzip_verify(void *p, struct err *err)
{
	struct state *st = p;

	return slots_verify(&st->slots, st->shared->flip_byte, decompress, NULL, err);
}

static uint64_t gzip_memory(void *p)
{
	return ((struct state *)p)->meter.peak;
}

extern const struct workload workload_gzip;
const struct workload workload_gzip = {
	.name = "gzip",
	.summary = "compress web documents with zlib, one gzip stream each",
	.unit = "B",
	.score_unit = "MB/s",
	.score_scale = 1e-6,
	.library = "zlib",
	.package = "zlib1g",
	.takes_input = true,
	.variant_name = "level",
	.variant_min = 1,
	.variant_max = 9,
	.variant_default = 6,
	.window_min = 9,
	.window_max = 15,
	.window_default = WINDOW,
	.hot = "deflate",
	.probe = gzip_probe,
	.setup = gzip_setup,
	.thread_begin = gzip_thread_begin,
	.batch = gzip_batch,
	.verify = gzip_verify,
	.memory = gzip_memory,
	.thread_end = gzip_thread_end,
	.teardown = gzip_teardown,
};
