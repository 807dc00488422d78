/*
 * lazy.h - functions of libraries that few runs need, loaded when they are first
 * called for: relocating them takes longer than all else a short run does.
 */
#ifndef CPUPROF_BASE_LAZY_H
#define CPUPROF_BASE_LAZY_H

#include <stddef.h>

struct lazy_function { const char *name; void *at; };	/* at: filled in */

/* Loads soname for the life of the process and finds all n functions: 0, or -1
 * when the library or one of them is missing (at is then NULL in all). Cheap to
 * call again. */
int lazy_load(const char *soname, struct lazy_function *v, size_t n);

#endif
