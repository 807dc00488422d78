/*
 * buf.h - growable bytes, always followed by a NUL so that text can be used
 * as a C string.
 */
#ifndef CPUPROF_BASE_BUF_H
#define CPUPROF_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data;	/* owned; NULL while nothing was added */
	size_t len;	/* without the NUL */
	size_t cap;
};

#define BUF_INIT { NULL, 0, 0 }

void buf_release(struct buf *b);			/* frees the contents */
void buf_clear(struct buf *b);				/* empty, memory kept */
void buf_add(struct buf *b, const void *data, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addu32(struct buf *b, uint32_t v);		/* native byte order */
void buf_addu64(struct buf *b, uint64_t v);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Hands the bytes (NUL-terminated) to the caller, who frees them. */
char *buf_detach(struct buf *b);
/* The text so far; "" while empty. Borrowed until the next change. */
const char *buf_str(const struct buf *b);

#endif
