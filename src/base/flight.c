/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/flight.h"
#include "src/base/buf.h"
#include "src/base/cursor.h"
#include "src/base/io.h"
#include "src/base/map.h"
#include "src/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAGIC "cpuprof flight 1\n"
#define MAX_FLIGHT ((size_t)1 << 30)

struct entry {
	uint64_t hash;
	const char *key;
	size_t key_len;
	const void *data;
	size_t len;
	size_t next;		/* next entry with the same hash, 0 = none */
};

struct flight {
	bool replay;
	int fd;			/* recording */
	int failed;		/* first write error */
	char *path;
	struct buf pending;	/* recording: not yet written */
	struct io_map file;	/* replay */
	struct entry *entries;	/* replay; [0] is unused */
	size_t n, cap;
	struct map head;	/* hash -> index of the next entry to hand out */
};

static void release(struct flight *f)
{
	if (f->fd >= 0)
		close(f->fd);
	io_map_release(&f->file);
	buf_release(&f->pending);
	map_release(&f->head);
	free(f->entries);
	free(f->path);
	free(f);
}

static struct flight *new_flight(const char *path, bool replay)
{
	struct flight *f = xcalloc(1, sizeof(*f));

	f->fd = -1;
	f->replay = replay;
	f->path = xstrdup(path);
	return f;
}

struct flight *flight_record(const char *path, struct err *err)
{
	struct flight *f = new_flight(path, false);

	f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (f->fd < 0) {
		err_set(err, -errno, "cannot write flight '%s': %s", path, strerror(errno));
		release(f);
		return NULL;
	}
	buf_adds(&f->pending, MAGIC);
	return f;
}

static int index_entries(struct flight *f, struct err *err)
{
	struct cursor c = cursor_of(f->file.data, f->file.len, false);
	const void *magic = cursor_bytes(&c, strlen(MAGIC));
	struct map last = MAP_INIT;

	if (!magic || memcmp(magic, MAGIC, strlen(MAGIC)))
		return err_set(err, -EINVAL, "'%s' is not a cpuprof flight", f->path);
	f->n = 1;
	while (cursor_left(&c)) {
		struct entry e = { 0 };
		uint64_t *v;
		bool fresh;

		e.key_len = cursor_u32(&c);
		e.len = cursor_u32(&c);
		e.key = cursor_bytes(&c, e.key_len);
		e.data = cursor_bytes(&c, e.len);
		if (c.bad) {
			map_release(&last);
			return err_set(err, -EINVAL, "flight '%s' is cut off after %zu entries",
				       f->path, f->n - 1);
		}
		e.hash = hash_bytes(e.key, e.key_len);
		GROW(f->entries, f->n, f->cap);
		f->entries[f->n] = e;
		v = map_put(&last, e.hash, &fresh);
		if (fresh)
			*map_put(&f->head, e.hash, NULL) = f->n;
		else
			f->entries[*v].next = f->n;
		*v = f->n++;
	}
	map_release(&last);
	return 0;
}

struct flight *flight_replay(const char *path, struct err *err)
{
	struct flight *f = new_flight(path, true);

	if (io_map_file(path, &f->file, err) < 0 ||
	    (f->file.len > MAX_FLIGHT &&
	     err_set(err, -EFBIG, "flight '%s' is larger than 1 GiB", path)) ||
	    index_entries(f, err) < 0) {
		release(f);
		return NULL;
	}
	return f;
}

static void flush(struct flight *f)
{
	int rc = f->failed ? 0 : io_write(f->fd, f->pending.data, f->pending.len);

	if (rc < 0)
		f->failed = rc;
	buf_clear(&f->pending);
}

int flight_close(struct flight *f, struct err *err)
{
	int rc = 0;

	if (!f)
		return 0;
	if (!f->replay) {
		flush(f);
		if (close(f->fd) < 0 && !f->failed)
			f->failed = -errno;
		f->fd = -1;
		if (f->failed)
			rc = err_set(err, f->failed, "flight '%s' is incomplete: %s",
				     f->path, strerror(-f->failed));
	}
	release(f);
	return rc;
}

