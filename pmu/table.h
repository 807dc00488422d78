/*
 * table.h - what one microarchitecture can count and what follows from it, read
 * from one text file (pmu/NAME.pmu). pmu/README.md describes the format.
 *
 * Every number in a table names its source. A table that is wrong (an event a
 * metric needs is missing, a metric that needs itself, an unknown unit) is an
 * error with file and line.
 */
#ifndef CPUPROF_PMU_TABLE_H
#define CPUPROF_PMU_TABLE_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu_event {
	char role[32];		/* "branch-misses" */
	uint32_t type;		/* PERF_TYPE_RAW: the core PMU's config; _HARDWARE, _HW_CACHE */
	uint64_t code;
	bool fixed;		/* takes no general-purpose counter */
	unsigned precise;	/* highest precise_ip worth asking for */
	char leader[32];	/* role that must lead its group, "" */
	char source[24], published[80];
	int line;
};

struct pmu_metric {
	char name[32], unit[12];
	char formula[256];
	bool has_above, has_below;
	double above, below;	/* worth a cause beyond this */
	char source[24], published[80];
	int line;
};

struct pmu_cost {
	char role[32];
	double low, high;	/* cycles one of these may cost */
	char source[24], published[80];
};

/* What may cost cycles of the program's own: a share between two metrics in
 * percent. Causes within one another name the outer one as their parent. */
struct pmu_cause {
	char id[24], title[64];
	char low[32], high[32];	/* metrics; the cause is named beyond high's threshold */
	char evidence[32];	/* metric to show, "" */
	char sample[32];	/* role to sample for its place, "" */
	bool stack;		/* with branch stacks, where there are any */
	char parent[24];	/* id of a cause above, "" */
	char source[24], published[80];
	int line;
};

struct pmu_match {
	char vendor[24];	/* "*": any */
	int family, model_low, model_high, stepping_low, stepping_high;	/* -1: any */
};

struct pmu_source { char key[24], text[256]; };

struct pmu_table {
	char name[32], title[80], arch[16], libpfm[40];
	int width, counters;	/* 0: not known */
	struct pmu_match matches[16];
	size_t n_matches;
	struct pmu_source sources[16];
	size_t n_sources;
	struct pmu_event *events;	/* owned */
	size_t n_events, cap_events;
	struct pmu_metric *metrics;	/* owned */
	size_t n_metrics, cap_metrics;
	struct pmu_cost costs[16];
	size_t n_costs;
	struct pmu_cause causes[24];
	size_t n_causes;
};

/* text is the file's; file names it in errors. 0, or a sentence with
 * "FILE:LINE" in it. */
int pmu_table_parse(struct pmu_table *t, const char *text, const char *file, struct err *err);
void pmu_table_release(struct pmu_table *t);

/* How well it fits: 0 not at all, 1 a fallback for any CPU, 2 this CPU. */
int pmu_table_fits(const struct pmu_table *t, const char *arch, const char *vendor, int family,
		   int model, int stepping);

const struct pmu_event *pmu_table_event(const struct pmu_table *t, const char *role);
const struct pmu_metric *pmu_table_metric(const struct pmu_table *t, const char *name);
/* What a formula may name besides: WIDTH, ROLE.low and ROLE.high of a cost. */
bool pmu_table_constant(const struct pmu_table *t, const char *name, double *value);

#endif
