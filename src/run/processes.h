/*
 * processes.h - processes of others, as /proc shows them.
 */
#ifndef CPUPROF_RUN_PROCESSES_H
#define CPUPROF_RUN_PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

/* Of a process, or of a thread. */
struct process_usage {
	uint64_t cpu_ns, user_ns, sys_ns, run_delay_ns;
	uint64_t faults, major_faults, voluntary, involuntary;
};

/* The children of a process, at most max, by number; how many there are. */
int processes_children(pid_t parent, pid_t *out, int max);
/* What it has used so far: CPU time and delay of its first thread to the nanosecond;
 * user and kernel in the kernel's ticks. -ESRCH: it ended. */
int processes_usage(pid_t pid, struct process_usage *u);
/* Between two looks at one process; user and kernel are the CPU time, divided as the
 * ticks were. */
void processes_between(const struct process_usage *a, const struct process_usage *b,
		       struct process_usage *out);

#endif
