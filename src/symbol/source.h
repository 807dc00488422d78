/*
 * source.h - where in the source an address lies, by the DWARF in the file itself
 * (libdw): file, line, and the functions that were inlined there.
 */
#ifndef CPUPROF_SYMBOL_SOURCE_H
#define CPUPROF_SYMBOL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct source_place {
	char file[64];		/* "sort.go", "" when it is not known */
	int line;
	char inlined[128];	/* innermost first: "less < insertionSort", "" none */
};

struct source;

/* elf: an Elf * that outlives it. NULL when there is no DWARF. */
struct source *source_open(void *elf);
void source_close(struct source *s);	/* NULL-safe */
/* vaddr: as in the file. Whatever is not known is empty. */
void source_find(struct source *s, uint64_t vaddr, struct source_place *out);

#endif
