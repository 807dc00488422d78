/* SPDX-License-Identifier: MIT */
/*
 * One walk over the document writes it and reads it: what is written and what is
 * read cannot drift apart.
 */
#include "config.h"
#include "src/result/json.h"
#include "src/result/json_walk.h"
#include "src/base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void batch(struct walk *w, json_t *o, struct result_batch *b)
{
	walk_u32(w, o, "thread", &b->thread);
	walk_u32(w, o, "cpu", &b->cpu);
	walk_real(w, o, "start_s", &b->start_s);
	walk_real(w, o, "wall_s", &b->wall_s);
	walk_real(w, o, "cpu_s", &b->cpu_s);
	walk_real(w, o, "user_s", &b->user_s);
	walk_real(w, o, "sys_s", &b->sys_s);
	walk_real(w, o, "run_delay_s", &b->run_delay_s);
	walk_count(w, o, "ops", &b->ops);
	walk_u64(w, o, "page_faults", &b->faults);
	walk_u64(w, o, "major_faults", &b->major_faults);
	walk_u64(w, o, "voluntary_switches", &b->voluntary);
	walk_u64(w, o, "involuntary_switches", &b->involuntary);
	walk_real(w, o, "clock_hz", &b->clock_hz);
	walk_real(w, o, "adds_per_s", &b->adds_per_s);
	walk_real(w, o, "cycles", &b->cycles);
	walk_real(w, o, "instructions", &b->instructions);
	walk_real(w, o, "counted_s", &b->counted_s);
}

static void served(struct walk *w, json_t *parent, struct result_served *s)
{
	static const char *const key[4] = { "latency_50_s", "latency_75_s", "latency_90_s",
					    "latency_99_s" };
	json_t *o = walk_member(w, parent, "served");

	if (!o)
		return;
	walk_count(w, o, "requests", &s->requests);
	walk_count(w, o, "bytes", &s->bytes);
	walk_count(w, o, "errors", &s->errors);
	for (int i = 0; i < 4; i++)
		walk_real(w, o, key[i], &s->latency_s[i]);
	walk_real(w, o, "latency_max_s", &s->latency_max_s);
	walk_u32(w, o, "connections", &s->connections);
	walk_u32(w, o, "load_threads", &s->load_threads);
	walk_real(w, o, "load_busy_share", &s->load_busy);
	walk_bool(w, o, "load_shares_cpus", &s->load_shares);
}

static void rep(struct walk *w, json_t *o, struct result_rep *r)
{
	static const char *const key[FACTORS] = { "cpus", "core_share", "clock_hz",
						  "ops_per_cycle" };
	json_t *arr;

	walk_real(w, o, "score_ops_per_s", &r->score);
	walk_real(w, o, "wall_s", &r->wall_s);
	walk_real(w, o, "setup_s", &r->setup_s);
	walk_real(w, o, "outside_share", &r->outside);
	walk_real(w, o, "steal_s", &r->steal_s);
	walk_real(w, o, "throttled_s", &r->throttled_s);
	walk_real(w, o, "stopped_s", &r->stopped_s);
	walk_real(w, o, "suspended_s", &r->suspended_s);
	walk_real(w, o, "began_s", &r->began_s);
	walk_real(w, o, "energy_j", &r->energy_j);
	walk_u64(w, o, "memory_bytes", &r->memory_bytes);
	if (!w->writing || r->served.requests > 0)
		served(w, o, &r->served);
	walk_i64(w, o, "migrations", &r->migrations);
	walk_u32(w, o, "marks", &r->marks);
	for (int f = 0; f < FACTORS; f++)
		walk_real(w, o, key[f], &r->factors[f]);
	r->n_batches = walk_array(w, o, "batches", &arr, (void **)&r->batches, r->n_batches,
			     sizeof(*r->batches));
	for (size_t i = 0; i < r->n_batches; i++)
		batch(w, json_array_get(arr, i), &r->batches[i]);
}

static void cause(struct walk *w, json_t *o, struct result_cause *c)
{
	walk_chars(w, o, "name", c->name, sizeof(c->name));
	walk_real(w, o, "cost_share", &c->cost);
	walk_real(w, o, "low", &c->low);
	walk_real(w, o, "high", &c->high);
	walk_origin(w, o, &c->origin);
	walk_int(w, o, "parent", &c->parent);
	walk_chars(w, o, "evidence", c->evidence, sizeof(c->evidence));
	walk_chars(w, o, "place", c->place, sizeof(c->place));
}

