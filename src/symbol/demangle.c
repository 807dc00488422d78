/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/demangle.h"
#include "src/base/lazy.h"

#include <stdlib.h>
#include <string.h>

/* Itanium C++ ABI, section 3.4, in libstdc++. */
typedef char *demangler(const char *mangled, char *out, size_t *len, int *status);

char *demangle(const char *name)
{
	static struct lazy_function cxa = { .name = "__cxa_demangle" };
	int status = 0;

	/* Longer names are hostile, and the demangler recurses. */
	if (name[0] != '_' || name[1] != 'Z' || strlen(name) > 2048 ||
	    lazy_load("libstdc++.so.6", &cxa, 1) < 0)
		return NULL;
	return ((demangler *)cxa.at)(name, NULL, NULL, &status);
}
