/*
 * protocol.h - what a worker tells the process that started it.
 *
 * A worker is this program again, exec'd as "cpuprof worker NAME KEY=VALUE...":
 * control on descriptor 0 (one byte: go), messages on descriptor 3. Messages
 * are a frame and a payload; both ends are one build, and a flight keeps
 * them as they are (little-endian, fixed sizes).
 */
#ifndef CPUPROF_RUN_PROTOCOL_H
#define CPUPROF_RUN_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

#define PROTOCOL_CONTROL_FD 0
#define PROTOCOL_MESSAGE_FD 3
#define PROTOCOL_MAX_PAYLOAD (64u << 20)
#define PROTOCOL_COUNTERS_MAX 12	/* COUNTERS_MAX of counters.h */

enum protocol_type {
	PROTOCOL_HELLO = 1,	/* struct protocol_hello: library and input found */
	PROTOCOL_COUNTERS,	/* int32_t []: enum counter_state of each event */
	PROTOCOL_READY,		/* struct protocol_ready: waits for go */
	PROTOCOL_MEASURED,	/* empty: the window has ended, verifying now */
	PROTOCOL_BATCHES,	/* struct protocol_batch [] */
	PROTOCOL_SAMPLES,	/* struct protocol_sample []: of the worker's own timers */
	PROTOCOL_MAPS,		/* text: pid, a line feed, /proc/self/maps */
	PROTOCOL_DONE,		/* empty: output verified, all well */
	PROTOCOL_ERROR,		/* text: a finished sentence */
	PROTOCOL_MISSING,	/* the same, of something that is not installed */
	PROTOCOL_MEMORY,	/* uint64_t: most bytes the library held for a thread */
	PROTOCOL_NOTE,		/* text: what the library says of itself */
	PROTOCOL_LOAD,		/* text: a line each for the file of its output, the CPUs it
				 * may use, and each word of the load generator's command.
				 * Answered by struct protocol_load_end when that has ended */
	PROTOCOL_SERVED,	/* struct protocol_served: what the load generator saw */
	PROTOCOL_LAST = PROTOCOL_SERVED
};

struct protocol_frame { uint32_t type, len; };

struct protocol_hello {
	char input[256];
	char library_path[1024];
	char library_version[64];
	uint8_t build_id[20];
	uint32_t build_id_len;
};

struct protocol_ready {
	double setup_s, warm_up_s;
	double clock_hz;	/* needle when warm */
	double batch_s;		/* how long a batch takes here */
	uint64_t ops_per_batch;
	uint32_t flat;		/* the clock had settled */
	uint32_t reserved;
};

struct protocol_batch {
	uint32_t thread, cpu;
	uint64_t start_ns, end_ns;	/* CLOCK_MONOTONIC_RAW */
	uint64_t cpu_ns, user_ns, sys_ns, run_delay_ns;
	uint64_t ops;
	uint64_t faults, major_faults, voluntary, involuntary;
	double clock_hz, adds_per_s;
	uint64_t counts[PROTOCOL_COUNTERS_MAX];	/* of the group, as asked for */
	uint64_t enabled_ns, running_ns;	/* of the group */
	uint32_t share;			/* belongs to the thread's fixed share */
	uint32_t reserved;
};

struct protocol_load_end {
	int32_t status;			/* as waitpid() gives it */
	uint32_t reserved;
	double cpu_s;			/* it used */
};

struct protocol_served {
	uint64_t requests, bytes, errors;
	double seconds, latency_s[4], latency_max_s;	/* 50, 75, 90, 99 % */
	double load_busy;		/* CPU time by wall time and threads of the generator */
	uint32_t connections, load_threads;
	uint32_t load_shares;		/* it ran on the server's CPUs */
	uint32_t reserved;
};

/* workloads/go/protocol.go speaks it too: change both. */
_Static_assert(PROTOCOL_DONE == 8 && PROTOCOL_NOTE == 12 &&
	       sizeof(struct protocol_hello) == 1368 && sizeof(struct protocol_ready) == 48 &&
	       sizeof(struct protocol_batch) == 232, "the Go program's protocol is another one");

/* A message to the process that started this one. 0 or -errno. */
int protocol_say(enum protocol_type type, const void *payload, size_t len);

#define PROTOCOL_CHAIN 12

struct protocol_sample {
	uint64_t time_ns, ip;
	uint32_t tid, weight;		/* timer periods it stands for */
	uint32_t n_chain, reserved;
	uint64_t chain[PROTOCOL_CHAIN];	/* return addresses, innermost first */
};

#endif
