/* SPDX-License-Identifier: MIT */
/*
 * minimal gzip|brotli LEVEL SECONDS - the least that compresses the web corpus:
 * a loop over its documents and the system's library, a stream each. Prints MB/s.
 *
 * In a thread, as workloads run: glibc trims the heap of the main thread by
 * other rules, which at brotli's quality 6 makes 16,600 page faults out of 10,900
 * and costs 5 %.
 */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/corpus.h"

#include <brotli/encode.h>
#include <pthread.h>
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

struct job {
	struct corpus corpus;
	int is_gzip, level;
	double seconds;
};

static void *loop(void *p)
{
	const struct job *j = p;
	const struct corpus *c = &j->corpus;
	size_t room = 1 << 20, bytes = 0;
	uint8_t *out = xcalloc(1, room);
	double start = 0, seconds = 0;
	z_stream z = { 0 };

	if (j->is_gzip)
		deflateInit2(&z, j->level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	/* The first time over warms up. */
	for (int rounds = 0; seconds < j->seconds; rounds++) {
		for (size_t i = 0; i < c->n; i++)
			if (!(j->is_gzip ? gzip(&z, &c->docs[i], out, room) :
			      brotli((uint32_t)j->level, &c->docs[i], out, room)))
				exit(1);
		if (rounds == 0)
			start = now_s();
		else
			bytes += c->len;
		seconds = rounds ? now_s() - start : 0;
	}
	printf("%.6f\n", (double)bytes / seconds * 1e-6);
	if (j->is_gzip)
		deflateEnd(&z);
	free(out);
	return NULL;
}

int main(int argc, char **argv)
{
	struct job j;
	pthread_t thread;

	if (argc != 4)
		return 2;
	j.is_gzip = !strcmp(argv[1], "gzip");
	j.level = atoi(argv[2]);
	j.seconds = atof(argv[3]);
	corpus_web(&j.corpus, CORPUS_WEB_BYTES);
	if (pthread_create(&thread, NULL, loop, &j))
		return 1;
	pthread_join(thread, NULL);
	corpus_release(&j.corpus);
	return 0;
}
