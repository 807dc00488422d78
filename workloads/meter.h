/*
 * meter.h - allocation for libraries that take it as a pair of functions and a
 * pointer: malloc and free, and the most that was held at a time.
 */
#ifndef CPUPROF_WORKLOADS_METER_H
#define CPUPROF_WORKLOADS_METER_H

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

struct meter {
	uint64_t held, peak;	/* bytes, what malloc rounds up to included */
};

static inline void *meter_alloc(void *meter, size_t size)
{
	struct meter *m = meter;
	void *p = malloc(size);

	m->held += p ? malloc_usable_size(p) : 0;
	if (m->held > m->peak)
		m->peak = m->held;
	return p;
}

static inline void meter_free(void *meter, void *p)
{
	struct meter *m = meter;

	m->held -= p ? malloc_usable_size(p) : 0;
	free(p);
}

#endif
