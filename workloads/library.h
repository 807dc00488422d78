/*
 * library.h - the library under test, loaded by the worker when it is set up:
 * the system's, or the build that --library names.
 *
 * A workload lists the functions it calls once, as a macro X(f) X(g):
 *
 *	struct zlib { void *handle; FUNCTIONS(LIBRARY_MEMBER) };
 *	static const char *const names[] = { FUNCTIONS(LIBRARY_NAME) NULL };
 */
#ifndef CPUPROF_WORKLOADS_LIBRARY_H
#define CPUPROF_WORKLOADS_LIBRARY_H

#include "workloads/workload.h"

#define LIBRARY_MEMBER(f) __typeof__(&f) f;
#define LIBRARY_NAME(f) #f,

struct library {
	const char *title;		/* "zlib", for messages */
	const char *soname;		/* the system's */
	const char *const *names;	/* of functions, NULL-terminated */
};

/* Loads the library, from path unless that is NULL, and puts its functions'
 * addresses one after another into functions. Fills info's library_path when
 * info is given. -ENOPKG when the system has none. The caller closes *handle
 * by dlclose(); NULL after a failure. */
int library_open(void **handle, const struct library *lib, const char *path, void *functions,
		 struct workload_info *info, struct err *err);

#endif
