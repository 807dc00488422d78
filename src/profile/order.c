/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/mem.h"
#include "src/profile/reading.h"

#include <stdlib.h>
#include <string.h>

/*
 * Hits by event, dso, address: a radix sort of bytes, as a recording can have a
 * million of them. Bytes in which all agree cost nothing.
 */
#define KEY_BYTES 16

static unsigned key_byte(const struct reading_hit *h, int k)
{
	if (k < 8)
		return h->addr >> (8 * k) & 255;
	return (k < 12 ? h->dso : h->event) >> (8 * (k & 3)) & 255;
}

uint32_t *reading_order(const struct reading *r)
{
	size_t n = r->n_hits, count[KEY_BYTES][256] = { 0 };
	uint32_t *order = xcalloc(n, sizeof(*order)), *other = xcalloc(n, sizeof(*other));

	for (size_t i = 0; i < n; i++) {
		order[i] = (uint32_t)i;
		for (int k = 0; k < KEY_BYTES; k++)
			count[k][key_byte(&r->hits[i], k)]++;
	}
	for (int k = 0; k < KEY_BYTES; k++) {
		uint32_t *swap = order;
		size_t at = 0;

		if (n && count[k][key_byte(&r->hits[0], k)] == n)
			continue;
		for (int b = 0; b < 256; b++) {
			size_t len = count[k][b];

			count[k][b] = at;
			at += len;
		}
		for (size_t i = 0; i < n; i++)
			other[count[k][key_byte(&r->hits[order[i]], k)]++] = order[i];
		order = other;
		other = swap;
	}
	free(other);
	return order;
}
