/*
 * perfdata_header.h - what a perf.data file says of the recording: events,
 * build-ids, names; in its header or, in a stream, in records. Private to
 * perfdata.c.
 */
#ifndef CPUPROF_PERF_PERFDATA_HEADER_H
#define CPUPROF_PERF_PERFDATA_HEADER_H

#include "src/perf/perfdata.h"

/* A line for people on what could not be read; the first few are kept. */
void perfdata_warn(struct perfdata *pd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The header of file mode, with events and features; sets where records are. */
int perfdata_file_header(struct perfdata *pd, const char *path, struct err *err);
/* A record that describes the recording itself (pipe mode has all of it so). */
void perfdata_header_record(struct perfdata *pd, const struct record *r);

#endif
