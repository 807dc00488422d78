/* SPDX-License-Identifier: MIT */
/*
 * template - a workload to begin from, compiled so that it stays right, and
 * not in list.def. README.md says what to do with it. This one hashes a buffer
 * by FNV-1a.
 *
 * All of it runs in a worker, a process of its own for each repetition:
 *
 *	setup			once, in the main thread
 *	  thread_begin		in each thread, which is on its CPU by then
 *	    batch, batch, ...	in each thread: to find out how many take 20 ms, to
 *				warm up, and then measured
 *	  verify, memory	for each thread, in the main one, after all is measured
 *	  note			for the first one, when samples were taken
 *	  thread_end		for each thread, in the main one
 *	teardown		once
 *
 * After an error, or when the worker is killed, the rest is left out: nothing
 * may outlive the process.
 */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/workload.h"

#include <errno.h>
#include <stdlib.h>

/* What threads share and none of them changes: input, functions of a library
 * (library.h), what was asked for. */
struct shared {
	unsigned char *input;
	size_t len;
	int flip_byte;
};

/* What a thread has for itself. Two threads that write to one cache line wait
 * for each other, and the report would show that as a loss of scaling. */
struct state {
	const struct shared *shared;	/* borrowed */
	uint64_t hash;
	const char *broken;		/* a batch cannot fail: it leaves a note */
};

static uint64_t fnv1a(const unsigned char *p, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h;
}

/* Takes half-built objects: setup calls it, too. */
static void template_teardown(void *p)
{
	struct shared *s = p;

	if (!s)
		return;
	free(s->input);
	free(s);
}

/* env says what was asked for and has been checked against the descriptor: the
 * variant, --window, --input, --library. info is for the report: a library's
 * path and version, what the input is. Errors are finished sentences;
 * -ENOPKG, as of library_open(), stands for "install the package". */
static int template_setup(const struct workload_env *env, void **shared,
			  struct workload_info *info, struct err *err)
{
	struct shared *s;

	(void)info;
	/* Published answers first: a broken library is not worth measuring. */
	if (fnv1a((const unsigned char *)"foobar", 6) != 0x85944171f73967e8u)
		return err_set(err, -EBADMSG, "wrong output: not the published hash of 'foobar'");
	s = xcalloc(1, sizeof(*s));
	s->len = (size_t)env->variant * 1024;
	s->flip_byte = env->flip_byte;
	/* Input is the same on every machine and in every run. */
	s->input = xmalloc(s->len);
	for (size_t i = 0; i < s->len; i++)
		s->input[i] = (unsigned char)(i * 31 + i / 256);
	*shared = s;
	return 0;
}

/* The place to allocate all that batches need, and to touch it: page faults of
 * the first batch are no part of the work. */
static int template_thread_begin(void *p, void **state, struct err *err)
{
	struct state *st = xcalloc(1, sizeof(*st));

	(void)err;
	st->shared = p;
	*state = st;
	return 0;
}

/* The same work every time, and how many operations that was. Called again and
 * again between two readings of the clock, so it may be short, but not so short
 * that the call itself counts: a microsecond at least. The result has to go
 * somewhere, or the compiler leaves the work out. */
static uint64_t template_batch(void *p)
{
	struct state *st = p;
	uint64_t hash = fnv1a(st->shared->input, st->shared->len);

	if (st->hash && st->hash != hash)
		st->broken = "two batches gave different hashes";
	st->hash = hash;
	return st->shared->len;
}

/* Every byte of the output, by another way than it was made where there is
 * one. flip_byte is how a test sees that a wrong byte is found: corrupt one of
 * the output, then check. The sentence begins with "wrong output". */
static int template_verify(void *p, struct err *err)
{
	struct state *st = p;

	if (st->broken)
		return err_set(err, -EBADMSG, "wrong output: %s", st->broken);
	if (st->shared->flip_byte)
		st->hash ^= 1;
	if (st->hash != fnv1a(st->shared->input, st->shared->len))
		return err_set(err, -EBADMSG, "wrong output: the hash of %zu bytes is wrong",
			       st->shared->len);
	return 0;
}

static void template_thread_end(void *p)
{
	free(p);
}

/* A range of variants, "template:1-64", stands for these. */
static const int sizes[] = { 1, 4, 16, 64, 0 };

extern const struct workload workload_template;
const struct workload workload_template = {
	.name = "template",
	.summary = "hash a buffer by FNV-1a",
	.unit = "B",			/* of what batch() returns */
	.score_unit = "MB/s",
	.score_scale = 1e-6,		/* from unit a second to score_unit */
	/* No library, hence no package and no probe, and nothing to note of it; no
	 * input, no window. */
	.variant_name = "size",
	.variant_unit = "KiB",
	.variant_min = 1,
	.variant_max = 64,
	.variant_default = 16,
	.variant_steps = sizes,
	.hot = "template_batch",
	.setup = template_setup,
	.thread_begin = template_thread_begin,
	.batch = template_batch,
	.verify = template_verify,
	.thread_end = template_thread_end,
	.teardown = template_teardown,
};
