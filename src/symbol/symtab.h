/*
 * symtab.h - a sorted table of functions: [start, end) -> name.
 *
 * Filled from ELF symbols, unwind ranges, kallsyms or a JIT's map; then
 * symtab_finish() sorts it, keeps one symbol an address and gives ends to
 * those without one, by the rules of perf (tools/perf/util/symbol.c), so that
 * both tools name the same.
 */
#ifndef CPUPROF_SYMBOL_SYMTAB_H
#define CPUPROF_SYMBOL_SYMTAB_H

#include "src/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symtab_entry {
	uint64_t start, end;	/* end == start: unknown until finished */
	uint32_t name;		/* offset into names; 0: an unnamed range */
	uint8_t rank;		/* of several at one address the highest stays */
	bool range;		/* from unwind tables: only fills gaps */
};

struct symtab {
	struct symtab_entry *v;	/* owned */
	size_t n, cap;
	struct buf names;	/* NUL-separated; starts with an empty one */
};

#define SYMTAB_RANK_WEAK 1
#define SYMTAB_RANK_LOCAL 2
#define SYMTAB_RANK_GLOBAL 3

void symtab_release(struct symtab *t);
void symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, size_t len,
		uint8_t rank);
void symtab_add_range(struct symtab *t, uint64_t start, uint64_t end);
void symtab_finish(struct symtab *t);
/* The entry that holds addr, or NULL. Borrowed. */
const struct symtab_entry *symtab_find(const struct symtab *t, uint64_t addr);
const char *symtab_name(const struct symtab *t, const struct symtab_entry *e);

/* What the kernel's addresses are told by, as perf does: _text or, where only
 * functions of .text are listed (arm64), _stext. start is 0 without either. */
struct symtab_anchor {
	uint64_t start;
	const char *name;
};

/* Text of /proc/kallsyms, functions only, into an empty table, which takes the
 * text over (100,000 names are not copied). True when every address is zero
 * (kptr_restrict). */
bool symtab_take_kallsyms(struct symtab *t, struct buf *text, struct symtab_anchor *anchor);
/* The same of a copy. */
bool symtab_kallsyms(struct symtab *t, const char *text, size_t len, struct symtab_anchor *anchor);
/* "START SIZE NAME" lines of /tmp/perf-PID.map. */
void symtab_perf_map(struct symtab *t, const char *text, size_t len);

#endif
