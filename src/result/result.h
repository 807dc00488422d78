/*
 * result.h - the one document a measurement ends in: what ran, on what, every
 * repetition with its series, the score, its factors and causes, the profile.
 *
 * src/run fills in what was measured, src/explain what follows from it,
 * reports print it, and result.json (docs/result.md) keeps all of it.
 * Strings are owned by the document unless said otherwise.
 */
#ifndef CPUPROF_RESULT_RESULT_H
#define CPUPROF_RESULT_RESULT_H

#include "src/base/buf.h"
#include "src/base/err.h"
#include "src/base/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULT_SCHEMA 1

/* One batch of one thread, or one run of a command. */
struct result_batch {
	uint32_t thread, cpu;
	double start_s;			/* since the repetition began */
	double wall_s, cpu_s, user_s, sys_s;
	double run_delay_s;		/* ready to run, but the CPU had another; -1: not known */
	double ops;			/* a fraction where a command gives its own score */
	uint64_t faults, major_faults, voluntary, involuntary;
	double clock_hz, adds_per_s;	/* needles right after it; 0: not read */
	double cycles, instructions;	/* counted; 0: not */
	double counted_s;		/* CPU time they were counted in; 0: not known */
};

enum result_mark {			/* interference seen in a repetition */
	MARK_STEAL = 1, MARK_FOREIGN = 2, MARK_MIGRATED = 4, MARK_THROTTLED = 8,
	MARK_CLOCK = 16, MARK_SHARE = 32, MARK_STOPPED = 64, MARK_SUSPENDED = 128,
	MARK_LOAD = 256, MARK_LAST = 256
};
const char *result_mark_name(enum result_mark m);	/* "steal" */

enum result_factor {
	FACTOR_CPUS, FACTOR_SHARE, FACTOR_CLOCK, FACTOR_WORK, FACTORS
};
const char *result_factor_name(enum result_factor f);	/* "core share" */

/* A server's repetition: what the load generator saw. requests 0: no server. */
struct result_served {
	double requests, bytes, errors;
	double latency_s[4], latency_max_s;	/* 50, 75, 90, 99 % of the requests took no longer */
	double load_busy;		/* the generator's CPU time by wall time and its threads */
	uint32_t load_threads, connections;
	bool load_shares;		/* it ran on the server's CPUs */
};

struct result_rep {
	double wall_s;			/* the window all threads worked in */
	double began_s;			/* it did, seconds since the epoch */
	double setup_s;			/* before it, not measured */
	double outside;			/* share of the work discarded, 0..1 */
	double steal_s, throttled_s;	/* over all CPUs used; -1: not known */
	double stopped_s;		/* by a signal (SIGSTOP), within 0.2 s */
	double suspended_s;		/* the whole machine slept; -1: not known */
	double energy_j;		/* over the window; 0: not known */
	struct result_served served;
	uint64_t memory_bytes;		/* most the library held for a thread; 0: not known */
	int64_t migrations;		/* -1: not known, perf is closed */
	unsigned marks;
	double score;			/* operations a second */
	double factors[FACTORS];	/* 0: not known */
	struct result_batch *batches;	/* owned */
	size_t n_batches;
};

struct result_cause {
	char name[80];			/* "page faults" */
	char evidence[160];		/* "120000 faults/s, 64 % of kernel time" */
	char place[80];			/* where, "" when nowhere in particular */
	double cost;			/* share of the time the program could have used */
	double low, high;		/* the same as an interval */
	enum origin origin;
	int parent;			/* index of the cause it is part of, -1: none */
};
/* As a parent: part of the time that is the program's own. Such causes overlap. */
#define RESULT_WITHIN_PROGRAM (-2)

struct result_function {
	char *name, *dso, *note;
	char *code;			/* "assembly" or "compiled", "" not known */
	double share, error;
	uint64_t samples;
};

struct result_insn {
	uint32_t function;
	uint64_t addr;
	double share;			/* of the function */
	char *text;
	char *place;			/* in the source, "" not known */
};

struct result_share { char name[48]; double share; };

/* Parts of a profile within Go's runtime. */
#define RESULT_GO_GC "Go: garbage collection"
#define RESULT_GO_ALLOCATION "Go: allocation"
#define RESULT_GO_MOVES "Go: memory moves"
#define RESULT_GO_SCHEDULER "Go: scheduler"

struct result_profile {			/* of one sampling pass */
	char *event;			/* "cpu-clock"; NULL: no pass */
	char *reason;			/* why there is none, or why not the best event */
	char *file;			/* recording inside the bundle, NULL */
	uint64_t samples, lost;
	uint64_t throttled;		/* times the kernel stopped sampling for a while */
	double rate_hz;			/* asked for, after clamping */
	double unknown_share, kernel_share;
	double unsampled_kernel;	/* user-only: kernel share by CPU accounting */
	struct result_function *functions;
	size_t n_functions;		/* ranked ones */
	size_t n_more;			/* below their own sampling error */
	struct result_insn *insns;
	size_t n_insns;
	/* Kinds of instructions the samples lie at, by falling share. */
	struct result_share classes[16];
	size_t n_classes;
	/* What brought the CPU into the kernel: shares of the samples. */
	struct result_entry { char name[32], place[64]; double share; } entries[8];
	size_t n_entries;
	/* Where the time went: "libcrypto.so.3", "kernel: network"; by falling share. */
	struct result_share parts[12];
	size_t n_parts;
	/* From branch stacks: those most often mispredicted. */
	struct result_branch {
		char *function, *dso, *text;
		uint64_t addr, taken, missed;
		double share;		/* of all mispredicted ones */
	} *branches;
	size_t n_branches;
};

