/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/counters.h"
#include "src/perf/event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool kernel_is_the_problem(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -EOPNOTSUPP;
}

/* Opens with kernel code, else without. Fills state. */
static int open_one(struct counters *c, struct flight *f, int i, struct perf_event_attr *a,
		    pid_t pid, int group)
{
	int fd = event_open(f, a, pid, -1, group, 0);

	c->state[i] = COUNTER_ALL;
	if (fd < 0 && kernel_is_the_problem(fd) && !a->exclude_kernel && !a->exclude_user) {
		a->exclude_kernel = a->exclude_hv = 1;
		fd = event_open(f, a, pid, -1, group, 0);
	}
	if (fd < 0)
		c->state[i] = fd;
	else if (a->exclude_kernel)
		c->state[i] = COUNTER_USER;
	c->fd[i] = fd;
	return fd;
}

/* The kernel says EINVAL both to what it does not know and to one too many. */
static bool opens_alone(struct perf_event_attr a, pid_t tid)
{
	int fd;

	a.pinned = 0;
	a.disabled = 1;
	fd = event_open(NULL, &a, tid, -1, -1, 0);
	event_close(NULL, fd);
	return fd >= 0;
}

void counters_open_self(struct counters *c, const struct perf_event_attr *attrs, int n)
{
	counters_open_thread(c, 0, attrs, n);
}

void counters_open_thread(struct counters *c, pid_t tid, const struct perf_event_attr *attrs, int n)
{
	memset(c, 0, sizeof(*c));
	c->n = n < COUNTERS_MAX ? n : COUNTERS_MAX;
	c->leader = -1;
	for (int i = 0; i < c->n; i++) {
		struct perf_event_attr a = attrs[i];

		a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING;
		a.pinned = c->leader < 0;
		open_one(c, NULL, i, &a, tid, c->leader < 0 ? -1 : c->fd[c->leader]);
		if (c->fd[i] >= 0 && c->leader < 0)
			c->leader = i;
		else if (c->fd[i] == -EINVAL && c->leader >= 0 && opens_alone(a, tid))
			c->state[i] = -E2BIG;
	}
}

int counters_read_self(struct counters *c, struct counters_reading *r)
{
	uint64_t v[3 + COUNTERS_MAX];
	int at = 3;

	memset(r, 0, sizeof(*r));
	if (c->leader < 0)
		return 0;
	/* A pinned group in error state reads as end of file. */
	if (read(c->fd[c->leader], v, sizeof(v)) < (ssize_t)(4 * sizeof(*v)))
		return -EBUSY;
	r->enabled_ns = v[1];
	r->running_ns = v[2];
	for (int i = 0; i < c->n; i++)
		if (c->fd[i] >= 0 && at < 3 + (int)v[0])
			r->value[i] = v[at++];
	return 0;
}

void counters_open_child(struct counters *c, struct flight *f, pid_t pid,
			 const struct perf_event_attr *attrs, int n)
{
	memset(c, 0, sizeof(*c));
	c->n = n < COUNTERS_MAX ? n : COUNTERS_MAX;
	c->leader = -1;
	for (int i = 0; i < c->n; i++) {
		struct perf_event_attr a = attrs[i];

		a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		a.disabled = a.inherit = a.enable_on_exec = 1;
		open_one(c, f, i, &a, pid, -1);
	}
}

void counters_read_child(struct counters *c, struct flight *f, uint64_t *value,
			 double *running_share)
{
	for (int i = 0; i < c->n; i++) {
		uint64_t v[3] = { 0 };
		const void *data;
		size_t len;

		value[i] = 0;
		running_share[i] = 0;
		if (c->fd[i] < 0)
			continue;
		if (flight_replaying(f)) {
			if (flight_get(f, "counter", &data, &len) && len == sizeof(v))
				memcpy(v, data, sizeof(v));
		} else {
			if (read(c->fd[i], v, sizeof(v)) != sizeof(v))
				memset(v, 0, sizeof(v));
			flight_put(f, "counter", v, sizeof(v));
		}
		value[i] = v[0];
		running_share[i] = v[1] ? (double)v[2] / (double)v[1] : 0;
		if (!v[2])	/* never ran: 0 would be a lie */
			c->state[i] = -EBUSY;
	}
}

void counters_close(struct counters *c, struct flight *f)
{
	for (int i = 0; i < c->n; i++)
		event_close(f, c->fd[i]);
	c->n = 0;
}
