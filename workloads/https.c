/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/https.h"
#include "src/base/mem.h"
#include "workloads/library.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define MAX_ANSWER ((size_t)64 << 20)
#define WAIT_S 10

#define FUNCTIONS(X) \
	X(TLS_client_method) X(SSL_CTX_new) X(SSL_CTX_free) X(SSL_new) X(SSL_free) X(SSL_set_fd) \
	X(SSL_connect) X(SSL_read) X(SSL_write) X(SSL_get_version) X(SSL_get_current_cipher) \
	X(SSL_CIPHER_get_name)

struct https {
	struct { FUNCTIONS(LIBRARY_MEMBER) } f;
	void *handle;
	SSL_CTX *context;
};

static const char *const names[] = { FUNCTIONS(LIBRARY_NAME) NULL };
static const struct library library = { "libssl", "libssl.so.3", names };

int https_open(struct https **out, struct err *err)
{
	struct https *h = xcalloc(1, sizeof(*h));

	*out = NULL;
	if (library_open(&h->handle, &library, NULL, &h->f, NULL, err) < 0) {
		free(h);
		return err->code;
	}
	h->context = h->f.SSL_CTX_new(h->f.TLS_client_method());
	if (!h->context) {
		https_close(h);
		return err_set(err, -EIO, "libssl gives no context");
	}
	*out = h;
	return 0;
}

void https_close(struct https *h)
{
	if (!h)
		return;
	if (h->context)
		h->f.SSL_CTX_free(h->context);
	dlclose(h->handle);
	free(h);
}

static int connect_to(int port, struct err *err)
{
	const struct timeval limit = { WAIT_S, 0 };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) },
				 .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
			return fd;
	}
	rc = err_set(err, -errno, "cannot connect to 127.0.0.1:%d: %s", port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int talk(const struct https *h, SSL *ssl, const char *request, struct buf *out,
		struct err *err)
{
	char room[16384];
	int n;

	if (h->f.SSL_connect(ssl) != 1)
		return err_set(err, -EPROTO, "no TLS with the server");
	n = h->f.SSL_write(ssl, request, (int)strlen(request));
	if (n != (int)strlen(request))
		return err_set(err, -EIO, "the server takes no request");
	while ((n = h->f.SSL_read(ssl, room, sizeof(room))) > 0) {
		buf_add(out, room, (size_t)n);
		if (out->len > MAX_ANSWER)
			return err_set(err, -EFBIG, "the server's answer has no end");
	}
	return 0;
}

int https_get(const struct https *h, int port, const char *path, const char *headers,
	      struct buf *out, char *tls, size_t size, struct err *err)
{
	char *request = xasprintf("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n",
				  path, headers);
	int fd = connect_to(port, err), rc = fd;
	SSL *ssl = fd >= 0 ? h->f.SSL_new(h->context) : NULL;

	if (fd >= 0) {
		rc = ssl && h->f.SSL_set_fd(ssl, fd) ? talk(h, ssl, request, out, err) :
			err_set(err, -ENOMEM, "libssl gives no connection");
		if (rc == 0 && tls)
			snprintf(tls, size, "%s %s", h->f.SSL_get_version(ssl),
				 h->f.SSL_CIPHER_get_name(h->f.SSL_get_current_cipher(ssl)));
		if (ssl)
			h->f.SSL_free(ssl);
		close(fd);
	}
	free(request);
	return rc < 0 ? rc : 0;
}
