/* SPDX-License-Identifier: MIT */
/*
 * minimal gzip|brotli LEVEL SECONDS - the least that compresses the web corpus:
 * a loop over its documents and the system's library, a stream each. Prints MB/s.
 */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/corpus.h"

#include <brotli/encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int gzip(z_stream *z, const struct corpus_doc *d, uint8_t *out, size_t room)
{
	deflateReset(z);
	z->next_in = (uint8_t *)d->data;
	z->avail_in = (uInt)d->len;
	z->next_out = out;
	z->avail_out = (uInt)room;
	return deflate(z, Z_FINISH) == Z_STREAM_END;
}

static int brotli(uint32_t quality, const struct corpus_doc *d, uint8_t *out, size_t room)
{
	BrotliEncoderState *s = BrotliEncoderCreateInstance(NULL, NULL, NULL);
	size_t len = d->len;
	const uint8_t *in = d->data;
	int ok;

	BrotliEncoderSetParameter(s, BROTLI_PARAM_QUALITY, quality);
	BrotliEncoderSetParameter(s, BROTLI_PARAM_LGWIN, 19);
	ok = BrotliEncoderCompressStream(s, BROTLI_OPERATION_FINISH, &len, &in, &room, &out, NULL) &&
		BrotliEncoderIsFinished(s);
	BrotliEncoderDestroyInstance(s);
	return ok;
}

int main(int argc, char **argv)
{
	struct corpus c;
	z_stream z = { 0 };
	size_t room = 1 << 20, bytes = 0;
	uint8_t *out = xcalloc(1, room);
	double start = 0, seconds = 0;
	int level = argc > 2 ? atoi(argv[2]) : 6, is_gzip = argc > 1 && !strcmp(argv[1], "gzip");

	if (argc != 4)
		return 2;
	corpus_web(&c, CORPUS_WEB_BYTES);
	deflateInit2(&z, is_gzip ? level : 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	/* The first time over warms up. */
	for (int rounds = 0; seconds < atof(argv[3]); rounds++) {
		for (size_t i = 0; i < c.n; i++)
			if (!(is_gzip ? gzip(&z, &c.docs[i], out, room) :
			      brotli((uint32_t)level, &c.docs[i], out, room)))
				return 1;
		if (rounds == 0)
			start = now_s();
		else
			bytes += c.len;
		seconds = now_s() - start;
	}
	printf("%.6f\n", (double)bytes / seconds * 1e-6);
	deflateEnd(&z);
	corpus_release(&c);
	free(out);
	return 0;
}
