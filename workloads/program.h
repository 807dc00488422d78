/*
 * program.h - programs of others that a workload is made of: where they lie, and
 * what they say. No shell is asked.
 */
#ifndef CPUPROF_WORKLOADS_PROGRAM_H
#define CPUPROF_WORKLOADS_PROGRAM_H

#include "src/base/buf.h"
#include "src/base/err.h"

#include <stddef.h>

/* In a list of folders as $PATH is one: caller frees, NULL: in none of them. */
char *program_in(const char *folders, const char *name);
/* Along $PATH, then where system programs lie. 0 or -ENOENT. */
int program_find(const char *name, char *out, size_t size);
/* DIR/NAME with that content, readable for all whatever the umask. */
int program_file(const char *dir, const char *name, const void *data, size_t len, struct err *err);
/* Runs argv to its end, its standard output and error into out, at most a MiB; its
 * exit status, 128 for a signal, or -errno when it cannot be run. */
int program_run(char *const *argv, struct buf *out);

#endif
