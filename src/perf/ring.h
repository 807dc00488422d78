/*
 * ring.h - the kernel's ring of records, mapped.
 *
 * Head is read with load-acquire, tail written with store-release, as
 * perf_event_open(2) asks. Bytes are handed out in place, in one or two
 * pieces; a record may lie across both.
 */
#ifndef CPUPROF_PERF_RING_H
#define CPUPROF_PERF_RING_H

#include "src/base/err.h"
#include "src/base/flight.h"

#include <stddef.h>
#include <stdint.h>

struct ring {
	void *base;		/* perf_event_mmap_page, then the data */
	uint8_t *data;
	size_t size;		/* of the data, a power of two */
	uint64_t tail;		/* consumed so far */
	int index;		/* names the ring in a flight */
};

/* Maps *pages data pages (a power of two) of fd; halved while the kernel says
 * EPERM or ENOMEM (locked memory), down to 1. *pages is what was got. */
int ring_open(struct ring *r, struct flight *f, int index, int fd, unsigned *pages,
	      struct err *err);
void ring_release(struct ring *r);

/* Hand everything that is there to sink (which may be called twice), then give
 * the room back. Returns the bytes handed out, or sink's negative code (the
 * bytes are consumed all the same). */
long ring_drain(struct ring *r, struct flight *f,
		int (*sink)(void *arg, const void *data, size_t len), void *arg);

#endif
