/*
 * http.h - an answer of an HTTP/1.1 server whose connection ends with it (RFC 9112).
 * Nothing of it is trusted.
 */
#ifndef CPUPROF_WORKLOADS_HTTP_H
#define CPUPROF_WORKLOADS_HTTP_H

#include "src/base/err.h"

#include <stddef.h>

struct http_answer {
	int status;			/* 200 */
	char encoding[16];		/* Content-Encoding, "" none */
	char *body;			/* within the text that was parsed */
	size_t len;
};

/* Takes apart what a connection gave, in place: a chunked body is put together. 0,
 * or a sentence, also when the body is shorter than was said. */
int http_parse(char *text, size_t len, struct http_answer *a, struct err *err);

#endif
