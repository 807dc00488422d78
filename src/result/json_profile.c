/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/result/json_walk.h"
#include "src/base/mem.h"

static void functions(struct walk *w, json_t *o, struct result_profile *p)
{
	json_t *arr;

	p->n_functions = walk_array(w, o, "functions", &arr, (void **)&p->functions,
				    p->n_functions, sizeof(*p->functions));
	for (size_t i = 0; i < p->n_functions; i++) {
		json_t *f = json_array_get(arr, i);

		walk_text(w, f, "name", &p->functions[i].name);
		walk_text(w, f, "dso", &p->functions[i].dso);
		walk_text(w, f, "note", &p->functions[i].note);
		walk_text(w, f, "code", &p->functions[i].code);
		walk_real(w, f, "share", &p->functions[i].share);
		walk_real(w, f, "error", &p->functions[i].error);
		walk_u64(w, f, "samples", &p->functions[i].samples);
	}
}

static void instructions(struct walk *w, json_t *o, struct result_profile *p)
{
	json_t *arr;

	p->n_insns = walk_array(w, o, "instructions", &arr, (void **)&p->insns, p->n_insns,
				sizeof(*p->insns));
	for (size_t i = 0; i < p->n_insns; i++) {
		json_t *f = json_array_get(arr, i);

		walk_u32(w, f, "function", &p->insns[i].function);
		walk_u64(w, f, "address", &p->insns[i].addr);
		walk_real(w, f, "share", &p->insns[i].share);
		walk_text(w, f, "text", &p->insns[i].text);
		walk_text(w, f, "place", &p->insns[i].place);
		if (p->insns[i].function >= p->n_functions)
			w->wrong = "function";
	}
}

static void branches(struct walk *w, json_t *o, struct result_profile *p)
{
	json_t *arr;

	p->n_branches = walk_array(w, o, "mispredicted_branches", &arr, (void **)&p->branches,
				   p->n_branches, sizeof(*p->branches));
	for (size_t i = 0; i < p->n_branches; i++) {
		struct result_branch *b = &p->branches[i];
		json_t *f = json_array_get(arr, i);

		walk_text(w, f, "function", &b->function);
		walk_text(w, f, "dso", &b->dso);
		walk_text(w, f, "text", &b->text);
		walk_u64(w, f, "address", &b->addr);
		walk_u64(w, f, "taken", &b->taken);
		walk_u64(w, f, "mispredicted", &b->missed);
		walk_real(w, f, "share", &b->share);
	}
}

/* An array of at most max; how many. */
static size_t walk_shares(struct walk *w, json_t *o, const char *key, struct result_share *v, size_t n,
		     size_t max)
{
	json_t *arr;

	n = walk_array(w, o, key, &arr, NULL, n, 0);
	n = n < max ? n : max;
	for (size_t i = 0; i < n; i++) {
		walk_chars(w, json_array_get(arr, i), "name", v[i].name, sizeof(v[i].name));
		walk_real(w, json_array_get(arr, i), "share", &v[i].share);
	}
	return n;
}

static void entries(struct walk *w, json_t *o, struct result_profile *p)
{
	json_t *arr;

	p->n_entries = walk_array(w, o, "kernel_entries", &arr, NULL, p->n_entries, 0);
	if (p->n_entries > ARRAY_SIZE(p->entries))
		p->n_entries = ARRAY_SIZE(p->entries);
	for (size_t i = 0; i < p->n_entries; i++) {
		json_t *f = json_array_get(arr, i);

		walk_chars(w, f, "name", p->entries[i].name, sizeof(p->entries[i].name));
		walk_chars(w, f, "place", p->entries[i].place, sizeof(p->entries[i].place));
		walk_real(w, f, "share", &p->entries[i].share);
	}
}

/* Reading: what every report relies on. */
static void fill_missing(struct result_profile *p)
{
	for (size_t k = 0; k < p->n_functions; k++) {
		struct result_function *f = &p->functions[k];

		f->name = f->name ? f->name : xstrdup("");
		f->dso = f->dso ? f->dso : xstrdup("");
		f->note = f->note ? f->note : xstrdup("");
		f->code = f->code ? f->code : xstrdup("");
	}
	for (size_t k = 0; k < p->n_insns; k++) {
		struct result_insn *in = &p->insns[k];

		in->text = in->text ? in->text : xstrdup("");
		in->place = in->place ? in->place : xstrdup("");
	}
	for (size_t k = 0; k < p->n_branches; k++) {
		struct result_branch *b = &p->branches[k];

		b->function = b->function ? b->function : xstrdup("");
		b->dso = b->dso ? b->dso : xstrdup("");
		b->text = b->text ? b->text : xstrdup("");
	}
}

void walk_profile(struct walk *w, json_t *o, struct result_profile *p)
{
	walk_text(w, o, "event", &p->event);
	walk_text(w, o, "reason", &p->reason);
	walk_text(w, o, "file", &p->file);
	walk_u64(w, o, "samples", &p->samples);
	walk_u64(w, o, "lost", &p->lost);
	walk_u64(w, o, "throttled", &p->throttled);
	walk_real(w, o, "rate_hz", &p->rate_hz);
	walk_real(w, o, "unknown_share", &p->unknown_share);
	walk_real(w, o, "kernel_share", &p->kernel_share);
	walk_real(w, o, "kernel_share_not_sampled", &p->unsampled_kernel);
	walk_size(w, o, "functions_below_error", &p->n_more);
	functions(w, o, p);
	instructions(w, o, p);
	branches(w, o, p);
	entries(w, o, p);
	p->n_parts = walk_shares(w, o, "parts", p->parts, p->n_parts, ARRAY_SIZE(p->parts));
	p->n_classes = walk_shares(w, o, "instruction_classes", p->classes, p->n_classes,
			      ARRAY_SIZE(p->classes));
	if (!w->writing)
		fill_missing(p);
}
