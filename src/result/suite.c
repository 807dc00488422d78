/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/result/suite.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/result/bundle.h"
#include "src/result/json_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_JSON ((size_t)1 << 20)

static const char *const states[SUITE_STATES] = { "planned", "done", "failed", "missing" };

const char *suite_state_name(enum suite_state s)
{
	return states[s];
}

void suite_release(struct suite *s)
{
	for (size_t i = 0; i < s->n_runs; i++) {
		struct suite_run *r = &s->runs[i];

		free(r->group);
		free(r->title);
		free(r->workload);
		free(r->command);
		free(r->folder);
		free(r->reason);
		free(r->unread);
		if (r->result)
			result_release(r->result);
		free(r->result);
	}
	free(s->runs);
	free(s->version);
	free(s->command);
	free(s->created);
	free(s->machine_line);
	free(s->only);
	free(s->skip);
	memset(s, 0, sizeof(*s));
}

struct suite_run *suite_add(struct suite *s, const char *group, const char *title,
			    const char *workload, const char *folder)
{
	struct suite_run *r;

	GROW(s->runs, s->n_runs, s->cap_runs);
	r = &s->runs[s->n_runs++];
	*r = (struct suite_run){ .group = xstrdup(group), .title = xstrdup(title),
				 .workload = xstrdup(workload), .folder = xstrdup(folder),
				 .command = xstrdup("") };
	return r;
}

void suite_set_state(struct suite_run *r, enum suite_state state, const char *reason)
{
	free(r->reason);
	r->reason = reason ? xstrdup(reason) : NULL;
	r->state = state;
}

static void state(struct walk *w, json_t *o, enum suite_state *v)
{
	char name[16] = "";

	if (w->writing)
		memcpy(name, states[*v], strlen(states[*v]) + 1);
	walk_chars(w, o, "state", name, sizeof(name));
	if (w->writing)
		return;
	for (int i = 0; i < SUITE_STATES; i++)
		if (!strcmp(states[i], name)) {
			*v = (enum suite_state)i;
			return;
		}
	if (!w->wrong)
		w->wrong = "state";
}

/* A name and nothing that leads elsewhere. */
static bool plain_name(const char *s)
{
	return s && *s && *s != '.' && !strchr(s, '/') && strlen(s) < 128;
}

static void run(struct walk *w, json_t *o, struct suite_run *r)
{
	walk_text(w, o, "group", &r->group);
	walk_text(w, o, "title", &r->title);
	walk_text(w, o, "workload", &r->workload);
	walk_text(w, o, "command", &r->command);
	walk_text(w, o, "folder", &r->folder);
	state(w, o, &r->state);
	walk_text(w, o, "reason", &r->reason);
	if (!w->writing && !w->wrong && !plain_name(r->folder))
		w->wrong = "folder";
}

static void document(struct walk *w, json_t *o, struct suite *s)
{
	json_t *arr, *f;

	walk_text(w, o, "version", &s->version);
	walk_text(w, o, "command", &s->command);
	walk_text(w, o, "created", &s->created);
	walk_text(w, o, "machine_line", &s->machine_line);
	if ((f = walk_member(w, o, "options"))) {
		walk_bool(w, f, "quick", &s->quick);
		walk_bool(w, f, "no_model", &s->no_model);
		walk_bool(w, f, "energy", &s->energy);
		walk_bool(w, f, "no_sampling", &s->no_sampling);
		walk_real(w, f, "time_s", &s->time_s);
		walk_int(w, f, "reps", &s->reps);
		walk_text(w, f, "only", &s->only);
		walk_text(w, f, "skip", &s->skip);
	}
	walk_bool(w, o, "interrupted", &s->interrupted);
	s->n_runs = walk_array(w, o, "runs", &arr, (void **)&s->runs, s->n_runs, sizeof(*s->runs));
	for (size_t i = 0; i < s->n_runs; i++)
		run(w, json_array_get(arr, i), &s->runs[i]);
	if (!w->writing && !w->wrong && s->n_runs > SUITE_RUNS)
		w->wrong = "runs";
	if (!w->writing && !w->wrong && (s->reps < 0 || !(s->time_s >= 0 && s->time_s < 1e6)))
		w->wrong = "options";
}

