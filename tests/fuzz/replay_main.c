/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libFuzzer: replay [-mN] FILE... runs the target on each file
 * and on N damaged copies of it, always the same ones.
 */
#include "config.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a block of exactly its size, so that a sanitizer sees reads beyond. */
static void run(const char *data, size_t len)
{
	uint8_t *p = xmalloc(len);

	memcpy(p, data, len);
	LLVMFuzzerTestOneInput(p, len);
	free(p);
}

/* Some bytes changed, a piece doubled or lost, or the end cut off. */
static void damage(struct rng *r, const struct buf *in, struct buf *out)
{
	static const unsigned char likely[] = { 0, 1, 7, 8, 0x7f, 0x80, 0xff };
	size_t changes = 1 + rng_below(r, 8);

	buf_clear(out);
	buf_add(out, in->data, in->len);
	for (size_t i = 0; i < changes && out->len; i++) {
		size_t at = rng_below(r, out->len), n = 1 + rng_below(r, 8);
		unsigned char c = likely[rng_below(r, sizeof(likely))];

		if (n > out->len - at)
			n = out->len - at;
		switch (rng_below(r, 12)) {
		case 0:
			out->len -= n;
			memmove(out->data + at, out->data + at + n, out->len - at);
			break;
		case 1:
			buf_add(out, in->data, n < in->len ? n : in->len);
			break;
		case 2:
			out->len = at;
			break;
		case 3:
			memset(out->data + at, c, n);
			break;
		default:
			out->data[at] = (char)(rng_below(r, 2) ? c : rng_below(r, 256));
		}
	}
}

int main(int argc, char **argv)
{
	unsigned long copies = 0;
	size_t files = 0, runs = 0;

	for (int i = 1; i < argc; i++) {
		struct buf in = BUF_INIT, bad = BUF_INIT;
		struct err err = { 0 };
		struct rng r;

		if (!strncmp(argv[i], "-m", 2)) {
			copies = strtoul(argv[i] + 2, NULL, 10);
			continue;
		}
		if (io_read_file(argv[i], 64u << 20, &in, &err) < 0) {
			fprintf(stderr, "%s\n", err.msg);
			return 1;
		}
		rng_init(&r, 1);
		run(buf_str(&in), in.len);
		for (unsigned long k = 0; k < copies; k++) {
			damage(&r, &in, &bad);
			run(buf_str(&bad), bad.len);
		}
		files++;
		runs += copies + 1;
		buf_release(&in);
		buf_release(&bad);
	}
	printf("%zu files, %zu runs\n", files, runs);
	return files == 0;
}
