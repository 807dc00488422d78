/*
 * cgroup.h - control groups, version 1 and 2: quota and throttling of the one
 * this process is in, and the CPU list syntax of cpusets and /sys.
 */
#ifndef CPUPROF_MACHINE_CGROUP_H
#define CPUPROF_MACHINE_CGROUP_H

#include "src/base/flight.h"

/* "0-3,8" -> numbers into out (at most max); returns how many there are, 0 for
 * text that is not a list. */
int cgroup_cpu_list(const char *text, int *out, int max);

/* CPUs the tightest quota above this process allows, 0 without one; its path
 * into where. */
double cgroup_quota(struct flight *f, char *where, size_t size);

#endif
