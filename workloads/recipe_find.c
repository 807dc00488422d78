/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/program.h"
#include "workloads/recipe.h"
#include "src/base/buf.h"
#include "src/base/flight.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE (64u << 10)
#define MAX_FOUND 1000u
#define SHIPPED "sha256sum" RECIPE_SUFFIX	/* in the package's folder, for sure */

/* Where names are looked for, the first first: one's own go before the package's. */
static int folders(char *out[3])
{
	int n = 0;

	out[n] = paths_data("workloads");
	n += out[n] != NULL;
	out[n] = paths_config("workloads");
	n += out[n] != NULL;
	out[n++] = paths_package("workloads", SHIPPED);
	return n;
}

/* The file called name; caller frees, NULL: there is none. */
static char *search(const char *name)
{
	size_t n = strlen(name), s = strlen(RECIPE_SUFFIX);
	const char *suffix = n > s && !strcmp(name + n - s, RECIPE_SUFFIX) ? "" : RECIPE_SUFFIX;
	char *dir[3], *path = NULL;
	int count = folders(dir);

	for (int i = 0; i < count; i++) {
		if (!path && *name) {
			path = xasprintf("%s/%s%s", dir[i], name, suffix);
			if (access(path, F_OK) < 0) {
				free(path);
				path = NULL;
			}
		}
		free(dir[i]);
	}
	return path;
}

/* The folder of a file, absolute; caller frees. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, (size_t)(slash - path) + (slash == path)) : xstrdup(".");
	char *full = realpath(dir, NULL), *copy = xstrdup(full ? full : dir);

	free(full);
	free(dir);
	return copy;
}

/* "FILE\0FOLDER\0TEXT" into out. */
static int read_real(const char *name, struct buf *out, struct err *err)
{
	char *path = strchr(name, '/') ? xstrdup(name) : search(name), *here;
	struct buf text = BUF_INIT;
	struct stat st;
	int rc;

	if (!path)
		return -ENOENT;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		rc = err_set(err, -EINVAL, "'%s' is not a regular file", path);
	else
		rc = io_read_file(path, MAX_FILE, &text, err);
	if (rc == 0) {
		here = folder_of(path);
		buf_add(out, path, strlen(path) + 1);
		buf_add(out, here, strlen(here) + 1);
		buf_add(out, buf_str(&text), text.len);
		free(here);
	}
	buf_release(&text);
	free(path);
	return rc;
}

int recipe_find(struct recipe *r, struct flight *f, const char *name, struct err *err)
{
	struct buf b = BUF_INIT;
	const char *here, *text;
	const void *data;
	size_t len;
	int rc = 0;

	memset(r, 0, sizeof(*r));
	if (!flight_replaying(f))
		rc = read_real(name, &b, err);
	else if (flight_get(f, "workload file", &data, &len))
		buf_add(&b, data, len);
	else
		rc = -ENOENT;
	if (rc == 0) {
		flight_put(f, "workload file", buf_str(&b), b.len);
		/* A flight is anybody's: its two ends of strings may be missing. */
		here = memchr(buf_str(&b), '\0', b.len);
		text = here ? memchr(here + 1, '\0', b.len - (size_t)(here + 1 - b.data)) : NULL;
		rc = text ? recipe_parse(r, text + 1, b.len - (size_t)(text + 1 - b.data), b.data,
					 here + 1, err) :
			err_set(err, -EINVAL, "the flight's workload file is damaged");
	}
	buf_release(&b);
	return rc;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Is there one of this name already, from a folder before? */
static bool have(char **files, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(strrchr(files[i], '/') + 1, name))
			return true;
	return false;
}

char **recipe_files(void)
{
	char *dir[3], **files = NULL;
	int count = folders(dir);
	size_t n = 0, cap = 0, s = strlen(RECIPE_SUFFIX);

	for (int i = 0; i < count; i++) {
		DIR *d = opendir(dir[i]);
		size_t before = n;
		struct dirent *e;

		while (d && (e = readdir(d)) && n < MAX_FOUND) {
			size_t l = strlen(e->d_name);

			if (l <= s || strcmp(e->d_name + l - s, RECIPE_SUFFIX) || have(files, n, e->d_name))
				continue;
			GROW(files, n, cap);
			files[n++] = xasprintf("%s/%s", dir[i], e->d_name);
		}
		if (d)
			closedir(d);
		free(dir[i]);
		if (n > before)
			qsort(files + before, n - before, sizeof(*files), by_text);
	}
	GROW(files, n, cap);
	files[n] = NULL;
	return files;
}

/* Where execvp would find program; caller frees, NULL: nowhere. */
static char *in_path(const struct recipe *r, const char *program)
{
	struct recipe_values v = { "1", "", r->here };
	const char *path = getenv("PATH");
	char *name = recipe_fill(program, &v), *own = NULL, *found;

	if (strchr(name, '/')) {
		if (access(name, X_OK) == 0)
			return name;
		free(name);
		return NULL;
	}
	for (size_t i = 0; i < r->n_env; i++)
		if (!strncmp(r->env[i], "PATH=", 5)) {
			free(own);
			own = recipe_fill(r->env[i] + 5, &v);
			path = own;
		}
	found = program_in(path ? path : "/bin:/usr/bin", name);
	free(own);
	free(name);
	return found;
}

static bool is_missing(const struct recipe *r, const char *program)
{
	char *path;

	if (program[0] == RECIPE_DIR)	/* made by set-up */
		return false;
	path = in_path(r, program);
	free(path);
	return !path;
}

/* The first program of n commands that is missing, NULL. */
static const char *first_missing(const struct recipe *r, const struct recipe_command *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c[i].argv && is_missing(r, c[i].argv[0]))
			return c[i].argv[0];
	return NULL;
}

static char *look_for_missing(const struct recipe *r)
{
	const char *program;
	char *name, *text;

	for (size_t i = 0; i < r->n_needs; i++)
		if (is_missing(r, r->needs[i].program))
			return xasprintf("'%s' is not installed (apt-get install %s)",
					 r->needs[i].program, r->needs[i].package);
	program = first_missing(r, &r->run, 1);
	program = program ? program : first_missing(r, &r->version, 1);
	program = program ? program : first_missing(r, r->setup.v, r->setup.n);
	program = program ? program : first_missing(r, r->verify.v, r->verify.n);
	program = program ? program : first_missing(r, r->teardown.v, r->teardown.n);
	if (!program)
		return NULL;
	name = recipe_fill(program, &(struct recipe_values){ "1", "", r->here });
	text = xasprintf("'%s' is not there, and %s names no package that has it", name, r->file);
	free(name);
	return text;
}

/* A text, "" for NULL, through the flight; takes real. */
static char *text_through(struct flight *f, const char *key, char *real)
{
	const void *data;
	size_t len;
	char *text;

	if (!flight_replaying(f)) {
		flight_put(f, key, real ? real : "", real ? strlen(real) : 0);
		return real;
	}
	if (!flight_get(f, key, &data, &len) || !len)
		return NULL;
	text = xcalloc(1, len + 1);
	memcpy(text, data, len);
	return text;
}

char *recipe_missing(const struct recipe *r, struct flight *f)
{
	return text_through(f, "workload missing", flight_replaying(f) ? NULL : look_for_missing(r));
}

char *recipe_program(const struct recipe *r, struct flight *f)
{
	return text_through(f, "workload program", flight_replaying(f) ? NULL :
			    in_path(r, r->run.argv[0]));
}
