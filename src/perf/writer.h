/*
 * writer.h - writing perf.data files that perf report, perf script and perf
 * buildid-list accept.
 *
 * A write that fails (full disk) is remembered: later ones do nothing, and
 * writer_finish() makes a complete file of what is on the disk if it can.
 */
#ifndef CPUPROF_PERF_WRITER_H
#define CPUPROF_PERF_WRITER_H

#include "src/base/buf.h"
#include "src/base/err.h"

#include <linux/perf_event.h>

struct writer_event {
	struct perf_event_attr attr;
	const char *name;		/* borrowed */
	const uint64_t *ids;		/* borrowed */
	size_t n_ids;
};

struct writer_build_id {
	uint8_t id[20];
	uint8_t len;
	uint16_t cpumode;		/* PERF_RECORD_MISC_KERNEL or _USER */
	const char *path;		/* borrowed */
};

/* What the file says of the recording; any string may be NULL. */
struct writer_info {
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_online, cpus_available;
	uint64_t total_mem_kb;
	char *const *argv;		/* NULL-terminated */
	const struct writer_build_id *build_ids;
	size_t n_build_ids;
};

struct writer {
	int fd;
	int failed;			/* first error, negative errno */
	uint64_t data_off, data_len;
	uint64_t attrs_off;
	size_t n_events;
	struct buf desc;		/* the EVENT_DESC feature */
	struct buf pending;
};

int writer_open(struct writer *w, const char *path, const struct writer_event *events,
		size_t n, struct err *err);
/* Records, whole or in pieces: 0, or the first error there was. */
int writer_add(struct writer *w, const void *records, size_t len);
/* FINISHED_ROUND: everything so far may be put in order. */
int writer_round(struct writer *w);
/* Header and features; closes. -errno with a sentence when anything was lost. */
int writer_finish(struct writer *w, const struct writer_info *info, struct err *err);
void writer_release(struct writer *w);

/* Build records as the kernel would, for maps that existed before. */
void writer_mmap2(struct buf *out, uint32_t pid, uint64_t addr, uint64_t len,
		  uint64_t pgoff, uint64_t inode, const char *path, size_t id_bytes,
		  uint16_t cpumode);

#endif
