/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/scratch.h"
#include "src/base/mem.h"
#include "src/base/paths.h"
#include "src/base/unprivileged.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PREFIX "cpuprof-"
#define FULL_BYTES 65536u	/* less than this left is a full disk */

#define LOCK ".cpuprof-lock"	/* held as long as somebody uses the folder */

/* Locks a new folder: its descriptor, or -errno, also when a sweep was quicker. */
static int hold(const char *dir)
{
	char *path = xasprintf("%s/" LOCK, dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), rc = fd;
	struct stat a, b;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &a) < 0 || stat(path, &b) < 0)
		rc = -errno;
	else if (a.st_ino != b.st_ino || a.st_dev != b.st_dev)
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

	if (lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && unprivileged_ours(st.st_uid))
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		remove_tree(dir);
		/* Somebody who has not ended yet still writes there: the next one's. */
		if (access(dir, F_OK) == 0)
			close(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
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

int scratch_new(struct scratch *s, struct err *err)
{
	char *dir = xasprintf("%s/" PREFIX "XXXXXX", paths_temporary());
	int rc = 0;

	sweep();
	s->dir = mkdtemp(dir) ? realpath(dir, NULL) : NULL;
	s->lock = s->dir ? hold(s->dir) : -errno;
	if (s->lock < 0) {
		rc = err_set(err, s->lock, "cannot make a scratch folder in '%s': %s", paths_temporary(),
			     strerror(-s->lock));
		if (s->dir)
			rmdir(s->dir);
		free(s->dir);
		s->dir = NULL;
	}
	free(dir);
	return rc;
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

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_DP || type == FTW_DNR)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

/* A folder without rights for its owner could not be emptied. */
static int open_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if ((type == FTW_D || type == FTW_DNR) && (st->st_mode & 0700) != 0700)
		chmod(path, 0700);
	return 0;
}

static void remove_tree(const char *dir)
{
	/* A folder that was closed is only walked the next time. */
	for (int i = 0; i < 16 && nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 &&
	     access(dir, F_OK) == 0; i++)
		nftw(dir, open_one, 16, FTW_PHYS);
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
