/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct buf *b, size_t extra)
{
	size_t need = b->len + extra + 1;

	if (need <= b->cap)
		return;
	b->cap = b->cap * 2 > need ? b->cap * 2 : need + 64;
	b->data = xrealloc(b->data, b->cap);
}

void buf_release(struct buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	reserve(b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addu32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_addu64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	reserve(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

char *buf_detach(struct buf *b)
{
	char *p = b->data ? b->data : xstrdup("");

	memset(b, 0, sizeof(*b));
	return p;
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}
