/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/scratch.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PREFIX "cpuprof-"
#define LOCK ".cpuprof-lock"	/* held as long as somebody uses the folder */
#define TRIES 5
#define DEPTH 256		/* of folders in folders, two descriptors for each */
#define FULL_BYTES 65536u	/* less than this left is a full disk */

/* One without rights for its owner gets them, or it could not be emptied. */
static int open_folder(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int path = fd < 0 ? openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	char proc[64];

	if (path >= 0) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", path);
		if (chmod(proc, 0700) == 0)
			fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(path);
	}
	/* Without the right to write, nothing in it could be removed. */
	if (fd >= 0)
		fchmod(fd, 0700);
	return fd;
}

/* Locks a new folder: its descriptor, or -errno, also when a sweep was quicker. */
static int hold(const char *dir)
{
	char *path = xasprintf("%s/" LOCK, dir);
	int fd = io_open_above(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600), rc = fd;
	struct stat a, b;

	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &a) < 0 || stat(path, &b) < 0))
		rc = -errno;
	else if (fd >= 0 && (a.st_ino != b.st_ino || a.st_dev != b.st_dev))
		rc = -EAGAIN;
	if (rc < 0 && fd >= 0)
		close(fd);
	free(path);
	return rc;
}

static void remove_tree(const char *dir);

/* A folder whose lock nobody holds was left behind by one that was killed. */
static void sweep_one(const char *dir)
{
	char *path = xasprintf("%s/" LOCK, dir);
	struct stat st;
	int fd = -1;

	if (lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid())
		fd = io_open_above(path, O_RDWR | O_NOFOLLOW, 0);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		remove_tree(dir);
		/* Somebody who has not ended yet still writes there: the next one's. */
		if (access(dir, F_OK) == 0)
			close(io_open_above(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

static void sweep(void)
{
	DIR *d = opendir(paths_temporary());
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, PREFIX, strlen(PREFIX))) {
			char *path = xasprintf("%s/%s", paths_temporary(), e->d_name);

			sweep_one(path);
			free(path);
		}
	if (d)
		closedir(d);
}

/* A new folder that is held; -EAGAIN when a sweep was quicker. */
static int try_new(struct scratch *s)
{
	char *dir = xasprintf("%s/" PREFIX "XXXXXX", paths_temporary());

	s->dir = mkdtemp(dir) ? realpath(dir, NULL) : NULL;
	s->lock = s->dir ? hold(s->dir) : -errno;
	free(dir);
	if (s->lock < 0 && s->dir) {
		remove_tree(s->dir);
		free(s->dir);
		s->dir = NULL;
	}
	return s->lock < 0 ? s->lock : 0;
}

int scratch_new(struct scratch *s, struct err *err)
{
	int rc = -EAGAIN;

	sweep();
	for (int i = 0; i < TRIES && rc == -EAGAIN; i++)
		rc = try_new(s);
	return rc < 0 ? err_set(err, rc, "cannot make a scratch folder in '%s': %s", paths_temporary(),
				strerror(-rc)) : 0;
}

void scratch_drop(struct scratch *s)
{
	if (!s->dir)
		return;
	remove_tree(s->dir);
	close(s->lock);
	free(s->dir);
	s->dir = NULL;
}

int scratch_make(struct scratch *s, struct flight *f, struct err *err)
{
	const void *data;
	size_t len;
	int rc;

	if (flight_replaying(f)) {
		if (!flight_get(f, "scratch", &data, &len) || !len)
			return err_set(err, -ENOSPC, "no scratch folder could be made in the recorded run");
		s->dir = xstrndup(data, len);
		return 0;
	}
	rc = scratch_new(s, err);
	flight_put(f, "scratch", s->dir ? s->dir : "", s->dir ? strlen(s->dir) : 0);
	return rc;
}

/* Everything in an open folder. Names are never followed: what somebody else changes
 * meanwhile cannot lead elsewhere. */
static void empty(int fd, int depth)
{
	int again = depth < DEPTH ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	DIR *d = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *e;

	if (!d && again >= 0)
		close(again);
	while (d && (e = readdir(d))) {
		int sub;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || unlinkat(fd, e->d_name, 0) == 0)
			continue;
		sub = open_folder(fd, e->d_name);
		if (sub < 0)
			continue;
		empty(sub, depth + 1);
		close(sub);
		unlinkat(fd, e->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
}

static void remove_tree(const char *dir)
{
	int fd = open_folder(AT_FDCWD, dir);

	if (fd < 0)
		return;
	empty(fd, 0);
	close(fd);
	rmdir(dir);
}

void scratch_remove(struct scratch *s, struct flight *f)
{
	if (!flight_replaying(f)) {
		scratch_drop(s);
		return;
	}
	free(s->dir);
	s->dir = NULL;
}

bool scratch_full(struct flight *f, const struct scratch *scratch)
{
	struct statvfs s;
	int64_t full;

	if (flight_replaying(f))
		return flight_get_i64(f, "scratch full") > 0;
	full = statvfs(scratch->dir, &s) == 0 && s.f_bavail * s.f_frsize < FULL_BYTES;
	flight_put_i64(f, "scratch full", full);
	return full;
}
