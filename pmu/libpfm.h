/*
 * libpfm.h - names of libpfm4 ("spr::BR_MISP_RETIRED:ALL_BRANCHES"). The only
 * file that includes libpfm4. Its codes are not checked against published
 * tables: tables in pmu/ are, and come first.
 */
#ifndef CPUPROF_PMU_LIBPFM_H
#define CPUPROF_PMU_LIBPFM_H

#include "src/base/err.h"

#include <linux/perf_event.h>
#include <stdbool.h>

/* Fills type and config. -ENOENT with a sentence when libpfm4 does not know it.
 * *here: the PMU it belongs to is one of this machine's, as far as libpfm4 knows. */
int libpfm_encode(const char *name, struct perf_event_attr *attr, bool *here, struct err *err);

#endif
