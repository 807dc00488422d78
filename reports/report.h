/*
 * report.h - a format over const documents.
 *
 * One format is one .c file (large ones have helpers beside it) with, last, one
 * const descriptor, registered by a line in reports/list.def. A hook that is
 * NULL means the format does not apply to that document.
 */
#ifndef CPUPROF_REPORTS_REPORT_H
#define CPUPROF_REPORTS_REPORT_H

#include "src/base/buf.h"
#include "src/profile/profile.h"
#include "src/result/doctor.h"
#include "src/result/reference.h"
#include "src/result/result.h"
#include "src/result/suite.h"

struct report_style {
	bool color;		/* ANSI escapes are welcome */
	bool utf8;		/* so is a plus-minus sign */
	bool explain;		/* show the formula behind each metric */
	int width;		/* columns, at least 80 */
	int limit;		/* lines of a list; 0: the format's own choice */
};

struct report {
	const char *name;
	const char *summary;
	void (*result)(const struct result *r, const struct report_style *s, struct buf *out);
	/* file: the recording's name as the user gave it. */
	void (*profile)(const struct profile *p, const char *file, const struct report_style *s,
			struct buf *out);
	void (*suite)(const struct suite *u, const struct report_style *s, struct buf *out);
	void (*reference)(const struct reference *r, const struct report_style *s, struct buf *out);
	void (*doctor)(const struct doctor *d, const struct report_style *s, struct buf *out);
};

/* NULL-terminated. */
extern const struct report *const reports[];
const struct report *report_find(const char *name);

/* "±" or "+-". Both are two bytes, so columns stay in line. */
const char *report_pm(const struct report_style *s);

/* Helpers all text formats share. Names come from files nobody vouches for:
 * control bytes become '?', and what is longer than width columns is cut in
 * the middle. Into out (size bytes); returns out. */
char *report_name(const char *name, int width, char *out, size_t size);

#endif
