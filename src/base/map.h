/*
 * map.h - hash map from 64-bit keys to 64-bit values, open addressing.
 * Any key is allowed. Pointers returned are borrowed until the next insert.
 */
#ifndef CPUPROF_BASE_MAP_H
#define CPUPROF_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key, value;
	bool used;
};

struct map {
	struct map_slot *slots;
	size_t cap, len;	/* cap is a power of two or 0 */
};

#define MAP_INIT { NULL, 0, 0 }

void map_release(struct map *m);
/* The value of key, or NULL. */
uint64_t *map_find(const struct map *m, uint64_t key);
/* The value of key, inserted as 0 when new; *fresh (may be NULL) says so. */
uint64_t *map_put(struct map *m, uint64_t key, bool *fresh);

/* A mixing function good enough for open addressing (splitmix64's). */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

uint64_t hash_bytes(const void *data, size_t len);

#endif
