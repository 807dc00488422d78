/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/result/json_walk.h"
#include "src/base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* v when it is there and of the right type. */
static json_t *field(struct walk *w, const char *key, bool ok_type, json_t *v)
{
	if (!v || json_is_null(v))
		return NULL;
	if (!ok_type && !w->wrong)
		w->wrong = key;
	return ok_type ? v : NULL;
}

void walk_real(struct walk *w, json_t *o, const char *key, double *v)
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

void walk_count(struct walk *w, json_t *o, const char *key, double *v)
{
	if (w->writing && fabs(*v) < 9e15 && *v == floor(*v))
		json_object_set_new(o, key, json_integer((json_int_t)*v));
	else
		walk_real(w, o, key, v);
}

void walk_u64(struct walk *w, json_t *o, const char *key, uint64_t *v)
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

void walk_u32(struct walk *w, json_t *o, const char *key, uint32_t *v)
{
	uint64_t wide = *v;

	walk_u64(w, o, key, &wide);
	*v = (uint32_t)wide;
}

void walk_i64(struct walk *w, json_t *o, const char *key, int64_t *v)
{
	uint64_t wide = (uint64_t)*v;

	walk_u64(w, o, key, &wide);
	*v = (int64_t)wide;
}

void walk_int(struct walk *w, json_t *o, const char *key, int *v)
{
	uint64_t wide = (uint64_t)(int64_t)*v;

	walk_u64(w, o, key, &wide);
	*v = (int)(int64_t)wide;
}

void walk_size(struct walk *w, json_t *o, const char *key, size_t *v)
{
	uint64_t wide = *v;

	walk_u64(w, o, key, &wide);
	*v = (size_t)wide;
}

void walk_bool(struct walk *w, json_t *o, const char *key, bool *v)
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
json_t *walk_text_value(const char *s)
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

void walk_text(struct walk *w, json_t *o, const char *key, char **v)
{
	json_t *j;

	if (w->writing) {
		if (*v)
			json_object_set_new(o, key, walk_text_value(*v));
		return;
	}
	j = json_object_get(o, key);
	j = field(w, key, json_is_string(j), j);
	if (j) {
		free(*v);
		*v = xstrdup(json_string_value(j));
	}
}

void walk_chars(struct walk *w, json_t *o, const char *key, char *v, size_t size)
{
	json_t *j;

	if (w->writing) {
		json_object_set_new(o, key, walk_text_value(v));
		return;
	}
	j = json_object_get(o, key);
	j = field(w, key, json_is_string(j), j);
	if (j)
		snprintf(v, size, "%s", json_string_value(j));
}

void walk_origin(struct walk *w, json_t *o, enum origin *v)
{
	char name[16];
	int found;

	snprintf(name, sizeof(name), "%s", origin_name(*v));
	walk_chars(w, o, "origin", name, sizeof(name));
	found = origin_of_name(name);
	if (found >= 0)
		*v = (enum origin)found;
	else if (!w->wrong)
		w->wrong = "origin";
}

/* A member object; reading, an empty one when it is missing. Borrowed. */
json_t *walk_member(struct walk *w, json_t *o, const char *key)
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
size_t walk_array(struct walk *w, json_t *o, const char *key, json_t **arr, void **v,
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

void walk_quantity(struct walk *w, json_t *parent, const char *key, struct quantity *q)
{
	json_t *o = walk_member(w, parent, key);

	if (!o)
		return;
	walk_origin(w, o, &q->origin);
	if (q->origin != ORIGIN_UNAVAILABLE) {	/* no number stands for "not known" */
		walk_real(w, o, "value", &q->value);
		walk_real(w, o, "low", &q->low);
		walk_real(w, o, "high", &q->high);
		walk_real(w, o, "coverage", &q->coverage);
	}
	walk_chars(w, o, "reason", q->reason, sizeof(q->reason));
}
