/*
 * slots.h - where a compressor's output goes: a slot for every document, made
 * in set-up, and the check that each of them decompresses to its document.
 */
#ifndef CPUPROF_WORKLOADS_SLOTS_H
#define CPUPROF_WORKLOADS_SLOTS_H

#include "workloads/corpus.h"

#include <stdbool.h>

struct slots {
	const struct corpus *corpus;	/* borrowed */
	uint8_t *out;			/* owned, as are the rest */
	size_t *at, *room, *got;	/* place and size of each slot, bytes in it */
	const char *broken;		/* what went wrong inside a batch, or NULL */
};

/* Room for the most that bound() says len bytes can become. */
void slots_init(struct slots *s, const struct corpus *c,
		size_t (*bound)(const void *ctx, size_t len), const void *ctx);
/* Document i gave len bytes; the same every time. */
void slots_put(struct slots *s, size_t i, size_t len);
/* Every document is what decompress() makes of its slot: room bytes into out,
 * true when it came to exactly that many. flip spoils one byte before. */
int slots_verify(struct slots *s, bool flip,
		 bool (*decompress)(const void *ctx, const uint8_t *in, size_t len, uint8_t *out,
				    size_t room), const void *ctx, struct err *err);
void slots_release(struct slots *s);

#endif