void suite_to_json(const struct suite *s, struct buf *out)
{
	struct walk w = { .writing = true };
	json_t *o = json_object();
	char *text;

	json_object_set_new(o, "suite_schema", json_integer(SUITE_SCHEMA));
	document(&w, o, (struct suite *)s);
	text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	buf_adds(out, text ? text : "");
	buf_addc(out, '\n');
	free(text);
	json_decref(o);
}

/* Two runs in one folder would be one. */
static bool folders_differ(const struct suite *s)
{
	for (size_t i = 0; i < s->n_runs; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(s->runs[i].folder, s->runs[k].folder))
				return false;
	return true;
}

static void fill_missing(struct suite *s)
{
	char **needed[] = { &s->version, &s->command, &s->created, &s->machine_line };

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!*needed[i])
			*needed[i] = xstrdup("");
	for (size_t i = 0; i < s->n_runs; i++) {
		char **text[] = { &s->runs[i].group, &s->runs[i].title, &s->runs[i].workload,
				  &s->runs[i].command };

		for (size_t k = 0; k < ARRAY_SIZE(text); k++)
			if (!*text[k])
				*text[k] = xstrdup("");
	}
}

int suite_from_json(struct suite *s, const char *text, size_t len, struct err *err)
{
	struct walk w = { .writing = false };
	json_error_t e;
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	json_t *schema = json_object_get(o, "suite_schema");
	int rc = 0;

	if (!o)
		return err_set(err, -EINVAL, "not JSON: %s at line %d", e.text, e.line);
	if (!json_is_integer(schema) || json_integer_value(schema) != SUITE_SCHEMA) {
		json_decref(o);
		return err_set(err, -EINVAL, "not a cpuprof suite of schema %d", SUITE_SCHEMA);
	}
	document(&w, o, s);
	fill_missing(s);
	if (!w.wrong && !folders_differ(s))
		w.wrong = "folder";
	if (w.wrong) {
		rc = err_set(err, -EINVAL, "field \"%s\" has a wrong type, size or value", w.wrong);
		suite_release(s);
	}
	json_decref(o);
	return rc;
}

bool suite_is_folder(const char *path)
{
	char *file = xasprintf("%s/" SUITE_FILE, path);
	bool there = access(file, F_OK) == 0;

	free(file);
	return there;
}

int suite_save(const char *dir, const struct suite *s, struct err *err)
{
	char *file = xasprintf("%s/" SUITE_FILE, dir);
	struct buf b = BUF_INIT;
	int rc;

	suite_to_json(s, &b);
	rc = io_write_file(file, b.data, b.len, err);
	buf_release(&b);
	free(file);
	return rc;
}

int suite_load(const char *dir, struct suite *s, struct err *err)
{
	char *file = xasprintf("%s/" SUITE_FILE, dir);
	struct buf b = BUF_INIT;
	int rc = io_read_file(file, MAX_JSON, &b, err);

	if (rc == 0) {
		rc = suite_from_json(s, buf_str(&b), b.len, err);
		if (rc < 0)
			err_prefix(err, "'%s'", file);
	}
	buf_release(&b);
	free(file);
	return rc;
}

int suite_load_result(const char *dir, struct suite_run *r, struct err *err)
{
	char *path = xasprintf("%s/%s", dir, r->folder);
	struct result *result = xcalloc(1, sizeof(*result));
	int rc = bundle_load(path, result, err);

	free(path);
	if (rc == 0 && (result->interrupted || result->failure || !result->n_rows ||
			strcmp(result->workload, r->workload))) {
		rc = err_set(err, -EINVAL, "'%s/%s' holds no whole result of %s", dir, r->folder,
			     r->workload);
		result_release(result);
	}
	if (rc < 0) {
		free(result);
		return rc;
	}
	r->result = result;
	return 0;
}
