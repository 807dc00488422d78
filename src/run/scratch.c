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

static struct held { char *dir; int fd; } held[4];

/* Holds a new folder; false when a sweep was quicker, or there are too many. */
static bool hold(const char *dir)
{
	char *path = xasprintf("%s/" LOCK, dir);
	struct held *h = held;
	struct stat a, b;
	bool ours;
	int fd;

	while (h < held + ARRAY_SIZE(held) && h->dir)
		h++;
	fd = h == held + ARRAY_SIZE(held) ? -1 :
		open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	ours = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &a) == 0 &&
		stat(path, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
	if (ours)
		*h = (struct held){ xstrdup(dir), fd };
	else if (fd >= 0)
		close(fd);
	free(path);
	return ours;
}

static void let_go(const char *dir)
{
	for (size_t i = 0; i < ARRAY_SIZE(held); i++)
		if (held[i].dir && !strcmp(held[i].dir, dir)) {
			close(held[i].fd);
			free(held[i].dir);
			held[i].dir = NULL;
		}
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

char *scratch_new(struct err *err)
{
	char *dir = xasprintf("%s/" PREFIX "XXXXXX", paths_temporary()), *full = NULL;

	sweep();
	if (mkdtemp(dir))
		full = realpath(dir, NULL);
	if (full && !hold(full)) {
		free(full);
		full = NULL;
	}
	if (!full)
		err_set(err, -errno, "cannot make a scratch folder in '%s': %s",
			paths_temporary(), strerror(errno));
	free(dir);
	return full;
}

void scratch_drop(const char *dir)
{
	remove_tree(dir);
	let_go(dir);
}

char *scratch_make(struct flight *f, struct err *err)
{
	const void *data;
	char *full;
	size_t len;

	if (flight_replaying(f)) {
		if (flight_get(f, "scratch", &data, &len) && len)
			return xstrndup(data, len);
		err_set(err, -ENOSPC, "no scratch folder could be made in the recorded run");
		return NULL;
	}
	full = scratch_new(err);
	flight_put(f, "scratch", full ? full : "", full ? strlen(full) : 0);
	return full;
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

void scratch_remove(struct flight *f, const char *dir)
{
	if (!flight_replaying(f))
		scratch_drop(dir);
}

bool scratch_full(struct flight *f, const char *dir)
{
	struct statvfs s;
	int64_t full;

	if (flight_replaying(f))
		return flight_get_i64(f, "scratch full") > 0;
	full = statvfs(dir, &s) == 0 && s.f_bavail * s.f_frsize < FULL_BYTES;
	flight_put_i64(f, "scratch full", full);
	return full;
}
