/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/http.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The end of the line that begins at p, or NULL. */
static char *line_end(char *p, const char *end)
{
	char *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return nl;
}

/* The value of "KEY: value" when the line has that key; ends with 0. */
static const char *value_of(char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncasecmp(line, key, n) || line[n] != ':')
		return NULL;
	line += n + 1;
	return line + strspn(line, " \t");
}

/* Chunks into one piece, where the first one begins. */
static int join(char *body, char *end, size_t *len, struct err *err)
{
	char *p = body, *out = body;

	for (;;) {
		char *nl = line_end(p, end), *after;
		unsigned long n;

		if (!nl || !isxdigit((unsigned char)*p))
			return err_set(err, -EBADMSG, "the server's answer is cut short");
		*nl = '\0';
		n = strtoul(p, &after, 16);
		if (*after && *after != '\r' && *after != ';' && *after != ' ')
			return err_set(err, -EBADMSG, "the server's answer has a chunk of no length");
		p = nl + 1;
		if (!n)
			break;
		if (n > (size_t)(end - p) || (size_t)(end - p) - n < 2)
			return err_set(err, -EBADMSG, "the server's answer is cut short");
		memmove(out, p, n);
		out += n;
		p += n;
		p += *p == '\r';
		p += p < end && *p == '\n';
	}
	*len = (size_t)(out - body);
	return 0;
}

int http_parse(char *text, size_t len, struct http_answer *a, struct err *err)
{
	char *end = text + len, *p = text, *nl = line_end(p, end);
	unsigned long long length = 0;
	bool chunked = false, has_length = false;

	memset(a, 0, sizeof(*a));
	if (!nl)
		return err_set(err, -EBADMSG, "the server gave no answer");
	*nl = '\0';
	if (sscanf(p, "HTTP/1.%*1[01] %3d", &a->status) != 1 || a->status < 100)
		return err_set(err, -EBADMSG, "the server does not speak HTTP");
	for (p = nl + 1; (nl = line_end(p, end)); p = nl + 1) {
		const char *v;

		*nl = '\0';
		if (nl > p && nl[-1] == '\r')
			nl[-1] = '\0';
		if (!*p)
			break;
		if ((v = value_of(p, "Content-Length"))) {
			length = strtoull(v, NULL, 10);
			has_length = true;
		}
		if ((v = value_of(p, "Content-Encoding")))
			snprintf(a->encoding, sizeof(a->encoding), "%s", v);
		if ((v = value_of(p, "Transfer-Encoding")))
			chunked = !strcasecmp(v, "chunked");
	}
	if (!nl)
		return err_set(err, -EBADMSG, "the server's answer is cut short");
	a->body = nl + 1;
	a->len = (size_t)(end - a->body);
	if (chunked)
		return join(a->body, end, &a->len, err);
	if (has_length && length != a->len)
		return err_set(err, -EBADMSG, "the server's answer has %zu bytes, not %llu", a->len, length);
	return 0;
}
