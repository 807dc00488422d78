/* SPDX-License-Identifier: MIT */
/* Text of /proc/kallsyms and of a JIT's perf map, whichever it is. */
#include "config.h"
#include "src/symbol/symtab.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

static void check(struct symtab *t)
{
	symtab_finish(t);
	for (size_t i = 0; i < t->n; i++) {
		const struct symtab_entry *e = symtab_find(t, t->v[i].start);

		assert(i == 0 || t->v[i - 1].start < t->v[i].start);
		assert(!e || strlen(symtab_name(t, e)) < t->names.len);
	}
	symtab_find(t, UINT64_MAX);
	symtab_release(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab_anchor anchor;
	struct symtab t = { 0 };

	symtab_kallsyms(&t, (const char *)data, size, &anchor);
	check(&t);
	symtab_perf_map(&t, (const char *)data, size);
	check(&t);
	return 0;
}
