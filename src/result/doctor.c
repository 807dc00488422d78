/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/result/doctor.h"
#include "src/base/mem.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void doctor_release(struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->lines[i].group);
		free(d->lines[i].name);
		free(d->lines[i].value);
		free(d->lines[i].unlock);
	}
	free(d->lines);
	memset(d, 0, sizeof(*d));
}

void doctor_add(struct doctor *d, const char *group, const char *name,
		enum doctor_verdict verdict, const char *unlock, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	GROW(d->lines, d->n, d->cap);
	d->lines[d->n++] = (struct doctor_line){
		xstrdup(group), xstrdup(name), verdict, xstrdup(text), xstrdup(unlock) };
}

const char *doctor_verdict_name(enum doctor_verdict v)
{
	static const char *const names[] = {
		[DOCTOR_YES] = "yes", [DOCTOR_PARTLY] = "partly", [DOCTOR_NO] = "no",
		[DOCTOR_INFO] = "info",
	};

	return names[v];
}

void doctor_to_json(const struct doctor *d, struct buf *out)
{
	json_t *o = json_object(), *arr = json_array();
	char *s;

	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "clock_hz", d->clock_hz > 0 ? json_real(d->clock_hz) : json_null());
	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(arr, json_pack("{s:s, s:s, s:s, s:s, s:s}",
			"group", d->lines[i].group, "name", d->lines[i].name,
			"verdict", doctor_verdict_name(d->lines[i].verdict),
			"value", d->lines[i].value, "unlock", d->lines[i].unlock));
	json_object_set_new(o, "lines", arr);
	s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	buf_adds(out, s ? s : "");
	buf_addc(out, '\n');
	free(s);
	json_decref(o);
}
