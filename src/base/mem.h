/*
 * mem.h - allocation that cannot fail (out of memory aborts with a sentence).
 * Sizes that come from a file or the kernel are bounded by the caller first.
 */
#ifndef CPUPROF_BASE_MEM_H
#define CPUPROF_BASE_MEM_H

#include <stddef.h>

void *xmalloc(size_t n) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *p, size_t n) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull, nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull, nonnull));
/* printf into fresh memory; caller frees. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/* Room for n+1 elements of size bytes in *p, doubling *cap as needed. */
void *grow_array(void *p, size_t n, size_t *cap, size_t size);
#define GROW(arr, n, cap) ((arr) = grow_array((arr), (n), &(cap), sizeof(*(arr))))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
