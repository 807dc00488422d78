/*
 * bundle.h - the folder a measurement ends in: result.json, report.txt,
 * log.txt, recordings.
 */
#ifndef CPUPROF_RESULT_BUNDLE_H
#define CPUPROF_RESULT_BUNDLE_H

#include "src/result/result.h"

/* Make the folder "BASE/<stamp>-<workload>" (or exactly base when exact), a
 * number appended when it exists. Its path; caller frees. NULL on failure. */
char *bundle_create(const char *base, bool exact, const char *stamp, const char *workload,
		    struct err *err);
/* result.json, report.txt and log.txt into dir. */
int bundle_save(const char *dir, const struct result *r, const char *report, const char *log,
		struct err *err);
/* A result from a bundle folder or a result.json. r is initialised here. */
int bundle_load(const char *path, struct result *r, struct err *err);

#endif
