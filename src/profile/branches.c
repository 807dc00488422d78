/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/mem.h"
#include "src/profile/reading.h"

#include <stdlib.h>

#define TOP_BRANCHES 10

static struct reading_branch *branch_at(struct reading *r, uint32_t dso, uint64_t addr)
{
	bool fresh;
	uint64_t *slot = map_put(&r->branch_by_place, hash_u64(addr ^ (uint64_t)dso << 48), &fresh);

	/* A clash of hashes opens a second entry; that one is then not found again. */
	if (!fresh && r->branches[*slot].addr == addr && r->branches[*slot].dso == dso)
		return &r->branches[*slot];
	*slot = r->n_branches;
	GROW(r->branches, r->n_branches, r->cap_branches);
	r->branches[r->n_branches] = (struct reading_branch){ .addr = addr, .dso = dso };
	return &r->branches[r->n_branches++];
}

void reading_branch_stack(struct reading *r, const struct branch_stack *b, uint32_t pid,
			  uint64_t time)
{
	for (uint64_t i = 0; i < b->nr; i++) {
		struct branch_entry e = branch_stack_entry(b, i);
		struct timeline_span ignored = TIMELINE_ALWAYS;
		const struct timeline_map *m;
		struct reading_branch *at;

		if (!e.missed && !e.predicted)	/* says nothing of its prediction */
			continue;
		m = timeline_find(&r->timeline, time, e.from >> 63 ? TIMELINE_KERNEL : pid, e.from,
				  &ignored);
		at = branch_at(r, m ? m->dso : READING_NO_DSO,
			       m && !r->dsos[m->dso].absolute ? e.from - m->start + m->pgoff :
			       e.from);
		at->taken++;
		at->missed += e.missed;
		r->p->branches_seen++;
		r->p->branches_missed += e.missed;
	}
}

static int by_missed(const void *a, const void *b)
{
	const struct reading_branch *x = a, *y = b;

	if (x->missed != y->missed)
		return x->missed > y->missed ? -1 : 1;
	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void reading_rank_branches(struct reading *r, const struct profile_options *o)
{
	struct profile *p = r->p;

	if (!r->n_branches)
		return;
	qsort(r->branches, r->n_branches, sizeof(*r->branches), by_missed);
	p->branches = xcalloc(TOP_BRANCHES, sizeof(*p->branches));
	for (size_t i = 0; i < r->n_branches && i < TOP_BRANCHES && r->branches[i].missed; i++) {
		const struct reading_branch *b = &r->branches[i];
		struct profile_branch *out = &p->branches[p->n_branches++];
		struct dso_symbol s = { .addr = b->addr };
		struct dso *d = reading_dso_open(r, b->dso, o);

		if (d)
			dso_lookup(d, b->addr, &s);
		out->function = strtab_get(&p->strings, reading_function_name(r, b->dso, &s));
		out->dso = strtab_get(&p->strings, r->dsos[b->dso].shown);
		out->addr = s.addr;
		out->taken = b->taken;
		out->missed = b->missed;
		out->share = (double)b->missed / (double)p->branches_missed;
		out->text = o->insns ? reading_insn_text(r, b->dso, s.addr) : "";
	}
}
