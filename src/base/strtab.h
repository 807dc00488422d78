/*
 * strtab.h - each distinct string once, named by a small number. Number 0 is
 * always the empty string. Strings live as long as the table.
 */
#ifndef CPUPROF_BASE_STRTAB_H
#define CPUPROF_BASE_STRTAB_H

#include "src/base/map.h"

struct strtab {
	struct map by_hash;	/* hash -> id + 1 */
	char **strs;		/* owned */
	size_t n, cap;
};

#define STRTAB_INIT { MAP_INIT, NULL, 0, 0 }

void strtab_release(struct strtab *t);
uint32_t strtab_add(struct strtab *t, const char *s);
uint32_t strtab_addn(struct strtab *t, const char *s, size_t len);
/* Borrowed for the life of the table. */
const char *strtab_get(const struct strtab *t, uint32_t id);

#endif
