/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/map.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

void map_release(struct map *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

static struct map_slot *probe(const struct map *m, uint64_t key)
{
	size_t i = hash_u64(key) & (m->cap - 1);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

uint64_t *map_find(const struct map *m, uint64_t key)
{
	struct map_slot *s;

	if (!m->len)
		return NULL;
	s = probe(m, key);
	return s->used ? &s->value : NULL;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.cap ? old.cap * 2 : 64;
	m->slots = xcalloc(m->cap, sizeof(*m->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].used)
			*probe(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint64_t *map_put(struct map *m, uint64_t key, bool *fresh)
{
	struct map_slot *s;

	if (m->len * 2 >= m->cap)
		grow(m);
	s = probe(m, key);
	if (fresh)
		*fresh = !s->used;
	if (!s->used) {
		s->used = true;
		s->key = key;
		s->value = 0;
		m->len++;
	}
	return &s->value;
}

uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0x9e3779b97f4a7c15u ^ len;

	while (len >= 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		h = hash_u64(h ^ v);
		p += 8;
		len -= 8;
	}
	if (len) {
		uint64_t v = 0;

		memcpy(&v, p, len);
		h = hash_u64(h ^ v);
	}
	return h;
}
