/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/source.h"
#include "src/base/mem.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct source {
	Dwarf *dw;
	Dwarf_Die unit;		/* of the last address: the next one's, mostly */
	bool has_unit;
};

struct source *source_open(void *elf)
{
	Dwarf *dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	struct source *s;

	if (!dw)
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->dw = dw;
	return s;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	dwarf_end(s->dw);
	free(s);
}

/* The compilation unit an address lies in: by the table of them, else one by one. */
static bool find_unit(struct source *s, uint64_t vaddr)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	if (s->has_unit && dwarf_haspc(&s->unit, vaddr) == 1)
		return true;
	s->has_unit = dwarf_addrdie(s->dw, vaddr, &s->unit) != NULL;
	while (!s->has_unit && dwarf_get_units(s->dw, cu, &cu, NULL, NULL, &die, NULL) == 0)
		if (dwarf_haspc(&die, vaddr) == 1) {
			s->unit = die;
			s->has_unit = true;
		}
	return s->has_unit;
}

static void find_line(struct source *s, uint64_t vaddr, struct source_place *out)
{
	Dwarf_Line *line = dwarf_getsrc_die(&s->unit, vaddr);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (!file)
		return;
	snprintf(out->file, sizeof(out->file), "%s", slash ? slash + 1 : file);
	dwarf_lineno(line, &out->line);
}

static void find_inlined(struct source *s, uint64_t vaddr, struct source_place *out)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes(&s->unit, vaddr, &scopes);
	size_t at = 0;

	for (int i = 0; i < n && at + 1 < sizeof(out->inlined); i++) {
		const char *name = dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine ?
			dwarf_diename(&scopes[i]) : NULL;

		if (name)
			at += (size_t)snprintf(out->inlined + at, sizeof(out->inlined) - at, "%s%s",
					       at ? " < " : "", name);
	}
	free(scopes);
}

void source_find(struct source *s, uint64_t vaddr, struct source_place *out)
{
	memset(out, 0, sizeof(*out));
	if (!s || !find_unit(s, vaddr))
		return;
	find_line(s, vaddr, out);
	find_inlined(s, vaddr, out);
}
