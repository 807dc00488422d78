/*
 * perf_map.h - /tmp/perf-PID.map, in which a process names code that it made
 * itself: lines "START SIZE NAME", numbers in hexadecimal. perf and this
 * program look for it under that name (tools/perf/Documentation/
 * jit-interface.txt of the kernel).
 *
 * It is read after its process has ended, so it is the parent that removes it;
 * what a killed parent left, the next process that makes one.
 */
#ifndef CPUPROF_WORKLOADS_PERF_MAP_H
#define CPUPROF_WORKLOADS_PERF_MAP_H

#include <sys/types.h>

/* This process's map, without names. Its path, to be opened for appending whole
 * lines; caller frees. NULL: code has no names then, and that is all. */
char *perf_map_create(void);
/* Copies that of pid into a folder, when it is one of ours and there is any. */
void perf_map_keep(pid_t pid, const char *folder);
/* Removes that of pid when it is one of ours. */
void perf_map_remove(pid_t pid);

#endif
