/*
 * machine.h - what this machine is and what it allows, from /proc, /sys and
 * the processor itself. All of it passes the flight seam.
 */
#ifndef CPUPROF_MACHINE_MACHINE_H
#define CPUPROF_MACHINE_MACHINE_H

#include "src/base/flight.h"

#include <stdbool.h>

#define MACHINE_MAX_CPUS 1024

struct machine_cache {
	int level;
	char type;		/* 'd', 'i' or 'u' (unified) */
	uint64_t bytes;
	int shared_by;		/* CPUs */
};

struct machine {
	char vendor[32], model[128], uarch[64];
	int family, model_id, stepping;
	char microcode[32];
	char arch[16], kernel[96], hostname[96];
	char hypervisor[64];		/* "" on bare metal or when hidden */
	int cpus_online, cpus_available;
	int allowed[MACHINE_MAX_CPUS];	/* by affinity mask and cpuset, rising */
	int n_allowed;
	int threads_per_core;		/* as the machine says; guests often lie */
	int numa_nodes;
	struct machine_cache caches[8];
	int n_caches;
	char extensions[256];		/* instruction sets, selected, space-separated */
	char governor[32], turbo[16];	/* "" when there is no cpufreq */
	double rated_mhz, max_mhz;	/* 0 when unknown */
	char mitigations[256];		/* vulnerabilities still mitigated at a cost */
	int nmi_watchdog;		/* -1 unknown */
	uint64_t mem_kb;
	double quota_cpus;		/* cgroup CPU quota; 0: none */
	char cgroup[256];		/* where the quota stands; "" */
	int sibling_of[MACHINE_MAX_CPUS];	/* another allowed CPU on the core, -1 */
	int node_of[MACHINE_MAX_CPUS];	/* NUMA node, -1 unknown */
	int type_of[MACHINE_MAX_CPUS];	/* hybrid: 1 performance, 2 efficiency; 0 all alike */
};

void machine_read(struct machine *m, struct flight *f);

/* Bytes of the last-level cache, 0: not known. */
uint64_t machine_last_cache(const struct machine *m);

/* "Intel Xeon (Emerald Rapids), 2 CPUs, KVM guest". Into out. */
void machine_line(const struct machine *m, char *out, size_t size);

/* CPUs for n threads, into out; how many there are. "1 core" is the last CPU
 * allowed (interrupts and housekeeping live on the first); more threads take
 * other cores before sibling threads, and performance cores before others. */
int machine_choose_cpus(const struct machine *m, int n, int *out);
/* "CPU 1", "CPUs 1,0; 2 threads on 1 core, node 0" for those CPUs. */
void machine_placement(const struct machine *m, const int *cpus, int n, char *out, size_t size);

/* The name of a microarchitecture by what CPUID or MIDR say, NULL unknown. */
const char *machine_uarch(const char *vendor, int family, int model, int stepping);

/* Jiffies a CPU spent, from /proc/stat; hz is a second of them. */
struct machine_times { uint64_t user, system, irq, steal, idle, total; };
/* Sum over cpus[0..n). 0 or -errno. */
int machine_times(struct flight *f, const int *cpus, int n, struct machine_times *t);
double machine_tick_s(void);

/* How long this machine was suspended since it started, in nanoseconds: what
 * CLOCK_BOOTTIME counts and CLOCK_MONOTONIC does not. A guest that its
 * hypervisor paused without telling it does not show here. */
int64_t machine_asleep_ns(struct flight *f);

/* How long the cgroup was held back by its quota. known is false without one. */
struct machine_throttle { bool known; uint64_t periods, throttled_ns; };
void machine_throttle(struct flight *f, struct machine_throttle *t);

#endif
