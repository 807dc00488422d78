/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/result/reference.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE ((size_t)1 << 16)
#define MAX_FIELDS (2 + REFERENCE_COLUMNS)

static void release_rows(struct reference_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rows[i].key);
		free(rows[i].what);
		for (int c = 0; c < REFERENCE_COLUMNS; c++)
			free(rows[i].value[c]);
	}
	free(rows);
}

void reference_release(struct reference *r)
{
	release_rows(r->sources, r->n_sources);
	release_rows(r->rows, r->n_rows);
	release_rows(r->notes, r->n_notes);
	for (int c = 0; c < REFERENCE_COLUMNS; c++)
		free(r->column[c]);
	memset(r, 0, sizeof(*r));
}

/* Cuts a line at its bars, blanks around fields dropped; how many there are. */
static int cut(char *line, char *field[MAX_FIELDS])
{
	char *save = NULL;
	int n = 0;

	for (char *p = strtok_r(line, "|", &save); p; p = strtok_r(NULL, "|", &save)) {
		size_t len;

		if (n == MAX_FIELDS)
			return -1;
		p += strspn(p, " \t");
		len = strlen(p);
		while (len && (p[len - 1] == ' ' || p[len - 1] == '\t'))
			p[--len] = '\0';
		if (!len)
			return -1;
		field[n++] = p;
	}
	return n;
}

static bool known_source(const struct reference *r, const char *key)
{
	for (size_t i = 0; i < r->n_sources; i++)
		if (!strcmp(r->sources[i].key, key))
			return true;
	return false;
}

static struct reference_row make_row(const char *key, char *const *field, int n)
{
	struct reference_row row = { .key = xstrdup(key), .what = xstrdup(field[0]) };

	for (int c = 0; c + 1 < n; c++)
		row.value[c] = xstrdup(field[c + 1]);
	return row;
}

/* "KEY" of "row KEY", NULL when the line is another one. */
static const char *key_of(const char *first, const char *directive)
{
	size_t n = strlen(directive);

	return !strncmp(first, directive, n) && first[n] == ' ' && first[n + 1] ? first + n + 1 : NULL;
}

static bool take_line(struct reference *r, char *line)
{
	char *field[MAX_FIELDS];
	int n = cut(line, field);
	const char *key;

	if (n <= 0)
		return false;
	if (!strcmp(field[0], "columns") && n == 1 + REFERENCE_COLUMNS && !r->column[0]) {
		for (int c = 0; c < REFERENCE_COLUMNS; c++)
			r->column[c] = xstrdup(field[1 + c]);
	} else if ((key = key_of(field[0], "source")) && n == 3) {
		GROW(r->sources, r->n_sources, r->cap_sources);
		r->sources[r->n_sources++] = make_row(key, field + 1, 2);
	} else if ((key = key_of(field[0], "row")) && n == MAX_FIELDS && known_source(r, key)) {
		GROW(r->rows, r->n_rows, r->cap_rows);
		r->rows[r->n_rows++] = make_row(key, field + 1, MAX_FIELDS - 1);
	} else if ((key = key_of(field[0], "note")) && n == 2 && known_source(r, key)) {
		GROW(r->notes, r->n_notes, r->cap_notes);
		r->notes[r->n_notes++] = make_row(key, field + 1, 1);
	} else {
		return false;
	}
	return true;
}

int reference_parse(struct reference *r, const char *text, size_t len, struct err *err)
{
	const char *p = text, *end = text + len;

	for (int line = 1; p < end; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		char *copy = xstrndup(p, (size_t)((nl ? nl : end) - p));
		bool ok = !copy[strspn(copy, " \t")] || *copy == '#' || take_line(r, copy);

		free(copy);
		if (!ok) {
			reference_release(r);
			return err_set(err, -EINVAL, "line %d is no source, columns, row or note", line);
		}
		p = nl ? nl + 1 : end;
	}
	if (r->n_rows && r->column[0])
		return 0;
	reference_release(r);
	return err_set(err, -EINVAL, "no rows or no columns");
}

int reference_load(struct reference *r, const char *name, struct err *err)
{
	char *dir = paths_data("reports/reference"), *path;
	struct buf b = BUF_INIT;
	int rc;

	if (!dir)
		dir = paths_package("reports/reference", name);
	path = xasprintf("%s/%s", dir, name);
	free(dir);
	rc = io_read_file(path, MAX_FILE, &b, err);
	if (rc == 0) {
		rc = reference_parse(r, buf_str(&b), b.len, err);
		if (rc < 0)
			err_prefix(err, "'%s'", path);
	}
	buf_release(&b);
	free(path);
	return rc;
}
