/*
 * request.h - what -e asks for: names of events become attrs.
 *
 * Roles of the CPU's table ("branch-misses"), perf's software and generic names,
 * rNNN, kernel PMUs ("cpu/event=0xc5/", "msr/tsc/"), tracepoints ("sched:name"),
 * libpfm4's names, groups in braces, and the modifiers :u :k :p (:pp :ppp).
 */
#ifndef CPUPROF_PMU_REQUEST_H
#define CPUPROF_PMU_REQUEST_H

#include "pmu/table.h"
#include "src/base/flight.h"

#include <linux/perf_event.h>

#define REQUEST_MAX 64

struct pmu_request {
	char name[96];			/* as it was asked for */
	struct perf_event_attr attr;	/* type, config*, exclude_*, precise_ip */
	bool fixed;			/* needs no general-purpose counter */
	int group;			/* events of one group share it; -1: none asked for */
	char leader[32];		/* role that must lead its group, "" */
};

struct pmu_requests {
	struct pmu_request v[REQUEST_MAX];
	size_t n;
};

/* Appends what text names. A name nobody knows is a sentence with the nearest
 * names. */
int pmu_requests_parse(struct pmu_requests *r, const char *text, const struct pmu_table *t,
		       struct flight *f, struct err *err);
/* Appends one role of the table. -ENOENT when the table has none. */
int pmu_requests_role(struct pmu_requests *r, const char *role, const struct pmu_table *t,
		      struct err *err);

#endif
