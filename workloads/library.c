/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two paths of one file. */
static bool same_file(const char *a, const char *real)
{
	char *asked = realpath(a, NULL);
	bool same = asked && !strcmp(asked, real);

	free(asked);
	return same;
}

static int find_functions(void *handle, const struct library *lib, const char *name,
			  void *functions, struct err *err)
{
	for (size_t i = 0; lib->names[i]; i++) {
		void *f = dlsym(handle, lib->names[i]);

		if (!f)
			return err_set(err, -ENOENT, "'%s' is not the %s that is needed: it has no %s",
				       name, lib->title, lib->names[i]);
		memcpy((char *)functions + i * sizeof(f), &f, sizeof(f));
	}
	return 0;
}

/* Which file a function of the library lies in, as it was really loaded. */
static int find_path(const struct library *lib, const char *asked, void *functions,
		     struct workload_info *info, struct err *err)
{
	Dl_info where;
	char *real;
	void *f;
	int rc = 0;

	memcpy(&f, functions, sizeof(f));
	if (!dladdr(f, &where) || !where.dli_fname)
		return err_set(err, -ENOENT, "cannot tell where %s was loaded from", lib->title);
	real = realpath(where.dli_fname, NULL);
	snprintf(info->library_path, sizeof(info->library_path), "%s",
		 real ? real : where.dli_fname);
	if (asked && real && !same_file(asked, real))
		rc = err_set(err, -EINVAL, "asked for %s '%s', but '%s' was loaded", lib->title,
			     asked, where.dli_fname);
	free(real);
	return rc;
}

int library_open(void **handle, const struct library *lib, const char *path, void *functions,
		 struct workload_info *info, struct err *err)
{
	const char *name = path ? path : lib->soname;
	int flags = RTLD_NOW | RTLD_LOCAL, rc;

#ifndef CPUPROF_ASAN
	/* Another build of it may already be in the process, as zlib is for
	 * libelf: the one under test must call its own functions, not that one's. */
	flags |= RTLD_DEEPBIND;
#endif
	*handle = dlopen(name, flags);
	if (!*handle)
		return err_set(err, path ? -ENOENT : -ENOPKG, "cannot load %s: %s", lib->title,
			       dlerror());
	rc = find_functions(*handle, lib, name, functions, err);
	if (rc == 0 && info)
		rc = find_path(lib, path, functions, info, err);
	if (rc < 0) {
		dlclose(*handle);
		*handle = NULL;
	}
	return rc;
}
