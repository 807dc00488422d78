/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/lazy.h"

#include <dlfcn.h>

int lazy_load(const char *soname, struct lazy_function *v, size_t n)
{
	void *handle;

	if (n && v[0].at)
		return 0;
	handle = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
	for (size_t i = 0; handle && i < n; i++)
		v[i].at = dlsym(handle, v[i].name);
	for (size_t i = 0; i < n; i++)
		if (!v[i].at) {
			v[0].at = NULL;
			return -1;
		}
	return 0;
}