static void counters(struct walk *w, json_t *o, struct result_row *r)
{
	json_t *arr;

	r->n_counters = walk_array(w, o, "counters", &arr, (void **)&r->counters, r->n_counters,
			      sizeof(*r->counters));
	for (size_t i = 0; i < r->n_counters; i++) {
		json_t *f = json_array_get(arr, i);

		walk_chars(w, f, "name", r->counters[i].name, sizeof(r->counters[i].name));
		walk_quantity(w, f, "per_operation", &r->counters[i].per_op);
		walk_int(w, f, "group", &r->counters[i].group);
	}
	r->n_metrics = walk_array(w, o, "metrics", &arr, (void **)&r->metrics, r->n_metrics,
			     sizeof(*r->metrics));
	for (size_t i = 0; i < r->n_metrics; i++) {
		struct result_metric *m = &r->metrics[i];
		json_t *f = json_array_get(arr, i);

		walk_chars(w, f, "name", m->name, sizeof(m->name));
		walk_chars(w, f, "unit", m->unit, sizeof(m->unit));
		walk_chars(w, f, "formula", m->formula, sizeof(m->formula));
		walk_quantity(w, f, "value", &m->value);
		walk_bool(w, f, "notable", &m->notable);
	}
}

static void thread(struct walk *w, json_t *o, struct result_thread *t)
{
	walk_chars(w, o, "comm", t->comm, sizeof(t->comm));
	walk_u32(w, o, "pid", &t->pid);
	walk_u32(w, o, "tid", &t->tid);
	walk_real(w, o, "cpu_s", &t->cpu_s);
	walk_real(w, o, "counted_s", &t->counted_s);
	walk_real(w, o, "cycles", &t->cycles);
	walk_real(w, o, "instructions", &t->instructions);
	walk_bool(w, o, "uncounted", &t->uncounted);
	walk_bool(w, o, "scaled", &t->scaled);
}

static void row(struct walk *w, json_t *o, struct result_row *r)
{
	static const char *const key[FACTORS] = { "cpus", "core_share", "clock_hz",
						  "ops_per_cycle" };
	json_t *arr, *f;

	walk_text(w, o, "label", &r->label);
	walk_text(w, o, "variant", &r->variant);
	walk_text(w, o, "placement", &r->placement);
	walk_int(w, o, "threads", &r->threads);
	walk_quantity(w, o, "score", &r->score);
	walk_quantity(w, o, "score_quiet", &r->quiet);
	walk_size(w, o, "quiet_repetitions", &r->n_quiet);
	if ((f = walk_member(w, o, "factors")))
		for (int i = 0; i < FACTORS; i++)
			walk_quantity(w, f, key[i], &r->factors[i]);
	walk_real(w, o, "unexplained_share", &r->unexplained);
	if ((f = walk_member(w, o, "scaling"))) {
		walk_real(w, f, "of_linear", &r->scaling);
		for (int i = 0; i < FACTORS; i++)
			walk_real(w, f, key[i], &r->scaling_factors[i]);
		walk_real(w, f, "unexplained_share", &r->scaling_unexplained);
	}
	walk_quantity(w, o, "instructions_per_cycle", &r->ipc);
	walk_quantity(w, o, "instructions_per_operation", &r->instructions);
	walk_quantity(w, o, "watts", &r->watts);
	walk_quantity(w, o, "score_per_watt", &r->per_joule);
	counters(w, o, r);
	r->n_causes = walk_array(w, o, "causes", &arr, (void **)&r->causes, r->n_causes,
			    sizeof(*r->causes));
	for (size_t i = 0; i < r->n_causes; i++) {
		cause(w, json_array_get(arr, i), &r->causes[i]);
		/* What a cause is part of stands before it. */
		if (r->causes[i].parent < RESULT_WITHIN_PROGRAM || r->causes[i].parent >= (int)i)
			w->wrong = "parent";
	}
	r->n_reps = walk_array(w, o, "repetitions", &arr, (void **)&r->reps, r->n_reps,
			  sizeof(*r->reps));
	for (size_t i = 0; i < r->n_reps; i++)
		rep(w, json_array_get(arr, i), &r->reps[i]);
	if ((f = walk_member(w, o, "profile")))
		walk_profile(w, f, &r->profile);
	r->n_per_thread = walk_array(w, o, "per_thread", &arr, (void **)&r->per_thread,
				     r->n_per_thread, sizeof(*r->per_thread));
	for (size_t i = 0; i < r->n_per_thread; i++)
		thread(w, json_array_get(arr, i), &r->per_thread[i]);
	r->n_sampled = walk_array(w, o, "sampled", &arr, (void **)&r->sampled, r->n_sampled,
				  sizeof(*r->sampled));
	for (size_t i = 0; i < r->n_sampled; i++) {
		f = json_array_get(arr, i);
		walk_chars(w, f, "role", r->sampled[i].role, sizeof(r->sampled[i].role));
		walk_profile(w, f, &r->sampled[i].profile);
	}
}

