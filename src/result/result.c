/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/result/result.h"
#include "src/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *result_mark_name(enum result_mark m)
{
	switch (m) {
	case MARK_STEAL: return "steal";
	case MARK_FOREIGN: return "other processes";
	case MARK_MIGRATED: return "migrated";
	case MARK_THROTTLED: return "quota";
	case MARK_CLOCK: return "clock";
	case MARK_SHARE: return "neighbour";
	case MARK_STOPPED: return "stopped";
	case MARK_SUSPENDED: return "suspended";
	case MARK_LOAD: return "load generator";
	}
	return "?";
}

const char *result_factor_name(enum result_factor f)
{
	static const char *const names[] = {
		[FACTOR_CPUS] = "CPUs", [FACTOR_SHARE] = "core share",
		[FACTOR_CLOCK] = "clock", [FACTOR_WORK] = "ops/cycle",
	};

	return names[f];
}

void result_init(struct result *r)
{
	memset(r, 0, sizeof(*r));
}

static void release_texts(struct result_text *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(v[i].key);
		free(v[i].value);
	}
	free(v);
}

static void release_profile(struct result_profile *p)
{
	for (size_t i = 0; i < p->n_functions; i++) {
		free(p->functions[i].name);
		free(p->functions[i].dso);
		free(p->functions[i].note);
		free(p->functions[i].code);
	}
	for (size_t i = 0; i < p->n_insns; i++) {
		free(p->insns[i].text);
		free(p->insns[i].place);
	}
	free(p->functions);
	free(p->insns);
	for (size_t i = 0; i < p->n_branches; i++) {
		free(p->branches[i].function);
		free(p->branches[i].dso);
		free(p->branches[i].text);
	}
	free(p->branches);
	free(p->event);
	free(p->reason);
	free(p->file);
}

void result_release(struct result *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		struct result_row *row = &r->rows[i];

		for (size_t k = 0; k < row->n_reps; k++)
			free(row->reps[k].batches);
		free(row->reps);
		free(row->causes);
		free(row->counters);
		free(row->metrics);
		free(row->label);
		free(row->variant);
		free(row->placement);
		release_profile(&row->profile);
		for (size_t k = 0; k < row->n_sampled; k++)
			release_profile(&row->sampled[k].profile);
		free(row->sampled);
		free(row->per_thread);
	}
	for (size_t i = 0; i < r->n_notes; i++)
		free(r->notes[i]);
	free(r->notes);
	free(r->rows);
	free(r->refs);
	release_texts(r->machine, r->n_machine);
	release_texts(r->target, r->n_target);
	free(r->version);
	free(r->command);
	free(r->created);
	free(r->title);
	free(r->machine_line);
	free(r->workload);
	free(r->unit);
	free(r->score_unit);
	free(r->needle_reason);
	free(r->energy_source);
	free(r->versus.label);
	free(r->versus.verdict);
	free(r->failure);
	memset(r, 0, sizeof(*r));
}

struct result_row *result_add_row(struct result *r, const char *label, const char *variant,
				  int threads)
{
	struct result_row *row;

	GROW(r->rows, r->n_rows, r->cap_rows);
	row = &r->rows[r->n_rows++];
	memset(row, 0, sizeof(*row));
	row->label = xstrdup(label);
	row->variant = xstrdup(variant);
	row->placement = xstrdup("");
	row->threads = threads;
	row->score = row->quiet = quantity_unavailable("no repetition was completed");
	row->watts = row->per_joule = quantity_unavailable("no energy was read");
	row->ipc = row->instructions = quantity_unavailable("not counted");
	for (int f = 0; f < FACTORS; f++)
		row->factors[f] = quantity_unavailable("not measured");
	return row;
}

struct result_rep *result_add_rep(struct result_row *row)
{
	GROW(row->reps, row->n_reps, row->cap_reps);
	memset(&row->reps[row->n_reps], 0, sizeof(*row->reps));
	return &row->reps[row->n_reps++];
}

struct result_profile *result_add_sampled(struct result_row *row, const char *role)
{
	struct result_sampled *s;

	GROW(row->sampled, row->n_sampled, row->cap_sampled);
	s = &row->sampled[row->n_sampled++];
	memset(s, 0, sizeof(*s));
	snprintf(s->role, sizeof(s->role), "%s", role);
	return &s->profile;
}

struct result_cause *result_add_cause(struct result_row *row, const char *name, double cost,
				      int parent, enum origin origin)
{
	struct result_cause *c;

	GROW(row->causes, row->n_causes, row->cap_causes);
	c = &row->causes[row->n_causes++];
	memset(c, 0, sizeof(*c));
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->cost = c->low = c->high = cost;
	c->parent = parent;
	c->origin = origin;
	return c;
}

static void __attribute__((format(printf, 5, 0)))
add_text(struct result_text **v, size_t *n, size_t *cap, const char *key, const char *fmt,
	 va_list ap)
{
	char text[2048];

	vsnprintf(text, sizeof(text), fmt, ap);
	GROW(*v, *n, *cap);
	(*v)[(*n)++] = (struct result_text){ xstrdup(key), xstrdup(text) };
}

uint64_t result_row_memory(const struct result_row *row)
{
	uint64_t most = 0;

	for (size_t i = 0; i < row->n_reps; i++)
		if (row->reps[i].memory_bytes > most)
			most = row->reps[i].memory_bytes;
	return most;
}

void result_fact(struct result *r, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(&r->machine, &r->n_machine, &r->cap_machine, key, fmt, ap);
	va_end(ap);
}

void result_target(struct result *r, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(&r->target, &r->n_target, &r->cap_target, key, fmt, ap);
	va_end(ap);
}

struct result_ref *result_ref(struct result *r, uint32_t cpu)
{
	for (size_t i = 0; i < r->n_refs; i++)
		if (r->refs[i].cpu == cpu)
			return &r->refs[i];
	GROW(r->refs, r->n_refs, r->cap_refs);
	r->refs[r->n_refs] = (struct result_ref){ .cpu = cpu };
	return &r->refs[r->n_refs++];
}

void result_note(struct result *r, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < r->n_notes; i++)
		if (!strcmp(r->notes[i], text))
			return;
	GROW(r->notes, r->n_notes, r->cap_notes);
	r->notes[r->n_notes++] = xstrdup(text);
}

const char *result_target_value(const struct result *r, const char *key)
{
	for (size_t i = 0; i < r->n_target; i++)
		if (!strcmp(r->target[i].key, key))
			return r->target[i].value;
	return NULL;
}

bool result_of_command(const struct result *r)
{
	return r->workload && (!strcmp(r->workload, "exec") || result_target_value(r, "command"));
}
