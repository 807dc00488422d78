/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/paths.h"
#include "src/base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *paths_package(const char *name, const char *file)
{
	char exe[4096], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	bool there;

	exe[n > 0 ? n : 0] = '\0';
	for (int up = 0; up < 2; up++) {
		slash = strrchr(exe, '/');
		if (!slash)
			break;
		*slash = '\0';
		path = xasprintf("%s/%s/%s", exe, name, file);
		there = access(path, R_OK) == 0;
		free(path);
		if (there)
			return xasprintf("%s/%s", exe, name);
	}
	return xasprintf("%s/%s", PKGDATADIR, name);
}

char *paths_data(const char *name)
{
	const char *env = getenv("CPUPROF_DATA");

	return env && *env ? xasprintf("%s/%s", env, name) : NULL;
}

char *paths_config(const char *name)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/')
		return xasprintf("%s/cpuprof/%s", xdg, name);
	return home && home[0] == '/' ? xasprintf("%s/.config/cpuprof/%s", home, name) : NULL;
}

const char *paths_temporary(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}
