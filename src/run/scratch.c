/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/scratch.h"
#include "src/base/mem.h"
#include "src/base/paths.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FULL_BYTES 65536u	/* less than this left is a full disk */

char *scratch_make(struct flight *f, struct err *err)
{
	char *dir, *full = NULL;
	const void *data;
	size_t len;

	if (flight_replaying(f)) {
		if (flight_get(f, "scratch", &data, &len) && len)
			return xstrndup(data, len);
		err_set(err, -ENOSPC, "no scratch folder could be made in the recorded run");
		return NULL;
	}
	dir = xasprintf("%s/cpuprof-XXXXXX", paths_temporary());
	if (mkdtemp(dir))
		full = realpath(dir, NULL);
	if (!full)
		err_set(err, -errno, "cannot make a scratch folder in '%s': %s",
			paths_temporary(), strerror(errno));
	flight_put(f, "scratch", full ? full : "", full ? strlen(full) : 0);
	free(dir);
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

void scratch_remove(struct flight *f, const char *dir)
{
	if (flight_replaying(f))
		return;
	/* A folder that was closed is only walked the next time. */
	for (int i = 0; i < 16 && nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 &&
	     access(dir, F_OK) == 0; i++)
		nftw(dir, open_one, 16, FTW_PHYS);
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
