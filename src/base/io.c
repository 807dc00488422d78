/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/io.h"
#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t io_read(int fd, void *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = read(fd, (char *)data + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int io_write(int fd, const void *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, (const char *)data + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

int io_open_above(const char *path, int flags, unsigned mode)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOCTTY, mode), up;

	if (fd < 0)
		return -errno;
	if (fd > 2)
		return fd;
	up = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	up = up < 0 ? -errno : up;
	close(fd);
	return up;
}

int io_read_file(const char *path, size_t max, struct buf *out, struct err *err)
{
	char chunk[16384];
	size_t total = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	for (;;) {
		ssize_t n = io_read(fd, chunk, sizeof(chunk));

		if (n < 0) {
			close(fd);
			return err_set(err, (int)n, "cannot read '%s': %s", path, strerror((int)-n));
		}
		if (n == 0)
			break;
		total += (size_t)n;
		if (total > max) {
			close(fd);
			return err_set(err, -EFBIG, "'%s' is larger than %zu bytes", path, max);
		}
		buf_add(out, chunk, (size_t)n);
	}
	close(fd);
	return 0;
}

int io_write_file(const char *path, const void *data, size_t len, struct err *err)
{
	char *tmp = xasprintf("%s.tmp", path);
	int fd, rc;

	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		rc = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
		free(tmp);
		return rc;
	}
	rc = io_write(fd, data, len);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(tmp, path) < 0)
		rc = -errno;
	if (rc < 0) {
		err_set(err, rc, "cannot write '%s': %s", path, strerror(-rc));
		unlink(tmp);
	}
	free(tmp);
	return rc;
}

int io_mkdirs(const char *path, struct err *err)
{
	char *p = xstrdup(path);
	struct stat st;
	int rc = 0;

	/* Nothing stands before the first character of a name. */
	for (char *s = p + (*p != '\0'); rc == 0; s++) {
		char c = *s;

		if (c != '/' && c != '\0')
			continue;
		*s = '\0';
		if (mkdir(p, 0777) < 0 && errno != EEXIST)
			rc = err_set(err, -errno, "cannot make folder '%s': %s", p, strerror(errno));
		*s = c;
		if (c == '\0')
			break;
	}
	if (rc == 0 && (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)))
		rc = err_set(err, -ENOTDIR, "'%s' is not a folder", path);
	free(p);
	return rc;
}

char *io_cache_path(const char *name, bool make)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *dir, *path;

	if (xdg && xdg[0] == '/')
		dir = xasprintf("%s/cpuprof", xdg);
	else if (home && home[0] == '/')
		dir = xasprintf("%s/.cache/cpuprof", home);
	else
		return NULL;
	path = make && io_mkdirs(dir, NULL) < 0 ? NULL : xasprintf("%s/%s", dir, name);
	free(dir);
	return path;
}

int io_map_file(const char *path, struct io_map *map, struct err *err)
{
	struct stat st;
	void *p;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	memset(map, 0, sizeof(*map));
	if (fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, -EINVAL, "'%s' is not a regular file", path);
	}
	map->inode = st.st_ino;
	map->dev = st.st_dev;
	map->mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	if (st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED) {
			close(fd);
			return err_set(err, -errno, "cannot map '%s': %s", path, strerror(errno));
		}
		map->data = p;
		map->len = (size_t)st.st_size;
	}
	close(fd);
	return 0;
}

void io_map_release(struct io_map *map)
{
	if (map->data)
		munmap((void *)map->data, map->len);
	memset(map, 0, sizeof(*map));
}
