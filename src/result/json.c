/* SPDX-License-Identifier: MIT */
/*
 * Over 500 lines because the walk over the document is one piece: what is
 * written and what is read cannot drift apart.
 */
#include "config.h"
#include "src/result/json.h"
#include "src/base/mem.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 100000u

/* A walk in one of the two directions. Reading, the first wrong type is kept. */
struct walk {
	bool writing;
	const char *wrong;	/* key of a wrong field, NULL */
};

/* v when it is there and of the right type. */
static json_t *field(struct walk *w, const char *key, bool ok_type, json_t *v)
{
	if (!v || json_is_null(v))
		return NULL;
	if (!ok_type && !w->wrong)
		w->wrong = key;
	return ok_type ? v : NULL;
}

static void real(struct walk *w, json_t *o, const char *key, double *v)
{
	json_t *j;

	if (w->writing) {
		json_object_set_new(o, key, isfinite(*v) ? json_real(*v) : json_null());
		return;
	}
	j = json_object_get(o, key);
	j = field(w, key, json_is_number(j), j);
	if (j)
		*v = json_number_value(j);
}

static void u64(struct walk *w, json_t *o, const char *key, uint64_t *v)
{
	json_t *j;

	if (w->writing) {
		json_object_set_new(o, key, json_integer((json_int_t)*v));
		return;
	}
	j = json_object_get(o, key);
	j = field(w, key, json_is_integer(j), j);
	if (j)
		*v = (uint64_t)json_integer_value(j);
}

static void u32(struct walk *w, json_t *o, const char *key, uint32_t *v)
{
	uint64_t wide = *v;

	u64(w, o, key, &wide);
	*v = (uint32_t)wide;
}

static void integer64(struct walk *w, json_t *o, const char *key, int64_t *v)
{
	uint64_t wide = (uint64_t)*v;

	u64(w, o, key, &wide);
	*v = (int64_t)wide;
}

static void integer(struct walk *w, json_t *o, const char *key, int *v)
{
	uint64_t wide = (uint64_t)(int64_t)*v;

	u64(w, o, key, &wide);
	*v = (int)(int64_t)wide;
}

static void boolean(struct walk *w, json_t *o, const char *key, bool *v)
{
	json_t *j;

	if (w->writing) {
		json_object_set_new(o, key, json_boolean(*v));
		return;
	}
	j = json_object_get(o, key);
	j = field(w, key, json_is_boolean(j), j);
	if (j)
		*v = json_is_true(j);
}

