/*
 * unzstd.h - records out of the zstd stream that COMPRESSED records carry.
 * Output is made a piece at a time, so that a small file cannot ask for much
 * memory; a record may be split over two compressed ones.
 */
#ifndef CPUPROF_PERF_UNZSTD_H
#define CPUPROF_PERF_UNZSTD_H

#include "src/perf/record.h"

struct perfdata_zstd;

struct perfdata_zstd *unzstd_new(void);
void unzstd_free(struct perfdata_zstd *z);	/* NULL-safe */
/* The payload of a COMPRESSED or COMPRESSED2 record; borrowed until used up. */
void unzstd_feed(struct perfdata_zstd *z, const struct record *r);
/* 1 with a record (borrowed until the next call), 0 when more input is
 * wanted, -EINVAL when the stream is damaged (once; it then yields nothing). */
int unzstd_next(struct perfdata_zstd *z, bool swap, struct record *r);

#endif
