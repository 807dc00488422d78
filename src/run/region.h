/*
 * region.h - tells the model tool (pmu/model/tool.c) when to count. Means nothing,
 * and costs a nanosecond, outside of it.
 */
#ifndef CPUPROF_RUN_REGION_H
#define CPUPROF_RUN_REGION_H

#include <stdbool.h>

#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>

#define REGION_REQUEST VG_USERREQ_TOOL_BASE('C', 'P')

static inline void region_count(bool on)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(REGION_REQUEST, on, 0, 0, 0, 0);
}
#else
static inline void region_count(bool on)
{
	(void)on;
}
#endif

#endif
