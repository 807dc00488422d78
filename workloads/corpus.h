/*
 * corpus.h - the bytes that compression workloads work on.
 *
 * The web corpus is made here, the same on every machine: HTML, CSS,
 * JavaScript, JSON, SVG and text whose compression ratios lie in the range of
 * real documents (tests/live/corpus.sh holds it to documents that Debian's
 * packages install).
 */
#ifndef CPUPROF_WORKLOADS_CORPUS_H
#define CPUPROF_WORKLOADS_CORPUS_H

#include "src/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct corpus_doc {
	const uint8_t *data;	/* into corpus.bytes */
	size_t len;
	const char *kind;	/* "html", "css", "js", "json", "svg", "txt", "file"; static */
};

struct corpus {
	uint8_t *bytes;		/* owned; all documents one after another */
	size_t len;		/* their sum */
	struct corpus_doc *docs;	/* owned */
	size_t n;
};

#define CORPUS_WEB_BYTES ((size_t)4 << 20)	/* the corpus scores are quoted on */

/* Exactly len bytes of documents of 1 to 200 KB, the kinds mixed as on web
 * pages. Deterministic: the same bytes for the same len on every machine. */
void corpus_web(struct corpus *c, size_t len);
/* The file as one document; an empty one, a folder or one over 1 GiB is an
 * error. */
int corpus_file(struct corpus *c, const char *path, struct err *err);
/* The file, or without one (NULL) the web corpus of len bytes; name is what
 * reports call it, "web corpus 4.0 MiB". */
int corpus_load(struct corpus *c, const char *path, size_t len, char *name,
		size_t name_size, struct err *err);
void corpus_release(struct corpus *c);

#endif
