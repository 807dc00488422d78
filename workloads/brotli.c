/* SPDX-License-Identifier: MIT */
/*
 * brotli - libbrotli's encoder, one stream a document, as a web server
 * compresses pages. A batch compresses the whole corpus once.
 *
 * Quality 6 and a window of 2^19 bytes are what nginx's and Apache's brotli
 * modules were written with. An encoder cannot be used again: each document has
 * one of its own, so that what it allocates and clears is part of the work, here
 * as in a server.
 */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/library.h"
#include "workloads/meter.h"
#include "workloads/slots.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define WINDOW 19
#define SLOW 10			/* from this quality on, a batch of 4 MiB takes seconds */

#define FUNCTIONS(X) \
	X(BrotliEncoderCreateInstance) X(BrotliEncoderSetParameter) \
	X(BrotliEncoderCompressStream) X(BrotliEncoderIsFinished) \
	X(BrotliEncoderDestroyInstance) X(BrotliEncoderMaxCompressedSize) \
	X(BrotliEncoderVersion)

struct encoder {
	FUNCTIONS(LIBRARY_MEMBER)
};

struct decoder {
	__typeof__(&BrotliDecoderDecompress) decompress;
};

static const char *const encoder_names[] = { FUNCTIONS(LIBRARY_NAME) NULL };
static const char *const decoder_names[] = { "BrotliDecoderDecompress", NULL };
static const struct library encoder_library = { "brotli", "libbrotlienc.so.1", encoder_names };
static const struct library decoder_library = { "brotli's decoder", "libbrotlidec.so.1",
						decoder_names };

struct shared {
	void *encoder_handle, *decoder_handle;
	struct encoder e;
	struct decoder d;
	struct corpus corpus;
	uint32_t quality, window;
	int flip_byte;
};

struct state {
	const struct shared *shared;	/* borrowed */
	struct meter meter;		/* of what encoders allocate */
	struct slots slots;
};

static int load_encoder(struct shared *s, const char *path, struct workload_info *info,
			struct err *err)
{
	int rc = library_open(&s->encoder_handle, &encoder_library, path, &s->e, info, err);
	uint32_t v;

	if (rc < 0)
		return rc;
	v = s->e.BrotliEncoderVersion();
	snprintf(info->library_version, sizeof(info->library_version), "%u.%u.%u", v >> 24,
		 v >> 12 & 0xfff, v & 0xfff);
	return 0;
}

static void brotli_teardown(void *p)
{
	struct shared *s = p;

	if (!s)
		return;
	corpus_release(&s->corpus);
	if (s->encoder_handle)
		dlclose(s->encoder_handle);
	if (s->decoder_handle)
		dlclose(s->decoder_handle);
	free(s);
}

/* The system's decoder decompresses, whatever build compressed. */
static int load_both(struct shared *s, const char *path, struct workload_info *info,
		     struct err *err)
{
	int rc = load_encoder(s, path, info, err);

	return rc < 0 ? rc : library_open(&s->decoder_handle, &decoder_library, NULL, &s->d, NULL,
					  err);
}

static int brotli_probe(struct workload_info *info, struct err *err)
{
	struct shared *s = xcalloc(1, sizeof(*s));
	int rc = load_both(s, NULL, info, err);

	brotli_teardown(s);
	return rc;
}

static int brotli_setup(const struct workload_env *env, void **shared,
			struct workload_info *info, struct err *err)
{
	struct shared *s = xcalloc(1, sizeof(*s));
	int rc;

	s->quality = (uint32_t)env->variant;
	s->window = (uint32_t)env->window;
	s->flip_byte = env->flip_byte;
	rc = load_both(s, env->library, info, err);
	if (rc == 0)
		rc = corpus_load(&s->corpus, env->input,
				 s->quality < SLOW ? CORPUS_WEB_BYTES : CORPUS_WEB_BYTES / 4,
				 info->input, sizeof(info->input), err);
	if (rc < 0) {
		brotli_teardown(s);
		return rc;
	}
	*shared = s;
	return 0;
}

static size_t bound(const void *p, size_t len)
{
	return ((const struct shared *)p)->e.BrotliEncoderMaxCompressedSize(len);
}

static int brotli_thread_begin(void *p, void **state, struct err *err)
{
	struct shared *s = p;
	struct state *st = xcalloc(1, sizeof(*st));

	(void)err;
	st->shared = s;
	slots_init(&st->slots, &s->corpus, bound, s);
	*state = st;
	return 0;
}

static void compress(struct state *st, size_t i)
{
	const struct encoder *e = &st->shared->e;
	const struct corpus_doc *d = &st->shared->corpus.docs[i];
	size_t in = d->len, room = st->slots.room[i];
	const uint8_t *from = d->data;
	uint8_t *to = st->slots.out + st->slots.at[i];
	BrotliEncoderState *b = e->BrotliEncoderCreateInstance(meter_alloc, meter_free,
							       &st->meter);

	if (!b) {
		st->slots.broken = "an encoder could not be made";
		return;
	}
	e->BrotliEncoderSetParameter(b, BROTLI_PARAM_QUALITY, st->shared->quality);
	e->BrotliEncoderSetParameter(b, BROTLI_PARAM_LGWIN, st->shared->window);
	if (!e->BrotliEncoderCompressStream(b, BROTLI_OPERATION_FINISH, &in, &from, &room, &to,
					    NULL) || !e->BrotliEncoderIsFinished(b))
		st->slots.broken = "the encoder did not finish a document";
	slots_put(&st->slots, i, st->slots.room[i] - room);
	e->BrotliEncoderDestroyInstance(b);
}

static uint64_t brotli_batch(void *p)
{
	struct state *st = p;
	const struct corpus *c = &st->shared->corpus;

	for (size_t i = 0; i < c->n; i++)
		compress(st, i);
	return c->len;
}

static bool decompress(const void *p, const uint8_t *in, size_t len, uint8_t *out, size_t room)
{
	const struct decoder *d = p;
	size_t got = room;

	return d->decompress(len, in, &got, out) == BROTLI_DECODER_RESULT_SUCCESS && got == room;
}

static int brotli_verify(void *p, struct err *err)
{
	struct state *st = p;

	return slots_verify(&st->slots, st->shared->flip_byte, decompress, &st->shared->d, err);
}

static uint64_t brotli_memory(void *p)
{
	return ((struct state *)p)->meter.peak;
}

static void brotli_thread_end(void *p)
{
	struct state *st = p;

	if (!st)
		return;
	slots_release(&st->slots);
	free(st);
}

extern const struct workload workload_brotli;
const struct workload workload_brotli = {
	.name = "brotli",
	.summary = "compress web documents with brotli, one stream each",
	.unit = "B",
	.score_unit = "MB/s",
	.score_scale = 1e-6,
	.library = "brotli",
	.package = "libbrotli1",
	.takes_input = true,
	.variant_name = "quality",
	.variant_min = BROTLI_MIN_QUALITY,
	.variant_max = BROTLI_MAX_QUALITY,
	.variant_default = 6,
	.window_min = BROTLI_MIN_WINDOW_BITS,
	.window_max = BROTLI_MAX_WINDOW_BITS,
	.window_default = WINDOW,
	.hot = "BrotliEncoderCompressStream",
	.probe = brotli_probe,
	.setup = brotli_setup,
	.thread_begin = brotli_thread_begin,
	.batch = brotli_batch,
	.verify = brotli_verify,
	.memory = brotli_memory,
	.thread_end = brotli_thread_end,
	.teardown = brotli_teardown,
};
