/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/demangle.h"

#include <stdlib.h>
#include <string.h>

/* Itanium C++ ABI, section 3.4, in libstdc++. */
extern char *__cxa_demangle(const char *mangled, char *out, size_t *len, int *status);

char *demangle(const char *name)
{
	int status = 0;

	/* Longer names are hostile, and the demangler recurses. */
	if (name[0] != '_' || name[1] != 'Z' || strlen(name) > 2048)
		return NULL;
	return __cxa_demangle(name, NULL, NULL, &status);
}