/* A sampling pass on another event than the one that stands for time. */
struct result_sampled {
	char role[32];			/* "branch-misses" */
	struct result_profile profile;
};

struct result_thread {			/* of all repetitions, or of one run of a command */
	char comm[32];
	uint32_t pid, tid;		/* a workload's: 0, number of the thread */
	double cpu_s, counted_s;	/* CPU time; that in which the cycles were counted */
	double cycles, instructions;	/* 0: not counted */
	bool uncounted, scaled;		/* some was not counted; shared a counter */
};

struct result_counter {			/* one event, in a pass of its group */
	char name[96];
	struct quantity per_op;		/* count for one operation */
	int group;			/* passes are numbered; 0: the score repetitions */
};

struct result_metric {
	char name[32], unit[12];
	char formula[256];
	struct quantity value;
	bool notable;			/* beyond the table's threshold */
};

struct result_row {			/* one configuration: level 6 on 1 core */
	char *label;			/* "1 core" */
	char *variant;			/* "6", "" */
	char *placement;		/* "CPU 1", which CPUs and cores these are */
	int threads;
	struct result_rep *reps;
	size_t n_reps, cap_reps;
	struct result_profile profile;
	struct result_sampled *sampled;
	size_t n_sampled, cap_sampled;
	struct result_thread *per_thread;
	size_t n_per_thread, cap_per_thread;

	struct quantity score;		/* median of all repetitions, score units */
	struct quantity quiet;		/* of the unmarked ones */
	size_t n_quiet;
	struct quantity factors[FACTORS];
	double unexplained;		/* score / product of the factors - 1 */
	double scaling;			/* score / (threads x score of 1), 0: none */
	double scaling_factors[FACTORS];	/* the same ratio for each factor */
	double scaling_unexplained;
	struct quantity ipc, instructions;	/* instructions: for one operation */
	struct quantity watts, per_joule;	/* score by watts: the score's unit a joule */
	struct result_counter *counters;
	size_t n_counters, cap_counters;
	struct result_metric *metrics;
	size_t n_metrics, cap_metrics;
	struct result_cause *causes;
	size_t n_causes, cap_causes;
};

/* Row 1 against row 0, run in rounds A B B A. */
struct result_versus {
	char *label;			/* what B is: "GLIBC_TUNABLES=...", NULL: no experiment */
	char *verdict;			/* "faster", "slower", "no difference", "not enough data" */
	struct quantity ratio;		/* score of B / score of A, 98 % interval */
	double p;			/* of the test that it is 1 */
	double level;			/* p below which a difference is claimed */
	size_t rounds;
	double raw_ratio;		/* without the needles as covariates */
	double spread, raw_spread;	/* deviation of a round's ratio, with and without */
	double split[FACTORS];		/* B / A of each factor */
};

struct result_text { char *key, *value; };

struct result {
	char *version;			/* of cpuprof */
	char *command;			/* line that was run */
	char *created;			/* local time, ISO 8601 */
	char *title;			/* "gzip -6, zlib 1.2.13, web corpus 4.0 MiB" */
	char *machine_line;
	char *workload;			/* "gzip" or "exec" */
	char *unit, *score_unit;
	double score_scale;
	double ref_clock_hz;		/* highest reading of this session */
	/* Best adds a cycle of each CPU: of this session, or remembered from an
	 * earlier one of this boot when that was better. */
	struct result_ref {
		uint32_t cpu, readings;	/* readings: of this session */
		double adds;
		bool remembered;
	} *refs;
	size_t n_refs, cap_refs;
	char *needle_reason;		/* why there is no clock, or NULL */
	char *energy_source;		/* "1 package by powercap", NULL: none */
	double idle_w;			/* before the first pass; 0: not known */
	struct result_text *machine;	/* facts, in order */
	size_t n_machine, cap_machine;
	struct result_text *target;	/* library, path, build-id, input */
	size_t n_target, cap_target;
	char **notes;			/* what is missing here and why; what broke */
	size_t n_notes, cap_notes;
	struct result_row *rows;
	size_t n_rows, cap_rows;
	struct result_versus versus;
	bool interrupted;
	char *failure;			/* the run's error, NULL when whole */
};

void result_init(struct result *r);
void result_release(struct result *r);
/* Borrowed until the next row or repetition is added. */
struct result_row *result_add_row(struct result *r, const char *label, const char *variant,
				  int threads);
struct result_rep *result_add_rep(struct result_row *row);
struct result_profile *result_add_sampled(struct result_row *row, const char *role);
struct result_cause *result_add_cause(struct result_row *row, const char *name, double cost,
				      int parent, enum origin origin);
/* The most its library held for a thread in any repetition; 0: not known. */
uint64_t result_row_memory(const struct result_row *row);
/* Did commands run, watched from outside (exec, a workload in a text file)? */
bool result_of_command(const struct result *r);
void result_fact(struct result *r, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void result_target(struct result *r, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The reference of a CPU, made when new (adds 0). Borrowed until the next. */
struct result_ref *result_ref(struct result *r, uint32_t cpu);
/* The same note twice is one. */
void result_note(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *result_target_value(const struct result *r, const char *key);	/* or NULL */

#endif
