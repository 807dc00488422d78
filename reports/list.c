/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/report.h"

#include <stdio.h>
#include <string.h>

#define REPORT(name) extern const struct report report_##name;
#include "reports/list.def"
#undef REPORT

const struct report *const reports[] = {
#define REPORT(name) &report_##name,
#include "reports/list.def"
#undef REPORT
	NULL
};

const struct report *report_find(const char *name)
{
	for (int i = 0; reports[i]; i++)
		if (!strcmp(reports[i]->name, name))
			return reports[i];
	return NULL;
}

const char *report_pm(const struct report_style *s)
{
	return s->utf8 ? "\302\261" : "+-";
}

char *report_name(const char *name, int width, char *out, size_t size)
{
	size_t len = strlen(name), w = width < 8 ? 8 : (size_t)width;

	if (w > size - 1)
		w = size - 1;
	if (len <= w) {
		snprintf(out, size, "%s", name);
	} else {
		size_t head = (w - 2) * 2 / 3, tail = w - 2 - head;

		snprintf(out, size, "%.*s..%s", (int)head, name, name + len - tail);
	}
	for (char *p = out; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return out;
}
