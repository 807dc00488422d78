/*
 * json_walk.h - fields of the document, written or read by the same call, so that
 * no field can be forgotten on one side. Private to src/result.
 *
 * Reading, a missing field stays as it is and the first one of a wrong type or
 * size is kept in wrong. Nothing of the text is trusted.
 */
#ifndef CPUPROF_RESULT_JSON_WALK_H
#define CPUPROF_RESULT_JSON_WALK_H

#include "src/result/result.h"

#include <jansson.h>
#include <stdbool.h>

#define MAX_ITEMS 100000u

struct walk {
	bool writing;
	const char *wrong;	/* key of a wrong field, NULL */
};

void walk_real(struct walk *w, json_t *o, const char *key, double *v);
/* Mostly whole, and then written so. */
void walk_count(struct walk *w, json_t *o, const char *key, double *v);
void walk_u64(struct walk *w, json_t *o, const char *key, uint64_t *v);
void walk_u32(struct walk *w, json_t *o, const char *key, uint32_t *v);
void walk_i64(struct walk *w, json_t *o, const char *key, int64_t *v);
void walk_int(struct walk *w, json_t *o, const char *key, int *v);
void walk_size(struct walk *w, json_t *o, const char *key, size_t *v);
void walk_bool(struct walk *w, json_t *o, const char *key, bool *v);
/* Owned strings; and those in an array of the struct. */
void walk_text(struct walk *w, json_t *o, const char *key, char **v);
void walk_chars(struct walk *w, json_t *o, const char *key, char *v, size_t size);
/* A new value; bytes that are no UTF-8 become '?'. */
json_t *walk_text_value(const char *s);
/* A member object; reading, NULL when it is missing. Borrowed. */
json_t *walk_member(struct walk *w, json_t *o, const char *key);
/* An array of objects: how many. Reading, *v (where given) becomes room for them. */
size_t walk_array(struct walk *w, json_t *o, const char *key, json_t **arr, void **v,
		  size_t n, size_t size);
void walk_origin(struct walk *w, json_t *o, enum origin *v);
void walk_quantity(struct walk *w, json_t *parent, const char *key, struct quantity *q);

/* json_profile.c */
void walk_profile(struct walk *w, json_t *o, struct result_profile *p);

#endif