bool flight_replaying(const struct flight *f)
{
	return f && f->replay;
}

bool flight_recording(const struct flight *f)
{
	return f && !f->replay;
}

void flight_put(struct flight *f, const char *key, const void *data, size_t len)
{
	if (!flight_recording(f))
		return;
	buf_addu32(&f->pending, (uint32_t)strlen(key));
	buf_addu32(&f->pending, (uint32_t)len);
	buf_adds(&f->pending, key);
	buf_add(&f->pending, data, len);
	if (f->pending.len > 1 << 16)
		flush(f);
}

bool flight_get(struct flight *f, const char *key, const void **data, size_t *len)
{
	size_t key_len = strlen(key);
	uint64_t *v;
	struct entry *e;

	if (!flight_replaying(f))
		return false;
	v = map_find(&f->head, hash_bytes(key, key_len));
	if (!v || !*v)
		return false;
	e = &f->entries[*v];
	if (e->key_len != key_len || memcmp(e->key, key, key_len))
		return false;
	*data = e->data;
	*len = e->len;
	*v = e->next;
	return true;
}

void flight_put_i64(struct flight *f, const char *key, int64_t v)
{
	flight_put(f, key, &v, sizeof(v));
}

int64_t flight_get_i64(struct flight *f, const char *key)
{
	const void *data;
	size_t len;
	int64_t v;

	if (!flight_get(f, key, &data, &len) || len != sizeof(v))
		return -ENODATA;
	memcpy(&v, data, sizeof(v));
	return v;
}

int flight_read_text(struct flight *f, const char *path, struct buf *out)
{
	char *key = xasprintf("text %s", path);
	size_t before = out->len, len;
	const void *data;
	int64_t rc;

	if (flight_replaying(f)) {
		rc = flight_get_i64(f, key);
		if (rc == 0 && flight_get(f, key, &data, &len))
			buf_add(out, data, len);
	} else {
		rc = io_read_file(path, (size_t)16 << 20, out, NULL);
		flight_put_i64(f, key, rc);
		if (rc == 0)
			flight_put(f, key, out->data ? out->data + before : "",
				   out->len - before);
	}
	free(key);
	return (int)rc;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_folder(const char *path, struct buf *out)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char **line = NULL;
	size_t n = 0, cap = 0;

	if (!d)
		return -errno;
	while ((e = readdir(d)) && n < 4096) {
		char *file = xasprintf("%s/%s", path, e->d_name);
		struct buf b = BUF_INIT;

		if (e->d_name[0] != '.' && io_read_file(file, 1 << 16, &b, NULL) == 0) {
			GROW(line, n, cap);
			line[n++] = xasprintf("%s %.*s\n", e->d_name,
					      (int)strcspn(buf_str(&b), "\n"), buf_str(&b));
		}
		buf_release(&b);
		free(file);
	}
	closedir(d);
	if (n)
		qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++) {
		buf_adds(out, line[i]);
		free(line[i]);
	}
	free(line);
	return 0;
}

int flight_read_folder(struct flight *f, const char *path, struct buf *out)
{
	char *key = xasprintf("folder %s", path);
	size_t before = out->len, len;
	const void *data;
	int rc = 0;

	if (flight_replaying(f)) {
		if (flight_get(f, key, &data, &len))
			buf_add(out, data, len);
		else
			rc = -ENOENT;
	} else {
		rc = list_folder(path, out);
		if (rc == 0)
			flight_put(f, key, out->data ? out->data + before : "", out->len - before);
	}
	free(key);
	return rc;
}

static uint64_t clock_through(struct flight *f, const char *key, clockid_t id)
{
	struct timespec ts;
	uint64_t ns;

	if (flight_replaying(f))
		return (uint64_t)flight_get_i64(f, key);
	clock_gettime(id, &ts);
	ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	flight_put_i64(f, key, (int64_t)ns);
	return ns;
}

uint64_t flight_now_ns(struct flight *f)
{
	return clock_through(f, "clock raw", CLOCK_MONOTONIC_RAW);
}

uint64_t flight_wall_ns(struct flight *f)
{
	return clock_through(f, "clock wall", CLOCK_REALTIME);
}