/* Ordered pairs as an array of objects, since JSON objects have no order. */
static void texts(struct walk *w, json_t *o, const char *key, struct result_text **v, size_t *n)
{
	json_t *arr;

	*n = walk_array(w, o, key, &arr, (void **)v, *n, sizeof(**v));
	for (size_t i = 0; i < *n; i++) {
		walk_text(w, json_array_get(arr, i), "key", &(*v)[i].key);
		walk_text(w, json_array_get(arr, i), "value", &(*v)[i].value);
	}
}

static void notes(struct walk *w, json_t *o, struct result *r)
{
	json_t *arr;

	if (w->writing) {
		arr = json_array();
		for (size_t i = 0; i < r->n_notes; i++)
			json_array_append_new(arr, walk_text_value(r->notes[i]));
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
	json_t *o, *f;

	if (w->writing ? !v->label : !json_object_get(parent, "versus"))
		return;
	o = walk_member(w, parent, "versus");
	walk_text(w, o, "label", &v->label);
	walk_text(w, o, "verdict", &v->verdict);
	walk_quantity(w, o, "ratio", &v->ratio);
	walk_real(w, o, "p", &v->p);
	walk_real(w, o, "level", &v->level);
	walk_size(w, o, "rounds", &v->rounds);
	walk_real(w, o, "ratio_without_needles", &v->raw_ratio);
	walk_real(w, o, "spread", &v->spread);
	walk_real(w, o, "spread_without_needles", &v->raw_spread);
	if ((f = walk_member(w, o, "split")))
		for (int i = 0; i < FACTORS; i++)
			walk_real(w, f, key[i], &v->split[i]);
}

static void refs(struct walk *w, json_t *o, struct result *r)
{
	json_t *arr;

	r->n_refs = walk_array(w, o, "core_share_references", &arr, (void **)&r->refs, r->n_refs,
			  sizeof(*r->refs));
	for (size_t i = 0; i < r->n_refs; i++) {
		json_t *f = json_array_get(arr, i);

		walk_u32(w, f, "cpu", &r->refs[i].cpu);
		walk_real(w, f, "adds_per_cycle", &r->refs[i].adds);
		walk_bool(w, f, "remembered", &r->refs[i].remembered);
	}
}

static void document(struct walk *w, json_t *o, struct result *r)
{
	json_t *arr;

	walk_text(w, o, "version", &r->version);
	walk_text(w, o, "command", &r->command);
	walk_text(w, o, "created", &r->created);
	walk_text(w, o, "workload", &r->workload);
	walk_text(w, o, "title", &r->title);
	walk_text(w, o, "machine_line", &r->machine_line);
	walk_text(w, o, "unit", &r->unit);
	walk_text(w, o, "score_unit", &r->score_unit);
	walk_real(w, o, "score_scale", &r->score_scale);
	walk_real(w, o, "reference_clock_hz", &r->ref_clock_hz);
	refs(w, o, r);
	walk_text(w, o, "needle_reason", &r->needle_reason);
	walk_text(w, o, "energy_source", &r->energy_source);
	walk_real(w, o, "idle_watts", &r->idle_w);
	walk_bool(w, o, "interrupted", &r->interrupted);
	walk_text(w, o, "failure", &r->failure);
	notes(w, o, r);
	texts(w, o, "machine", &r->machine, &r->n_machine);
	texts(w, o, "target", &r->target, &r->n_target);
	r->n_rows = walk_array(w, o, "rows", &arr, (void **)&r->rows, r->n_rows, sizeof(*r->rows));
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
