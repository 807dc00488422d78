/*
 * server.h - the worker of a server: starts it on its CPUs, has it checked, lets
 * the parent start the load, and tells what each of its processes used meanwhile.
 *
 * The load generator is the parent's child, since what is sampled are this process
 * and all it starts. Whatever ends the worker, the server ends: by itself, or by
 * SIGTERM when its parent dies.
 */
#ifndef CPUPROF_RUN_SERVER_H
#define CPUPROF_RUN_SERVER_H

#include "workloads/workload.h"

#include <linux/perf_event.h>

struct server_ask {
	const struct workload *w;
	const struct workload_env *env;
	void *shared;
	struct workload_info *info;	/* what was negotiated is added to the input */
	const int *cpus;		/* a process of the server on each */
	int n;
	double seconds;			/* of load */
	bool probe;			/* read the needles before and after */
	const struct perf_event_attr *events;	/* one group to count */
	int n_events;
	uint64_t born_ns;		/* CLOCK_MONOTONIC_RAW */
};

/* Before set-up: SIGTERM is to be heard, the parent's death as well. */
void server_prepare(void);
/* 0 when all was told, or a sentence. */
int server_run(const struct server_ask *a, struct err *err);

#endif
