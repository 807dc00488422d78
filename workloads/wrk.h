/*
 * wrk.h - the load generator wrk: a script for it, its command, and what the script
 * makes it print.
 */
#ifndef CPUPROF_WORKLOADS_WRK_H
#define CPUPROF_WORKLOADS_WRK_H

#include "workloads/workload.h"

struct wrk {
	const char *program;
	const char *dir;		/* the script goes there */
	const char *encoding;		/* that requests accept, NULL: none is named */
	bool close;			/* a new connection for each request */
	int connections;
};

/* Writes the script and fills s->load. paths: a line each; threads take them in turn,
 * beginning at different ones. */
int wrk_configure(const struct wrk *w, const char *paths, struct workload_serving *s,
		  struct err *err);
/* See workload_server.read_load. */
int wrk_read(const char *text, struct workload_load *out, struct err *err);

#endif
