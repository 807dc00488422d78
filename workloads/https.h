/*
 * https.h - asks an HTTPS server on this machine, by libssl; its certificate is not
 * looked at. To see that what a server gives is right, not to load it.
 */
#ifndef CPUPROF_WORKLOADS_HTTPS_H
#define CPUPROF_WORKLOADS_HTTPS_H

#include "src/base/buf.h"
#include "src/base/err.h"

#include <stddef.h>

struct https;

/* Loads libssl; -ENOPKG when there is none. Caller closes. */
int https_open(struct https **h, struct err *err);
void https_close(struct https *h);	/* NULL-safe */

/* The whole answer of 127.0.0.1:port to GET path, header and body, into out; headers:
 * further lines, each with its end. tls: what was negotiated, "TLSv1.3 TLS_AES_...";
 * may be NULL. */
int https_get(const struct https *h, int port, const char *path, const char *headers,
	      struct buf *out, char *tls, size_t size, struct err *err);

#endif
