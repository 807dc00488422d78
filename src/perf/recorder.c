/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/perf/recorder.h"
#include "src/base/mem.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int open_cpu(struct recorder *r, size_t c, pid_t pid, int cpu, int *which,
		    const struct event_limits *limits, struct err *err)
{
	int *fds = r->fds + c * r->n_events;

	for (size_t e = 0; e < r->n_events; e++) {
		struct recorder_event *ev = &r->events[e];

		fds[e] = event_open(r->flight, &ev->attr, pid, cpu, -1, 0);
		if (fds[e] < 0) {
			*which = (int)e;
			return err_set(err, fds[e], "cannot open event %s on CPU %d: %s",
				       ev->name, cpu, event_errno_text(fds[e], limits));
		}
		r->ids[e * r->n_cpus + c] = event_id(r->flight, fds[e]);
	}
	if (ring_open(&r->rings[c], r->flight, (int)c, fds[0], &r->pages, err) < 0)
		return err->code;
	for (size_t e = 1; e < r->n_events; e++)
		event_ioctl(r->flight, fds[e], PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)fds[0]);
	return 0;
}

int recorder_open(struct recorder *r, struct flight *f, const struct recorder_event *events,
		  size_t n_events, pid_t pid, const int *cpus, size_t n_cpus, unsigned pages,
		  const char *path, int *which, struct err *err)
{
	struct writer_event *we;
	struct event_limits limits;
	struct err local = { 0 };
	int rc = 0;

	if (!err)
		err = &local;
	memset(r, 0, sizeof(*r));
	event_limits_read(f, &limits);
	*which = -1;
	r->flight = f;
	r->writer.fd = -1;
	r->n_events = n_events;
	r->n_cpus = n_cpus;
	r->pages = pages;
	r->events = xcalloc(n_events, sizeof(*events));
	memcpy(r->events, events, n_events * sizeof(*events));
	r->fds = xcalloc(n_cpus * n_events, sizeof(*r->fds));
	memset(r->fds, 0xff, n_cpus * n_events * sizeof(*r->fds));
	r->ids = xcalloc(n_cpus * n_events, sizeof(*r->ids));
	r->rings = xcalloc(n_cpus, sizeof(*r->rings));
	for (size_t c = 0; c < n_cpus && rc == 0; c++)
		rc = open_cpu(r, c, pid, cpus[c], which, &limits, err);
	if (rc == 0) {
		we = xcalloc(n_events, sizeof(*we));
		for (size_t e = 0; e < n_events; e++) {
			we[e].attr = r->events[e].attr;
			we[e].attr.size = sizeof(we[e].attr);
			we[e].name = r->events[e].name;
			we[e].ids = r->ids + e * n_cpus;
			we[e].n_ids = n_cpus;
		}
		rc = writer_open(&r->writer, path, we, n_events, err);
		free(we);
	}
	if (rc < 0)
		recorder_release(r);
	return rc;
}

int recorder_enable(struct recorder *r, size_t e, bool on)
{
	int rc = 0;

	for (size_t c = 0; c < r->n_cpus && rc == 0; c++)
		rc = event_ioctl(r->flight, r->fds[c * r->n_events + e],
				 on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	return rc;
}

/* A full disk must not stop the target: the rest is drained and dropped. */
static int sink(void *arg, const void *data, size_t len)
{
	struct recorder *r = arg;
	int rc = writer_add(&r->writer, data, len);

	if (rc < 0 && !r->write_error)
		r->write_error = rc;
	r->bytes += len;
	return 0;
}

int recorder_add(struct recorder *r, const void *records, size_t len)
{
	return sink(r, records, len);
}

static bool drain(struct recorder *r)
{
	bool any = false;

	for (size_t c = 0; c < r->n_cpus; c++)
		if (ring_drain(&r->rings[c], r->flight, sink, r) > 0)
			any = true;
	if (any && writer_round(&r->writer) < 0 && !r->write_error)
		r->write_error = r->writer.failed;
	return any;
}

int recorder_poll(struct recorder *r, int other_fd, int timeout_ms)
{
	struct pollfd *p;
	int ready;

	if (flight_replaying(r->flight)) {
		ready = flight_get_i64(r->flight, "recorder poll") != 0;
		drain(r);
		return ready;
	}
	p = xcalloc(r->n_cpus + 1, sizeof(*p));
	for (size_t c = 0; c < r->n_cpus; c++)
		p[c] = (struct pollfd){ r->fds[c * r->n_events], POLLIN, 0 };
	p[r->n_cpus] = (struct pollfd){ other_fd, POLLIN, 0 };
	if (poll(p, r->n_cpus + 1, timeout_ms) < 0)
		p[r->n_cpus].revents = 0;
	ready = p[r->n_cpus].revents != 0;
	free(p);
	flight_put_i64(r->flight, "recorder poll", ready);
	drain(r);
	return ready;
}

int recorder_read(struct recorder *r, size_t e, uint64_t v[3])
{
	const void *data;
	size_t len;

	memset(v, 0, 3 * sizeof(*v));
	if (flight_replaying(r->flight)) {
		if (!flight_get(r->flight, "recorder read", &data, &len) ||
		    len != 3 * sizeof(*v))
			return -ENODATA;
		memcpy(v, data, len);
		return 0;
	}
	for (size_t c = 0; c < r->n_cpus; c++) {
		uint64_t one[4];

		if (read(r->fds[c * r->n_events + e], one, sizeof(one)) != sizeof(one))
			return -EIO;
		for (int i = 0; i < 3; i++)
			v[i] += one[i];
	}
	flight_put(r->flight, "recorder read", v, 3 * sizeof(*v));
	return 0;
}

int recorder_finish(struct recorder *r, const struct writer_info *info, struct err *err)
{
	int rc;

	drain(r);
	rc = writer_finish(&r->writer, info, err);
	recorder_release(r);
	return rc;
}

void recorder_release(struct recorder *r)
{
	for (size_t c = 0; c < r->n_cpus && r->rings; c++)
		ring_release(&r->rings[c]);
	for (size_t i = 0; i < r->n_cpus * r->n_events && r->fds; i++)
		event_close(r->flight, r->fds[i]);
	if (r->writer.fd >= 0)
		writer_release(&r->writer);
	free(r->events);
	free(r->fds);
	free(r->ids);
	free(r->rings);
	memset(r, 0, sizeof(*r));
	r->writer.fd = -1;
}
