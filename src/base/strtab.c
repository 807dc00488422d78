/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/strtab.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

void strtab_release(struct strtab *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->strs[i]);
	free(t->strs);
	map_release(&t->by_hash);
	memset(t, 0, sizeof(*t));
}

uint32_t strtab_addn(struct strtab *t, const char *s, size_t len)
{
	uint64_t h;

	if (t->n == 0) {
		GROW(t->strs, t->n, t->cap);
		t->strs[t->n++] = xstrdup("");
	}
	len = strnlen(s, len);
	if (len == 0)
		return 0;
	/* A collision of the 64-bit hash moves on to the next key. */
	for (h = hash_bytes(s, len);; h++) {
		bool fresh;
		uint64_t *v = map_put(&t->by_hash, h, &fresh);

		if (fresh) {
			GROW(t->strs, t->n, t->cap);
			t->strs[t->n] = xstrndup(s, len);
			*v = t->n++;
			return (uint32_t)*v;
		}
		if (!strncmp(t->strs[*v], s, len) && t->strs[*v][len] == '\0')
			return (uint32_t)*v;
	}
}

uint32_t strtab_add(struct strtab *t, const char *s)
{
	return strtab_addn(t, s, strlen(s));
}

const char *strtab_get(const struct strtab *t, uint32_t id)
{
	return id < t->n ? t->strs[id] : "";
}
