/*
 * worker.h - the process in which a workload runs.
 */
#ifndef CPUPROF_RUN_WORKER_H
#define CPUPROF_RUN_WORKER_H

/* "cpuprof worker NAME KEY=VALUE...": runs, reports over the protocol, returns
 * an exit code. Prints nothing. */
int worker_main(int argc, char **argv);

struct workload_info;
/* Says what set-up found. 0 or -errno. */
int worker_hello(const struct workload_info *info);

#endif
