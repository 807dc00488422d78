/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/find.h"
#include "src/base/buf.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TABLE (1u << 20)

/* The folder of the tables, caller frees. */
static char *folder(void)
{
	char *dir = paths_data("pmu");

	return dir ? dir : paths_package("pmu", "generic-x86.pmu");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of *.pmu, blank-separated and sorted, through the flight. */
static int list(struct flight *f, struct buf *out, struct err *err)
{
	const void *data;
	size_t len, n = 0, cap = 0;
	char *dir, **names = NULL;
	struct dirent *e;
	DIR *d;

	if (flight_replaying(f)) {
		if (flight_get(f, "pmu tables", &data, &len))
			buf_add(out, data, len);
		return 0;
	}
	dir = folder();
	d = opendir(dir);
	if (!d) {
		err_set(err, -errno, "cannot read the event tables in '%s': %s", dir,
			strerror(errno));
		free(dir);
		return err->code;
	}
	while ((e = readdir(d))) {
		size_t l = strlen(e->d_name);

		if (l <= 4 || strcmp(e->d_name + l - 4, ".pmu"))
			continue;
		GROW(names, n, cap);
		names[n++] = xstrndup(e->d_name, l - 4);
	}
	closedir(d);
	free(dir);
	if (n)
		qsort(names, n, sizeof(*names), by_text);
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%s%s", i ? " " : "", names[i]);
		free(names[i]);
	}
	free(names);
	flight_put(f, "pmu tables", buf_str(out), out->len);
	return 0;
}

char **pmu_find_all(struct flight *f, struct err *err)
{
	struct buf b = BUF_INIT;
	char **names = NULL, *save = NULL;
	size_t n = 0, cap = 0;

	if (list(f, &b, err) < 0)
		return NULL;
	if (b.data)
		for (char *p = strtok_r(b.data, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
			GROW(names, n, cap);
			names[n++] = xstrdup(p);
		}
	GROW(names, n, cap);
	names[n] = NULL;
	buf_release(&b);
	return names;
}

int pmu_find_named(struct pmu_table *t, struct flight *f, const char *name, struct err *err)
{
	char *key = xasprintf("pmu table %s", name), *dir, *path;
	struct buf b = BUF_INIT;
	const void *data;
	size_t len;
	int rc = 0;

	if (flight_replaying(f)) {
		if (flight_get(f, key, &data, &len))
			buf_add(&b, data, len);
		else
			rc = err_set(err, -ENODATA, "the flight holds no event table '%s'", name);
		path = xasprintf("%s.pmu", name);
	} else {
		dir = folder();
		path = xasprintf("%s/%s.pmu", dir, name);
		free(dir);
		rc = io_read_file(path, MAX_TABLE, &b, err);
		if (rc == 0)
			flight_put(f, key, buf_str(&b), b.len);
	}
	if (rc == 0)
		rc = pmu_table_parse(t, buf_str(&b), path, err);
	free(key);
	free(path);
	buf_release(&b);
	return rc;
}

int pmu_find(struct pmu_table *t, struct flight *f, const char *arch, const char *vendor,
	     int family, int model, int stepping, struct err *err)
{
	char **names = pmu_find_all(f, err);
	int best = 0, rc = 0;

	if (!names)
		return err->code;
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; names[i]; i++) {
		struct pmu_table one;
		int fits;

		if (rc == 0)
			rc = pmu_find_named(&one, f, names[i], err);
		free(names[i]);
		if (rc < 0)
			continue;
		fits = pmu_table_fits(&one, arch, vendor, family, model, stepping);
		if (fits > best) {
			pmu_table_release(t);
			*t = one;
			best = fits;
		} else {
			pmu_table_release(&one);
		}
	}
	free(names);
	if (rc < 0)
		pmu_table_release(t);
	else if (!best)
		rc = err_set(err, -ENOENT, "no event table fits a %s CPU of vendor %s", arch,
			     vendor);
	return rc;
}
