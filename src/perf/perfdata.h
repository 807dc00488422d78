/*
 * perfdata.h - reading perf.data files: file and pipe mode, either byte order,
 * zstd-compressed, damaged. What can be salvaged is; what could not be read is
 * said in warnings. Memory does not grow with the number of records.
 *
 * Follows tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef CPUPROF_PERF_PERFDATA_H
#define CPUPROF_PERF_PERFDATA_H

#include "src/base/err.h"
#include "src/base/io.h"
#include "src/base/map.h"
#include "src/perf/record.h"

struct perfdata_event {
	struct event_layout layout;
	uint32_t type;
	uint64_t config, period;	/* period or frequency, as freq says */
	bool freq, exclude_kernel, exclude_user;
	char *name;			/* owned; as perf wrote it, or made from type */
	uint64_t *ids;			/* owned */
	size_t n_ids;
};

struct perfdata_build_id {
	uint8_t id[20];
	uint8_t len;
	uint16_t misc;			/* cpumode in the low bits */
	char *path;			/* owned */
};

struct perfdata_zstd;			/* decompression under way */

struct perfdata {
	struct io_map map;
	bool swap, pipe;
	struct perfdata_event *events;
	size_t n_events, cap_events;
	struct map by_id;		/* event id -> index + 1 */
	int id_offset;			/* of every sample's id, -1 when there is none */
	struct perfdata_build_id *build_ids;
	size_t n_build_ids, cap_build_ids;
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid, *cmdline;

	struct buf warnings;		/* lines; what could not be read */
	int n_warnings;

	size_t data_off, data_end, pos;
	size_t dropped;			/* file bytes given back to the page cache */
	struct perfdata_zstd *zstd;
	uint64_t n_handed, n_seen;	/* records since the rewind; the most ever */
	bool ended;			/* once; everything to warn of was said */
};

/* Opens and reads headers. 0, or a sentence. The file must stay until release.
 * Names, build-ids and warnings that the records bring are there once all have
 * been read; new events may move pd->events until then. */
int perfdata_open(struct perfdata *pd, const char *path, struct err *err);
void perfdata_release(struct perfdata *pd);

/* Records one after another, decompressed; borrowed until the next call.
 * 1, or 0 at the end (a damaged end adds a warning). */
int perfdata_next(struct perfdata *pd, struct record *r);
/* Start again from the first record. */
void perfdata_rewind(struct perfdata *pd);

/* The event a sample belongs to; NULL when its id is unknown. */
const struct perfdata_event *perfdata_event_of(const struct perfdata *pd,
					       const struct record *r);
const struct perfdata_event *perfdata_event_by_id(const struct perfdata *pd, uint64_t id);

#endif
