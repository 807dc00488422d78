/* SPDX-License-Identifier: MIT */
/*
 * gzip - zlib's deflate in a gzip wrapper, one stream a document, as a web
 * server compresses pages. A batch compresses the whole corpus once.
 */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/corpus.h"
#include "workloads/workload.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16)	/* 32 KiB, gzip header and trailer */
#define MEM_LEVEL 8		/* zlib's and nginx's default */

/* The functions used, from whichever build of zlib was asked for. */
struct zlib {
	void *handle;
	int (*init)(z_streamp, int, int, int, int, int, const char *, int);
	int (*deflate)(z_streamp, int);
	int (*reset)(z_streamp);
	int (*end)(z_streamp);
	uLong (*bound)(z_streamp, uLong);
	const char *(*version)(void);
};

struct shared {
	struct zlib z;
	struct corpus corpus;
	int level;
	int flip_byte;
};

struct state {
	const struct shared *shared;	/* borrowed */
	z_stream stream;
	bool open;
	unsigned char *out;		/* a slot for every document */
	size_t *at, *room, *got;	/* its place, size, and bytes produced */
	const char *broken;		/* what went wrong inside a batch */
};

static int load_zlib(struct zlib *z, const char *path, struct workload_info *info,
		     struct err *err)
{
	int flags = RTLD_NOW | RTLD_LOCAL;
	Dl_info where;
	char *real;

#ifndef CPUPROF_ASAN
	/* Another zlib is already in the process, brought by libelf: the one
	 * under test must call its own functions, not that one's. */
	flags |= RTLD_DEEPBIND;
#endif
	z->handle = dlopen(path ? path : "libz.so.1", flags);
	if (!z->handle)
		return err_set(err, -ENOENT, "cannot load zlib: %s", dlerror());
	z->init = dlsym(z->handle, "deflateInit2_");
	z->deflate = dlsym(z->handle, "deflate");
	z->reset = dlsym(z->handle, "deflateReset");
	z->end = dlsym(z->handle, "deflateEnd");
	z->bound = dlsym(z->handle, "deflateBound");
	z->version = dlsym(z->handle, "zlibVersion");
	if (!z->init || !z->deflate || !z->reset || !z->end || !z->bound || !z->version)
		return err_set(err, -ENOENT, "'%s' is not a zlib: deflate functions are missing",
			       path ? path : "libz.so.1");
	snprintf(info->library_version, sizeof(info->library_version), "%s", z->version());
	if (!dladdr((void *)z->deflate, &where) || !where.dli_fname)
		return err_set(err, -ENOENT, "cannot tell where zlib was loaded from");
	real = realpath(where.dli_fname, NULL);
	snprintf(info->library_path, sizeof(info->library_path), "%s",
		 real ? real : where.dli_fname);
	if (path && real) {
		char *asked = realpath(path, NULL);
		bool same = asked && !strcmp(asked, real);

		free(asked);
		if (!same) {
			free(real);
			return err_set(err, -EINVAL, "asked for zlib '%s', but '%s' was loaded",
				       path, where.dli_fname);
		}
	}
	free(real);
	return 0;
}

static void gzip_teardown(void *p)
{
	struct shared *s = p;

	if (!s)
		return;
	corpus_release(&s->corpus);
	if (s->z.handle)
		dlclose(s->z.handle);
	free(s);
}

static int gzip_setup(const struct workload_env *env, void **shared,
		      struct workload_info *info, struct err *err)
{
	struct shared *s = xcalloc(1, sizeof(*s));
	int rc;

	s->level = env->variant;
	s->flip_byte = env->flip_byte;
	rc = load_zlib(&s->z, env->library, info, err);
	if (rc == 0 && env->input) {
		rc = corpus_file(&s->corpus, env->input, err);
		snprintf(info->input, sizeof(info->input), "%s", env->input);
	} else if (rc == 0) {
		corpus_web(&s->corpus, CORPUS_WEB_BYTES);
		snprintf(info->input, sizeof(info->input), "web corpus");
	}
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
		st->shared->z.end(&st->stream);
	free(st->out);
	free(st->at);
	free(st->room);
	free(st->got);
	free(st);
}

static int gzip_thread_begin(void *p, void **state, struct err *err)
{
	struct shared *s = p;
	struct state *st = xcalloc(1, sizeof(*st));
	size_t n = s->corpus.n, total = 0;
	int rc;

	st->shared = s;
	rc = s->z.init(&st->stream, s->level, Z_DEFLATED, GZIP_WINDOW, MEM_LEVEL,
		       Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof(st->stream));
	if (rc != Z_OK) {
		free(st);
		return err_set(err, -EINVAL, "zlib's deflateInit2 failed with %d", rc);
	}
	st->open = true;
	st->at = xcalloc(n, sizeof(*st->at));
	st->room = xcalloc(n, sizeof(*st->room));
	st->got = xcalloc(n, sizeof(*st->got));
	for (size_t i = 0; i < n; i++) {
		st->at[i] = total;
		st->room[i] = s->z.bound(&st->stream, s->corpus.docs[i].len);
		total += st->room[i];
	}
	st->out = xmalloc(total);
	memset(st->out, 0, total);	/* page faults belong to set-up */
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

		z->reset(s);
		s->next_in = (unsigned char *)c->docs[i].data;
		s->avail_in = (uInt)c->docs[i].len;
		s->next_out = st->out + st->at[i];
		s->avail_out = (uInt)st->room[i];
		if (z->deflate(s, Z_FINISH) != Z_STREAM_END)
			st->broken = "deflate did not finish a document";
		if (st->got[i] && st->got[i] != s->total_out)
			st->broken = "the same document gave outputs of different length";
		st->got[i] = s->total_out;
	}
	return c->len;
}

/* zlib of the system decompresses, whatever build compressed. */
static int check_document(const struct state *st, size_t i, unsigned char *room, struct err *err)
{
	const struct corpus_doc *doc = &st->shared->corpus.docs[i];
	z_stream s = { 0 };
	int rc;

	if (inflateInit2(&s, GZIP_WINDOW) != Z_OK)
		return err_set(err, -ENOMEM, "zlib's inflateInit2 failed");
	s.next_in = st->out + st->at[i];
	s.avail_in = (uInt)st->got[i];
	s.next_out = room;
	s.avail_out = (uInt)doc->len;
	rc = inflate(&s, Z_FINISH);
	inflateEnd(&s);
	if (rc != Z_STREAM_END || s.total_out != doc->len || memcmp(room, doc->data, doc->len))
		return err_set(err, -EBADMSG, "wrong output: document %zu (%s, %zu bytes) does not "
			       "decompress to what went in", i, doc->kind, doc->len);
	return 0;
}

static int gzip_verify(void *p, struct err *err)
{
	struct state *st = p;
	const struct corpus *c = &st->shared->corpus;
	unsigned char *room;
	int rc = 0;

	if (st->broken)
		return err_set(err, -EBADMSG, "wrong output: %s", st->broken);
	if (st->shared->flip_byte)
		st->out[st->at[0] + st->got[0] / 2] ^= 1;
	room = xmalloc(c->len);
	for (size_t i = 0; i < c->n && rc == 0; i++)
		if (st->got[i])
			rc = check_document(st, i, room, err);
	free(room);
	return rc;
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
	.variant_name = "level",
	.variant_min = 1,
	.variant_max = 9,
	.variant_default = 6,
	.hot = "deflate",
	.setup = gzip_setup,
	.thread_begin = gzip_thread_begin,
	.batch = gzip_batch,
	.verify = gzip_verify,
	.thread_end = gzip_thread_end,
	.teardown = gzip_teardown,
};
