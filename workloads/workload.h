/*
 * workload.h - a thing to run.
 *
 * One workload is one .c file without a header: static functions and, last,
 * one const descriptor, registered by a line in workloads/list.def; begin from
 * template.c. It runs inside a worker process of its own and does not know that it
 * is profiled.
 */
#ifndef CPUPROF_WORKLOADS_WORKLOAD_H
#define CPUPROF_WORKLOADS_WORKLOAD_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a run asks for; strings borrowed for the life of the worker. */
struct workload_env {
	int variant;		/* within [variant_min, variant_max] */
	int window;		/* bits, within [window_min, window_max] */
	const char *input;	/* --input FILE, or NULL */
	const char *library;	/* --library NAME=PATH, or NULL: the system's */
	const void *row;	/* the workload's own */
	int flip_byte;		/* test hook: corrupt one output byte, must fail */
	const char *dir;	/* a server's: its folder, the same for all of a run; put away
				 * by others */
	int cipher;		/* a server's: index of workload.ciphers */
};

/* What setup found; text for the report. */
struct workload_info {
	char input[256];		/* "web corpus 4.0 MiB" */
	char library_path[1024];	/* of the code that runs, "" if none */
	char library_version[64];
};

/* One run of a server: what is given, and what configure makes of it. */
struct workload_serving {
	int port;			/* on 127.0.0.1 */
	const int *cpus;		/* a process on each */
	int n;
	int load_threads;		/* of the load generator */
	double seconds;			/* that it shall ask */
	char *server[16], *load[24];	/* words, end with NULL; freed by the caller */
};

/* What the load generator counted. */
struct workload_load {
	double seconds;
	uint64_t requests, bytes;
	uint64_t errors;		/* in connecting, reading, writing, by timeout or status */
	double latency_s[4], latency_max_s;	/* 50, 75, 90, 99 % took no longer */
	int connections;
};

/*
 * A server is measured from outside: its processes run on the CPUs of the row, and
 * a load generator asks from others. Both are programs of somebody else's, run
 * without a shell and, by root, as nobody.
 */
struct workload_server {
	const char *process;		/* what its processes are called: "nginx" */
	const char *log;		/* a file in its folder, whose last line says why it ended */
	const char *address_in_use;	/* how that is said there */
	/* Writes its configuration into the folder and gives both commands. It must stay
	 * in the foreground and end on SIGTERM with all its processes. */
	int (*configure)(const struct workload_env *env, void *shared,
			 struct workload_serving *s, struct err *err);
	/* Asks once for everything, before the load: was the answer right? tls: what
	 * was negotiated. */
	int (*verify)(void *shared, const struct workload_serving *s, char *tls, size_t size,
		      struct err *err);
	/* From what the load generator printed. */
	int (*read_load)(const char *text, struct workload_load *out, struct err *err);
};

struct workload {
	const char *name;
	const char *summary;	/* one line for "list workloads" */
	const char *unit;	/* of the operations counted: "B" */
	const char *score_unit;	/* "MB/s" */
	double score_scale;	/* operations per second times this is the score */
	const char *library;	/* name for --library, NULL if none */
	const char *package;	/* Debian package to install when it is not there */
	bool takes_input;	/* works on --input FILE */
	/* "gzip:6" is variant 6. A range stands for the steps in it, or, without
	 * steps, for every number. */
	const char *variant_name;	/* "level", NULL: there are none */
	const char *variant_unit;	/* "B" of sizes; NULL: plain numbers, "gzip -6" */
	int variant_min, variant_max, variant_default;
	const int *variant_steps;	/* ascending, ends with 0 */
	int window_min, window_max, window_default;	/* for --window, 0: has none */
	const char *const *ciphers;	/* for --cipher, ends with NULL; NULL: has none */
	/* Truth: a function that must be among the hottest, where the library has
	 * names; NULL: it depends on the processor. */
	const char *hot;
	const void *row;	/* for files with several workloads: what differs */

	/* For "list workloads": is the library here, and which version? */
	int (*probe)(struct workload_info *info, struct err *err);
	/* Instead of all that follows, for a workload that is a program of its own:
	 * turns the worker into it, which speaks the worker's protocol. argv: the
	 * worker's own, from "worker" on. Returns only when it failed, -ENOPKG when the
	 * package is what is missing. */
	int (*become)(const struct workload_env *env, char *const *argv, struct err *err);
	/* Or for a server; of what follows it has setup and teardown. */
	const struct workload_server *server;
	/* Once per process, before any thread: load libraries, make input.
	 * -ENOPKG when the package is what is missing. */
	int (*setup)(const struct workload_env *env, void **shared,
		     struct workload_info *info, struct err *err);
	/* Once per thread, in that thread. Paired with thread_end. */
	int (*thread_begin)(void *shared, void **state, struct err *err);
	/* One batch of the same work every time; returns the operations done.
	 * Measured: no allocation, no I/O beyond the work itself. */
	uint64_t (*batch)(void *state);
	/* After measuring: was the output right? A wrong byte is an error. */
	int (*verify)(void *state, struct err *err);
	/* Most bytes the library held for this thread; NULL: not known. */
	uint64_t (*memory)(void *state);
	/* Of a sampled process, after verify, for one of its threads: what the library
	 * knows of itself and samples do not show, a sentence without a full stop,
	 * or nothing. May work on for a moment. NULL: nothing. */
	void (*note)(void *state, char *text, size_t size);
	void (*thread_end)(void *state);	/* NULL-safe */
	void (*teardown)(void *shared);		/* NULL-safe */
};

/* NULL-terminated, in the order of list.def. */
extern const struct workload *const workloads[];
const struct workload *workload_find(const char *name);

/* The variants that text ("6", "1,9", "1-9") names, at most max of them and each
 * once, into out; the default for NULL. Their number, or a usage error. */
int workload_variants(const struct workload *w, const char *text, int *out, int max,
		      struct err *err);

#endif
