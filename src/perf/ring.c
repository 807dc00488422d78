/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/perf/ring.h"
#include "src/base/buf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_open(struct ring *r, struct flight *f, int index, int fd, unsigned *pages,
	      struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = MAP_FAILED;

	memset(r, 0, sizeof(*r));
	r->index = index;
	if (flight_replaying(f)) {
		int64_t got = flight_get_i64(f, "ring pages");

		if (got <= 0)
			return err_set(err, -ENODATA, "the flight holds no ring %d", index);
		*pages = (unsigned)got;
		return 0;
	}
	while (*pages) {
		p = mmap(NULL, page * (*pages + 1), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p != MAP_FAILED || (errno != EPERM && errno != ENOMEM))
			break;
		*pages /= 2;
	}
	if (p == MAP_FAILED)
		return err_set(err, -errno, "cannot map a perf ring: %s%s", strerror(errno),
			       errno == EPERM ? " (locked memory: raise ulimit -l or "
			       "kernel.perf_event_mlock_kb)" : "");
	r->base = p;
	r->data = (uint8_t *)p + page;
	r->size = page * *pages;
	flight_put_i64(f, "ring pages", *pages);
	return 0;
}

void ring_release(struct ring *r)
{
	if (r->base)
		munmap(r->base, r->size + (size_t)(r->data - (uint8_t *)r->base));
	memset(r, 0, sizeof(*r));
}

static long replay_drain(struct ring *r, struct flight *f,
			 int (*sink)(void *arg, const void *data, size_t len), void *arg)
{
	char key[32];
	const void *data;
	size_t len;
	int rc;

	snprintf(key, sizeof(key), "ring %d", r->index);
	if (!flight_get(f, key, &data, &len) || len == 0)
		return 0;
	rc = sink(arg, data, len);
	return rc < 0 ? rc : (long)len;
}

/* Store what the ring holds, in one piece, in the flight. */
static void keep(struct ring *r, struct flight *f, uint64_t head)
{
	char key[32];
	size_t len = (size_t)(head - r->tail), off = r->tail & (r->size - 1);
	size_t first = len < r->size - off ? len : r->size - off;
	struct buf b = BUF_INIT;

	snprintf(key, sizeof(key), "ring %d", r->index);
	buf_add(&b, r->data + off, first);
	buf_add(&b, r->data, len - first);
	flight_put(f, key, b.data, b.len);
	buf_release(&b);
}

long ring_drain(struct ring *r, struct flight *f,
		int (*sink)(void *arg, const void *data, size_t len), void *arg)
{
	struct perf_event_mmap_page *meta = r->base;
	uint64_t head;
	size_t len, off, first;
	int rc = 0;

	if (flight_replaying(f))
		return replay_drain(r, f, sink, arg);
	head = __atomic_load_n(&meta->data_head, __ATOMIC_ACQUIRE);
	len = (size_t)(head - r->tail);
	if (flight_recording(f))
		keep(r, f, head);
	if (len == 0)
		return 0;
	off = r->tail & (r->size - 1);
	first = len < r->size - off ? len : r->size - off;
	rc = sink(arg, r->data + off, first);
	if (rc >= 0 && first < len)
		rc = sink(arg, r->data, len - first);
	r->tail = head;
	__atomic_store_n(&meta->data_tail, head, __ATOMIC_RELEASE);
	return rc < 0 ? rc : (long)len;
}
