/*
 * io.h - whole reads and writes. EINTR and short transfers are handled here
 * and nowhere else.
 */
#ifndef CPUPROF_BASE_IO_H
#define CPUPROF_BASE_IO_H

#include "src/base/buf.h"
#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Up to len bytes; fewer only at end of file. -errno on failure. */
ssize_t io_read(int fd, void *data, size_t len);
/* All len bytes: 0, or -errno (-ENOSPC, -EPIPE ...). */
int io_write(int fd, const void *data, size_t len);
/* A descriptor above the standard three, close-on-exec, or -errno: one of those may
 * be closed, and would be taken for what it is. */
int io_open_above(const char *path, int flags, unsigned mode);
/* Append the whole file to out, at most max bytes (-EFBIG beyond). */
int io_read_file(const char *path, size_t max, struct buf *out, struct err *err);
/* Replace path with data in one rename. */
int io_write_file(const char *path, const void *data, size_t len, struct err *err);
/* mkdir -p. */
int io_mkdirs(const char *path, struct err *err);

/* $XDG_CACHE_HOME/cpuprof/NAME or ~/.cache/cpuprof/NAME; the folder is made when
 * asked for. Caller frees; NULL without a home. */
char *io_cache_path(const char *name, bool make);

/* A whole regular file mapped read-only. Empty files give len 0, data NULL. */
struct io_map {
	const void *data;
	size_t len;
	uint64_t inode, dev, mtime_ns;
};
int io_map_file(const char *path, struct io_map *map, struct err *err);
void io_map_release(struct io_map *map);

#endif