/* Names of functions may be any bytes; JSON wants UTF-8. */
static json_t *text_value(const char *s)
{
	json_t *j = json_string(s);
	char *clean, *p;

	if (j)
		return j;
	clean = xstrdup(s);
	for (p = clean; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	j = json_string(clean);
	free(clean);
	return j;
}

static void text(struct walk *w, json_t *o, const char *key, char **v)
{
	json_t *j;

	if (w->writing) {
		if (*v)
			json_object_set_new(o, key, text_value(*v));
		return;
	}
	j = json_object_get(o, key);
	j = field(w, key, json_is_string(j), j);
	if (j) {
		free(*v);
		*v = xstrdup(json_string_value(j));
	}
}

static void chars(struct walk *w, json_t *o, const char *key, char *v, size_t size)
{
	json_t *j;

	if (w->writing) {
		json_object_set_new(o, key, text_value(v));
		return;
	}
	j = json_object_get(o, key);
	j = field(w, key, json_is_string(j), j);
	if (j)
		snprintf(v, size, "%s", json_string_value(j));
}

static void origin(struct walk *w, json_t *o, enum origin *v)
{
	char name[16];
	int found;

	snprintf(name, sizeof(name), "%s", origin_name(*v));
	chars(w, o, "origin", name, sizeof(name));
	found = origin_of_name(name);
	if (found >= 0)
		*v = (enum origin)found;
	else if (!w->wrong)
		w->wrong = "origin";
}

/* A member object; reading, an empty one when it is missing. Borrowed. */
static json_t *member(struct walk *w, json_t *o, const char *key)
{
	json_t *j;

	if (w->writing) {
		j = json_object();
		json_object_set_new(o, key, j);
		return j;
	}
	j = json_object_get(o, key);
	return field(w, key, json_is_object(j), j);
}

/* An array of objects: how many. Reading, *v becomes room for them. */
static size_t array(struct walk *w, json_t *o, const char *key, json_t **arr, void **v,
		    size_t n, size_t size)
{
	if (w->writing) {
		*arr = json_array();
		json_object_set_new(o, key, *arr);
		for (size_t i = 0; i < n; i++)
			json_array_append_new(*arr, json_object());
		return n;
	}
	*arr = json_object_get(o, key);
	*arr = field(w, key, json_is_array(*arr), *arr);
	n = json_array_size(*arr);
	if (n > MAX_ITEMS) {
		w->wrong = key;
		n = 0;
	}
	if (v)
		*v = xcalloc(n, size);
	return n;
}

static void quantity(struct walk *w, json_t *parent, const char *key, struct quantity *q)
{
	json_t *o = member(w, parent, key);

	if (!o)
		return;
	origin(w, o, &q->origin);
	if (q->origin != ORIGIN_UNAVAILABLE) {	/* no number stands for "not known" */
		real(w, o, "value", &q->value);
		real(w, o, "low", &q->low);
		real(w, o, "high", &q->high);
		real(w, o, "coverage", &q->coverage);
	}
	chars(w, o, "reason", q->reason, sizeof(q->reason));
}

static void batch(struct walk *w, json_t *o, struct result_batch *b)
{
	u32(w, o, "thread", &b->thread);
	u32(w, o, "cpu", &b->cpu);
	real(w, o, "start_s", &b->start_s);
	real(w, o, "wall_s", &b->wall_s);
	real(w, o, "cpu_s", &b->cpu_s);
	real(w, o, "user_s", &b->user_s);
	real(w, o, "sys_s", &b->sys_s);
	real(w, o, "run_delay_s", &b->run_delay_s);
	u64(w, o, "ops", &b->ops);
	u64(w, o, "page_faults", &b->faults);
	u64(w, o, "major_faults", &b->major_faults);
	u64(w, o, "voluntary_switches", &b->voluntary);
	u64(w, o, "involuntary_switches", &b->involuntary);
	real(w, o, "clock_hz", &b->clock_hz);
	real(w, o, "adds_per_s", &b->adds_per_s);
	real(w, o, "cycles", &b->cycles);
	real(w, o, "instructions", &b->instructions);
	real(w, o, "counted_s", &b->counted_s);
}

static void rep(struct walk *w, json_t *o, struct result_rep *r)
{
	static const char *const key[FACTORS] = { "cpus", "core_share", "clock_hz",
						  "ops_per_cycle" };
	json_t *arr;

	real(w, o, "score_ops_per_s", &r->score);
	real(w, o, "wall_s", &r->wall_s);
	real(w, o, "setup_s", &r->setup_s);
	real(w, o, "outside_share", &r->outside);
	real(w, o, "steal_s", &r->steal_s);
	real(w, o, "throttled_s", &r->throttled_s);
	real(w, o, "stopped_s", &r->stopped_s);
	real(w, o, "suspended_s", &r->suspended_s);
	integer64(w, o, "migrations", &r->migrations);
	u32(w, o, "marks", &r->marks);
	for (int f = 0; f < FACTORS; f++)
		real(w, o, key[f], &r->factors[f]);
	r->n_batches = array(w, o, "batches", &arr, (void **)&r->batches, r->n_batches,
			     sizeof(*r->batches));
	for (size_t i = 0; i < r->n_batches; i++)
		batch(w, json_array_get(arr, i), &r->batches[i]);
}

static void profile(struct walk *w, json_t *o, struct result_profile *p)
{
	json_t *arr;
	uint64_t n_more = p->n_more;

	text(w, o, "event", &p->event);
	text(w, o, "reason", &p->reason);
	text(w, o, "file", &p->file);
	u64(w, o, "samples", &p->samples);
	u64(w, o, "lost", &p->lost);
	u64(w, o, "throttled", &p->throttled);
	real(w, o, "rate_hz", &p->rate_hz);
	real(w, o, "unknown_share", &p->unknown_share);
	real(w, o, "kernel_share", &p->kernel_share);
	real(w, o, "kernel_share_not_sampled", &p->unsampled_kernel);
	u64(w, o, "functions_below_error", &n_more);
	p->n_more = n_more;
	p->n_functions = array(w, o, "functions", &arr, (void **)&p->functions, p->n_functions,
			       sizeof(*p->functions));
	for (size_t i = 0; i < p->n_functions; i++) {
		json_t *f = json_array_get(arr, i);

		text(w, f, "name", &p->functions[i].name);
		text(w, f, "dso", &p->functions[i].dso);
		text(w, f, "note", &p->functions[i].note);
		real(w, f, "share", &p->functions[i].share);
		real(w, f, "error", &p->functions[i].error);
		u64(w, f, "samples", &p->functions[i].samples);
	}
	p->n_insns = array(w, o, "instructions", &arr, (void **)&p->insns, p->n_insns,
			   sizeof(*p->insns));
	for (size_t i = 0; i < p->n_insns; i++) {
		json_t *f = json_array_get(arr, i);

		u32(w, f, "function", &p->insns[i].function);
		u64(w, f, "address", &p->insns[i].addr);
		real(w, f, "share", &p->insns[i].share);
		text(w, f, "text", &p->insns[i].text);
		if (p->insns[i].function >= p->n_functions)
			w->wrong = "function";
	}
	p->n_entries = array(w, o, "kernel_entries", &arr, NULL, p->n_entries, 0);
	if (p->n_entries > ARRAY_SIZE(p->entries))
		p->n_entries = ARRAY_SIZE(p->entries);
	for (size_t i = 0; i < p->n_entries; i++) {
		json_t *f = json_array_get(arr, i);

		chars(w, f, "name", p->entries[i].name, sizeof(p->entries[i].name));
		chars(w, f, "place", p->entries[i].place, sizeof(p->entries[i].place));
		real(w, f, "share", &p->entries[i].share);
	}
}

static void cause(struct walk *w, json_t *o, struct result_cause *c)
{
	chars(w, o, "name", c->name, sizeof(c->name));
	real(w, o, "cost_share", &c->cost);
	real(w, o, "low", &c->low);
	real(w, o, "high", &c->high);
	origin(w, o, &c->origin);
	integer(w, o, "parent", &c->parent);
	chars(w, o, "evidence", c->evidence, sizeof(c->evidence));
	chars(w, o, "place", c->place, sizeof(c->place));
}

static void counters(struct walk *w, json_t *o, struct result_row *r)
{
	json_t *arr;

	r->n_counters = array(w, o, "counters", &arr, (void **)&r->counters, r->n_counters,
			      sizeof(*r->counters));
	for (size_t i = 0; i < r->n_counters; i++) {
		json_t *f = json_array_get(arr, i);

		chars(w, f, "name", r->counters[i].name, sizeof(r->counters[i].name));
		quantity(w, f, "per_operation", &r->counters[i].per_op);
		integer(w, f, "group", &r->counters[i].group);
	}
	r->n_metrics = array(w, o, "metrics", &arr, (void **)&r->metrics, r->n_metrics,
			     sizeof(*r->metrics));
	for (size_t i = 0; i < r->n_metrics; i++) {
		struct result_metric *m = &r->metrics[i];
		json_t *f = json_array_get(arr, i);

		chars(w, f, "name", m->name, sizeof(m->name));
		chars(w, f, "unit", m->unit, sizeof(m->unit));
		chars(w, f, "formula", m->formula, sizeof(m->formula));
		quantity(w, f, "value", &m->value);
		boolean(w, f, "notable", &m->notable);
	}
}

static void row(struct walk *w, json_t *o, struct result_row *r)
{
	static const char *const key[FACTORS] = { "cpus", "core_share", "clock_hz",
						  "ops_per_cycle" };
	uint64_t n_quiet = r->n_quiet;
	json_t *arr, *f;

	text(w, o, "label", &r->label);
	text(w, o, "variant", &r->variant);
	text(w, o, "placement", &r->placement);
	integer(w, o, "threads", &r->threads);
	quantity(w, o, "score", &r->score);
	quantity(w, o, "score_quiet", &r->quiet);
	u64(w, o, "quiet_repetitions", &n_quiet);
	r->n_quiet = n_quiet;
	if ((f = member(w, o, "factors")))
		for (int i = 0; i < FACTORS; i++)
			quantity(w, f, key[i], &r->factors[i]);
	real(w, o, "unexplained_share", &r->unexplained);
	if ((f = member(w, o, "scaling"))) {
		real(w, f, "of_linear", &r->scaling);
		for (int i = 0; i < FACTORS; i++)
			real(w, f, key[i], &r->scaling_factors[i]);
		real(w, f, "unexplained_share", &r->scaling_unexplained);
	}
	quantity(w, o, "instructions_per_cycle", &r->ipc);
	quantity(w, o, "instructions_per_operation", &r->instructions);
	counters(w, o, r);
	r->n_causes = array(w, o, "causes", &arr, (void **)&r->causes, r->n_causes,
			    sizeof(*r->causes));
	for (size_t i = 0; i < r->n_causes; i++)
		cause(w, json_array_get(arr, i), &r->causes[i]);
	r->n_reps = array(w, o, "repetitions", &arr, (void **)&r->reps, r->n_reps,
			  sizeof(*r->reps));
	for (size_t i = 0; i < r->n_reps; i++)
		rep(w, json_array_get(arr, i), &r->reps[i]);
	if ((f = member(w, o, "profile")))
		profile(w, f, &r->profile);
}

/* Ordered pairs as an array of objects, since JSON objects have no order. */
static void texts(struct walk *w, json_t *o, const char *key, struct result_text **v, size_t *n)
{
	json_t *arr;

	*n = array(w, o, key, &arr, (void **)v, *n, sizeof(**v));
	for (size_t i = 0; i < *n; i++) {
		text(w, json_array_get(arr, i), "key", &(*v)[i].key);
		text(w, json_array_get(arr, i), "value", &(*v)[i].value);
	}
}

static void notes(struct walk *w, json_t *o, struct result *r)
{
	json_t *arr;

	if (w->writing) {
		arr = json_array();
		for (size_t i = 0; i < r->n_notes; i++)
			json_array_append_new(arr, text_value(r->notes[i]));
		json_object_set_new(o, "notes", arr);
		return;
	}
	arr = json_object_get(o, "notes");
	for (size_t i = 0; i < json_array_size(arr) && i < MAX_ITEMS; i++) {
		const char *s = json_string_value(json_array_get(arr, i));

		if (s)
			result_note(r, "%s", s);
	}
}

static void versus(struct walk *w, json_t *parent, struct result_versus *v)
{
	static const char *const key[FACTORS] = { "cpus", "core_share", "clock_hz",
						  "ops_per_cycle" };
	uint64_t rounds = v->rounds;
	json_t *o, *f;

	if (w->writing ? !v->label : !json_object_get(parent, "versus"))
		return;
	o = member(w, parent, "versus");
	text(w, o, "label", &v->label);
	text(w, o, "verdict", &v->verdict);
	quantity(w, o, "ratio", &v->ratio);
	real(w, o, "p", &v->p);
	real(w, o, "level", &v->level);
	u64(w, o, "rounds", &rounds);
	v->rounds = rounds;
	real(w, o, "ratio_without_needles", &v->raw_ratio);
	real(w, o, "spread", &v->spread);
	real(w, o, "spread_without_needles", &v->raw_spread);
	if ((f = member(w, o, "split")))
		for (int i = 0; i < FACTORS; i++)
			real(w, f, key[i], &v->split[i]);
}

static void refs(struct walk *w, json_t *o, struct result *r)
{
	json_t *arr;

	r->n_refs = array(w, o, "core_share_references", &arr, (void **)&r->refs, r->n_refs,
			  sizeof(*r->refs));
	for (size_t i = 0; i < r->n_refs; i++) {
		json_t *f = json_array_get(arr, i);

		u32(w, f, "cpu", &r->refs[i].cpu);
		real(w, f, "adds_per_cycle", &r->refs[i].adds);
		boolean(w, f, "remembered", &r->refs[i].remembered);
	}
}

static void document(struct walk *w, json_t *o, struct result *r)
{
	json_t *arr;

	text(w, o, "version", &r->version);
	text(w, o, "command", &r->command);
	text(w, o, "created", &r->created);
	text(w, o, "workload", &r->workload);
	text(w, o, "title", &r->title);
	text(w, o, "machine_line", &r->machine_line);
	text(w, o, "unit", &r->unit);
	text(w, o, "score_unit", &r->score_unit);
	real(w, o, "score_scale", &r->score_scale);
	real(w, o, "reference_clock_hz", &r->ref_clock_hz);
	refs(w, o, r);
	text(w, o, "needle_reason", &r->needle_reason);
	boolean(w, o, "interrupted", &r->interrupted);
	text(w, o, "failure", &r->failure);
	notes(w, o, r);
	texts(w, o, "machine", &r->machine, &r->n_machine);
	texts(w, o, "target", &r->target, &r->n_target);
	r->n_rows = array(w, o, "rows", &arr, (void **)&r->rows, r->n_rows, sizeof(*r->rows));
	for (size_t i = 0; i < r->n_rows; i++)
		row(w, json_array_get(arr, i), &r->rows[i]);
	versus(w, o, &r->versus);
}

void result_to_json(const struct result *r, struct buf *out)
{
	struct walk w = { .writing = true };
	json_t *o = json_object();
	char *s;

	json_object_set_new(o, "schema", json_integer(RESULT_SCHEMA));
	document(&w, o, (struct result *)r);
	s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	buf_adds(out, s ? s : "");
	buf_addc(out, '\n');
	free(s);
	json_decref(o);
}

/* Fields every report relies on. */
static void fill_missing(struct result *r)
{
	char **needed[] = { &r->version, &r->command, &r->created, &r->workload, &r->title,
			    &r->machine_line, &r->unit, &r->score_unit };

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!*needed[i])
			*needed[i] = xstrdup("");
	if (r->versus.label && !r->versus.verdict)
		r->versus.verdict = xstrdup("");
	for (size_t i = 0; i < r->n_machine; i++) {
		if (!r->machine[i].key)
			r->machine[i].key = xstrdup("");
		if (!r->machine[i].value)
			r->machine[i].value = xstrdup("");
	}
	for (size_t i = 0; i < r->n_target; i++) {
		if (!r->target[i].key)
			r->target[i].key = xstrdup("");
		if (!r->target[i].value)
			r->target[i].value = xstrdup("");
	}
	for (size_t i = 0; i < r->n_rows; i++) {
		struct result_row *row_ = &r->rows[i];

		if (!row_->label)
			row_->label = xstrdup("");
		if (!row_->variant)
			row_->variant = xstrdup("");
		if (!row_->placement)
			row_->placement = xstrdup("");
		for (size_t k = 0; k < row_->profile.n_functions; k++) {
			struct result_function *f = &row_->profile.functions[k];

			if (!f->name)
				f->name = xstrdup("");
			if (!f->dso)
				f->dso = xstrdup("");
			if (!f->note)
				f->note = xstrdup("");
		}
		for (size_t k = 0; k < row_->profile.n_insns; k++)
			if (!row_->profile.insns[k].text)
				row_->profile.insns[k].text = xstrdup("");
	}
}

int result_from_json(struct result *r, const char *input, size_t len, struct err *err)
{
	struct walk w = { .writing = false };
	json_error_t e;
	json_t *o = json_loadb(input, len, JSON_REJECT_DUPLICATES, &e);
	json_t *schema = json_object_get(o, "schema");
	int rc = 0;

	if (!o) {
		return err_set(err, -EINVAL, "not JSON: %s at line %d", e.text, e.line);
	}
	if (!json_is_integer(schema) || json_integer_value(schema) != RESULT_SCHEMA) {
		json_decref(o);
		return err_set(err, -EINVAL, "not a cpuprof result of schema %d", RESULT_SCHEMA);
	}
	document(&w, o, r);
	fill_missing(r);
	if (w.wrong) {
		rc = err_set(err, -EINVAL, "field \"%s\" has a wrong type or size", w.wrong);
		result_release(r);
	}
	json_decref(o);
	return rc;
}
