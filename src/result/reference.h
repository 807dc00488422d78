/*
 * reference.h - what others published, a file installed with the program
 * (reports/reference/2017.ref says how its lines look). Every row and note names
 * its source. Never part of a measured document.
 */
#ifndef CPUPROF_RESULT_REFERENCE_H
#define CPUPROF_RESULT_REFERENCE_H

#include "src/base/buf.h"
#include "src/base/err.h"

#include <stddef.h>

#define REFERENCE_COLUMNS 3

struct reference_row {			/* a row; of a note what is the sentence */
	char *key, *what;
	char *value[REFERENCE_COLUMNS];
};

struct reference {
	struct reference_row *sources;	/* what: title; value[0]: where */
	struct reference_row *rows, *notes;
	size_t n_sources, cap_sources, n_rows, cap_rows, n_notes, cap_notes;
	char *column[REFERENCE_COLUMNS];
};

void reference_release(struct reference *r);
/* Into zeroed r. A line that is none, or a row without a known source, is one
 * sentence with its number. */
int reference_parse(struct reference *r, const char *text, size_t len, struct err *err);
/* The file by its name among the package's data. */
int reference_load(struct reference *r, const char *name, struct err *err);

#endif
