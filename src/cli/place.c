/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/cli/place.h"
#include "src/base/mem.h"
#include "src/base/paths.h"
#include "src/result/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void remove_folder(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

static char *temporary_folder(struct err *err)
{
	char *dir = xasprintf("%s/cpuprof-XXXXXX", paths_temporary());

	if (mkdtemp(dir))
		return dir;
	err_set(err, -errno, "cannot make a temporary folder '%s': %s", dir, strerror(errno));
	free(dir);
	return NULL;
}

void place_make(struct place *p, const char *output, bool save, const char *stamp,
		const char *workload)
{
	struct err err = { 0 };

	memset(p, 0, sizeof(*p));
	p->made = true;
	if (save) {
		/* A folder that was there holds what is not ours. */
		p->made = !output || access(output, F_OK) < 0;
		p->dir = bundle_create(output ? output : "cpuprof-results", output != NULL, stamp,
				       workload, &p->failed);
		p->keep = p->dir != NULL;
	}
	if (!p->dir) {
		p->made = true;
		p->dir = temporary_folder(&err);
	}
	if (!p->dir && !p->failed.code)
		p->failed = err;
}

void place_release(struct place *p)
{
	if (p->dir && p->made && !p->keep)
		remove_folder(p->dir);
	free(p->dir);
	p->dir = NULL;
}
