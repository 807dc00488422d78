/* SPDX-License-Identifier: MIT */
/* An ELF file: build-id, functions, PLT, unwind ranges, code. */
#include "config.h"
#include "src/base/mem.h"
#include "src/symbol/elf.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void ask(const struct elf_image *e, struct symtab *t, uint64_t addr)
{
	const struct symtab_entry *s = symtab_find(t, addr);
	uint8_t code[16];

	if (s) {
		assert(addr >= s->start && addr < s->end);
		assert(strlen(symtab_name(t, s)) < t->names.len);
	}
	assert(elf_code(e, addr, code, sizeof(code)) <= sizeof(code));
	elf_vaddr(e, addr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Aligned and writable, as a mapped file is. */
	size_t room = (size + 4095) & ~(size_t)4095;
	uint8_t *image = aligned_alloc(4096, room ? room : 4096);
	struct symtab t = { 0 };
	struct elf_image e;
	struct err err = { 0 };

	memcpy(image, data, size);
	if (elf_open_mem(&e, image, size, &err) == 0) {
		assert(e.build_id_len <= sizeof(e.build_id));
		elf_symbols(&e, &t);
		elf_plt(&e, &t);
		elf_ranges(&e, &t);
		symtab_finish(&t);
		for (size_t i = 1; i < t.n; i++)
			assert(t.v[i - 1].start <= t.v[i].start);
		for (size_t i = 0; i < t.n && i < 64; i++)
			ask(&e, &t, t.v[i].start);
		ask(&e, &t, 0);
		ask(&e, &t, UINT64_MAX);
		free(elf_debuglink(&e));
		elf_close(&e);
	} else {
		assert(err.msg[0]);
	}
	symtab_release(&t);
	free(image);
	return 0;
}
