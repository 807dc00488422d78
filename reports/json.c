/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/report.h"
#include "src/result/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void json_result(const struct result *r, const struct report_style *s, struct buf *out)
{
	result_to_json(r, out);
}

static void json_suite(const struct suite *u, const struct report_style *s, struct buf *out)
{
	suite_to_json(u, out);
}

static json_t *name_value(const char *name)
{
	char safe[512];
	json_t *j = json_string(name);

	if (j)
		return j;
	report_name(name, (int)sizeof(safe), safe, sizeof(safe));
	for (char *p = safe; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	return json_string(safe);
}

static json_t *event_value(const struct profile_event *e)
{
	json_t *o = json_object(), *arr = json_array();

	json_object_set_new(o, "event", name_value(e->name));
	json_object_set_new(o, "samples", json_integer((json_int_t)e->samples));
	json_object_set_new(o, "period", json_integer((json_int_t)e->period));
	json_object_set_new(o, "kernel_share", json_real(e->kernel_share));
	json_object_set_new(o, "unknown_share", json_real(e->unknown_share));
	for (size_t i = 0; i < e->n_functions; i++) {
		const struct profile_function *f = &e->functions[i];
		json_t *v = json_object();

		json_object_set_new(v, "name", name_value(f->name));
		json_object_set_new(v, "dso", name_value(f->dso));
		json_object_set_new(v, "note", name_value(f->note));
		json_object_set_new(v, "samples", json_integer((json_int_t)f->samples));
		json_object_set_new(v, "period", json_integer((json_int_t)f->period));
		json_object_set_new(v, "share", json_real(f->share));
		json_object_set_new(v, "error", json_real(f->error));
		json_object_set_new(v, "ranked", json_boolean(i < e->n_ranked));
		json_array_append_new(arr, v);
	}
	json_object_set_new(o, "functions", arr);
	return o;
}

static void json_profile(const struct profile *p, const char *file,
			 const struct report_style *s, struct buf *out)
{
	json_t *o = json_object(), *arr = json_array();
	char *text;

	json_object_set_new(o, "file", name_value(file));
	json_object_set_new(o, "lost", json_integer((json_int_t)p->lost));
	json_object_set_new(o, "throttled", json_integer((json_int_t)p->throttled));
	json_object_set_new(o, "undecodable", json_integer((json_int_t)p->bad));
	json_object_set_new(o, "unattributed", json_integer((json_int_t)p->orphans));
	json_object_set_new(o, "warnings", name_value(p->warnings));
	for (size_t i = 0; i < p->n_events; i++)
		json_array_append_new(arr, event_value(&p->events[i]));
	json_object_set_new(o, "events", arr);
	text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	buf_adds(out, text ? text : "");
	buf_addc(out, '\n');
	free(text);
	json_decref(o);
}

static void json_doctor(const struct doctor *d, const struct report_style *s, struct buf *out)
{
	doctor_to_json(d, out);
}

extern const struct report report_json;
const struct report report_json = {
	.name = "json",
	.summary = "the whole document, schema in docs/result.md",
	.result = json_result,
	.profile = json_profile,
	.suite = json_suite,
	.doctor = json_doctor,
};
