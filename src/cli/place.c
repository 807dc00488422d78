/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/cli/place.h"
#include "src/base/mem.h"
#include "src/result/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One that is not kept: files of ours, and no folders. */
static void remove_files(const char *dir)
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
		if (scratch_new(&p->scratch, &err) == 0)
			p->dir = xstrdup(p->scratch.dir);
	}
	if (!p->dir && !p->failed.code)
		p->failed = err;
}

void place_release(struct place *p)
{
	if (p->scratch.dir)
		scratch_drop(&p->scratch);
	else if (p->dir && p->made && !p->keep)
		remove_files(p->dir);
	free(p->dir);
	p->dir = NULL;
}
