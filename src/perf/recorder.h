/*
 * recorder.h - events on every CPU for one process and what it starts, their
 * rings, and the loop that carries records into a perf.data file.
 *
 * As perf record does it: one event per CPU with inherit, so that children and
 * threads are followed; all events of a CPU share one ring.
 */
#ifndef CPUPROF_PERF_RECORDER_H
#define CPUPROF_PERF_RECORDER_H

#include "src/perf/event.h"
#include "src/perf/ring.h"
#include "src/perf/writer.h"

struct recorder_event {
	struct perf_event_attr attr;
	const char *name;	/* borrowed while the recorder is open */
};

struct recorder {
	struct flight *flight;		/* borrowed */
	struct recorder_event *events;	/* owned copy */
	size_t n_events;
	size_t n_cpus;
	int *fds;			/* [cpu * n_events + event] */
	uint64_t *ids;			/* [event * n_cpus + cpu] */
	struct ring *rings;		/* one a CPU */
	unsigned pages;			/* got, a ring */
	struct writer writer;
	int write_error;		/* first failed write, negative errno */
	uint64_t bytes;
};

/* Opens events (disabled unless their attr says otherwise) on pid for all
 * cpus and the file. On -errno *which is the event that did not open
 * (-1: not an event's fault). */
int recorder_open(struct recorder *r, struct flight *f, const struct recorder_event *events,
		  size_t n_events, pid_t pid, const int *cpus, size_t n_cpus, unsigned pages,
		  const char *path, int *which, struct err *err);
/* Switch event e on or off everywhere. */
int recorder_enable(struct recorder *r, size_t e, bool on);
/* Records that must stand in front (maps from before). */
int recorder_add(struct recorder *r, const void *records, size_t len);
/* Wait for records, for other_fd (-1: none) to be readable, or timeout_ms;
 * carry what there is to the file. 1 when other_fd is readable, else 0. */
int recorder_poll(struct recorder *r, int other_fd, int timeout_ms);
/* What event e has counted in all, on all CPUs: value, time enabled and running.
 * Its read_format is both times and the id. */
int recorder_read(struct recorder *r, size_t e, uint64_t v[3]);
/* Last records, header, features. A full disk is a sentence; the file then
 * holds what was written before. */
int recorder_finish(struct recorder *r, const struct writer_info *info, struct err *err);
void recorder_release(struct recorder *r);

#endif
