/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/parts.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions of Go's runtime by what they are for; the first that begins so. Sources:
 * the files of package runtime that they are in (mgc*.go, malloc.go, proc.go ...). */
static const struct { const char *prefix, *part; } go_rows[] = {
	{ "memmove", RESULT_GO_MOVES }, { "memclr", RESULT_GO_MOVES },
	{ "duffcopy", RESULT_GO_MOVES }, { "duffzero", RESULT_GO_MOVES },
	{ "typedmemmove", RESULT_GO_MOVES }, { "typedslicecopy", RESULT_GO_MOVES },
	{ "gc", RESULT_GO_GC }, { "(*gc", RESULT_GO_GC }, { "scanobject", RESULT_GO_GC },
	{ "scanblock", RESULT_GO_GC }, { "scanstack", RESULT_GO_GC },
	{ "scanframe", RESULT_GO_GC }, { "scanConservative", RESULT_GO_GC },
	{ "greyobject", RESULT_GO_GC }, { "markroot", RESULT_GO_GC },
	{ "markBits", RESULT_GO_GC }, { "(*markBits", RESULT_GO_GC },
	{ "findObject", RESULT_GO_GC }, { "spanOf", RESULT_GO_GC },
	{ "heapBits", RESULT_GO_GC }, { "(*wbBuf", RESULT_GO_GC }, { "wbBuf", RESULT_GO_GC },
	{ "sweep", RESULT_GO_GC }, { "(*sweep", RESULT_GO_GC }, { "bgsweep", RESULT_GO_GC },
	{ "(*mspan).sweep", RESULT_GO_GC }, { "bgscavenge", RESULT_GO_GC },
	{ "(*pageAlloc).scavenge", RESULT_GO_GC }, { "(*mheap).reclaim", RESULT_GO_GC },
	{ "(*lfstack", RESULT_GO_GC }, { "bulkBarrier", RESULT_GO_GC },
	{ "mallocgc", RESULT_GO_ALLOCATION }, { "newobject", RESULT_GO_ALLOCATION },
	{ "makeslice", RESULT_GO_ALLOCATION }, { "growslice", RESULT_GO_ALLOCATION },
	{ "nextFree", RESULT_GO_ALLOCATION }, { "(*mcache", RESULT_GO_ALLOCATION },
	{ "(*mcentral", RESULT_GO_ALLOCATION }, { "(*mheap", RESULT_GO_ALLOCATION },
	{ "(*mspan", RESULT_GO_ALLOCATION }, { "(*pageAlloc", RESULT_GO_ALLOCATION },
	{ "(*fixalloc", RESULT_GO_ALLOCATION }, { "rawstring", RESULT_GO_ALLOCATION },
	{ "rawbyteslice", RESULT_GO_ALLOCATION }, { "publicationBarrier", RESULT_GO_ALLOCATION },
	{ "deductAssistCredit", RESULT_GO_ALLOCATION }, { "roundupsize", RESULT_GO_ALLOCATION },
	{ "schedule", RESULT_GO_SCHEDULER }, { "findRunnable", RESULT_GO_SCHEDULER },
	{ "findrunnable", RESULT_GO_SCHEDULER }, { "park_m", RESULT_GO_SCHEDULER },
	{ "mcall", RESULT_GO_SCHEDULER }, { "gopark", RESULT_GO_SCHEDULER },
	{ "goready", RESULT_GO_SCHEDULER }, { "ready", RESULT_GO_SCHEDULER },
	{ "gosched", RESULT_GO_SCHEDULER }, { "gopreempt", RESULT_GO_SCHEDULER },
	{ "execute", RESULT_GO_SCHEDULER }, { "futex", RESULT_GO_SCHEDULER },
	{ "note", RESULT_GO_SCHEDULER }, { "stopm", RESULT_GO_SCHEDULER },
	{ "startm", RESULT_GO_SCHEDULER }, { "mPark", RESULT_GO_SCHEDULER },
	{ "wakep", RESULT_GO_SCHEDULER }, { "runq", RESULT_GO_SCHEDULER },
	{ "stealWork", RESULT_GO_SCHEDULER }, { "resetspinning", RESULT_GO_SCHEDULER },
	{ "netpoll", RESULT_GO_SCHEDULER }, { "usleep", RESULT_GO_SCHEDULER },
	{ "osyield", RESULT_GO_SCHEDULER }, { "procyield", RESULT_GO_SCHEDULER },
	{ "lock2", RESULT_GO_SCHEDULER }, { "unlock2", RESULT_GO_SCHEDULER },
	{ "sysmon", RESULT_GO_SCHEDULER }, { "retake", RESULT_GO_SCHEDULER },
	{ "checkTimers", RESULT_GO_SCHEDULER }, { "epollwait", RESULT_GO_SCHEDULER },
};

/* The part a function is counted with. */
static const char *part_of(const struct profile_function *f)
{
	if (!strncmp(f->name, "runtime.", 8))
		for (size_t i = 0; i < ARRAY_SIZE(go_rows); i++)
			if (!strncmp(f->name + 8, go_rows[i].prefix, strlen(go_rows[i].prefix)))
				return go_rows[i].part;
	return f->dso;
}

static int by_share(const void *a, const void *b)
{
	double x = ((const struct result_share *)a)->share, y = ((const struct result_share *)b)->share;

	return (x < y) - (x > y);
}

void parts_of_profile(const struct profile *p, const struct profile_event *e,
		      struct result_profile *out)
{
	struct result_share all[64];
	size_t n = 0;

	for (size_t i = 0; i < e->n_functions; i++) {
		const char *part = part_of(&e->functions[i]);
		size_t k = 0;

		/* Below, by its own parts. */
		if (p->has_entries && !strncmp(part, "[kernel", 7))
			continue;
		while (k < n && strncmp(all[k].name, part, sizeof(all[k].name) - 1))
			k++;
		if (k == n && n < ARRAY_SIZE(all) - PROFILE_SUBSYSTEMS) {
			snprintf(all[n].name, sizeof(all[n].name), "%s", part);
			all[n++].share = 0;
		}
		if (k < n)
			all[k].share += e->functions[i].share;
	}
	for (int i = 0; i < PROFILE_SUBSYSTEMS && p->has_entries; i++) {
		snprintf(all[n].name, sizeof(all[n].name), "kernel: %s",
			 profile_subsystem_name((enum profile_subsystem)i));
		all[n++].share = p->subsystem_share[i];
	}
	qsort(all, n, sizeof(*all), by_share);
	for (size_t i = 0; i < n && i < ARRAY_SIZE(out->parts) && all[i].share > 0; i++)
		out->parts[out->n_parts++] = all[i];
}
