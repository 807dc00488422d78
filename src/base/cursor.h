/*
 * cursor.h - reading fixed-size fields from bytes nobody vouches for.
 *
 * A cursor never reads past its end: the first short read sets bad and every
 * later one returns 0. Callers check c.bad once, after a group of reads.
 */
#ifndef CPUPROF_BASE_CURSOR_H
#define CPUPROF_BASE_CURSOR_H

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *p, *end;	/* borrowed */
	bool swap;		/* the bytes have the other byte order */
	bool bad;		/* something was missing */
};

static inline struct cursor cursor_of(const void *data, size_t len, bool swap)
{
	struct cursor c = { data, (const uint8_t *)data + len, swap, false };
	return c;
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline const void *cursor_bytes(struct cursor *c, size_t n)
{
	const void *p = c->p;

	if (c->bad || cursor_left(c) < n) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	uint64_t v;
	const void *p = cursor_bytes(c, sizeof(v));

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	return c->swap ? bswap_64(v) : v;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	uint32_t v;
	const void *p = cursor_bytes(c, sizeof(v));

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	return c->swap ? bswap_32(v) : v;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	uint16_t v;
	const void *p = cursor_bytes(c, sizeof(v));

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	return c->swap ? bswap_16(v) : v;
}

#endif
