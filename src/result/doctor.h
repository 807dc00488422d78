/*
 * doctor.h - the document of cpuprof doctor: what can be measured here, what
 * cannot, why, and what would unlock it.
 */
#ifndef CPUPROF_RESULT_DOCTOR_H
#define CPUPROF_RESULT_DOCTOR_H

#include "src/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum doctor_verdict { DOCTOR_YES, DOCTOR_PARTLY, DOCTOR_NO, DOCTOR_INFO };

struct doctor_line {
	char *group;	/* "machine", "clock", "counters" ... */
	char *name;
	enum doctor_verdict verdict;
	char *value;	/* what was found */
	char *unlock;	/* what would help, "" */
};

struct doctor {
	struct doctor_line *lines;	/* owned */
	size_t n, cap;
	double clock_hz;		/* 0: unavailable */
};

void doctor_release(struct doctor *d);
void doctor_add(struct doctor *d, const char *group, const char *name,
		enum doctor_verdict verdict, const char *unlock, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
void doctor_to_json(const struct doctor *d, struct buf *out);
const char *doctor_verdict_name(enum doctor_verdict v);

#endif
