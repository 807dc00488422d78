/*
 * find.h - the table of this machine's CPU, from the package's data folder:
 * $CPUPROF_DATA/pmu, beside the build tree, or where it was installed.
 */
#ifndef CPUPROF_PMU_FIND_H
#define CPUPROF_PMU_FIND_H

#include "pmu/table.h"
#include "src/base/flight.h"

/* The best fitting table; 0, or a sentence (-ENOENT: there is none). */
int pmu_find(struct pmu_table *t, struct flight *f, const char *arch, const char *vendor,
	     int family, int model, int stepping, struct err *err);
/* The table called name ("spr"). */
int pmu_find_named(struct pmu_table *t, struct flight *f, const char *name, struct err *err);
/* Names of all tables, sorted, NULL-terminated; caller frees each and all. */
char **pmu_find_all(struct flight *f, struct err *err);

#endif
