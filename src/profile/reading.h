/*
 * reading.h - the inside of a profile being made: samples counted by address
 * (reading.c, counting.c), then named (resolve.c). Private to src/profile and its tests.
 */
#ifndef CPUPROF_PROFILE_READING_H
#define CPUPROF_PROFILE_READING_H

#include "src/perf/perfdata.h"
#include "src/profile/profile.h"
#include "src/profile/timeline.h"
#include "src/symbol/dso.h"

#define READING_NO_DSO 0u	/* dsos[0]: no map holds the address */

struct reading_dso {
	uint32_t path, shown;	/* string numbers; shown is the short name */
	struct dso_key key;	/* path not set */
	bool absolute;		/* its symbols are known by address, not offset */
	struct dso *dso;	/* opened when named */
};

struct reading_hit {		/* samples at one address; two in a cache line */
	uint64_t addr;		/* in the file; absolute in the kernel */
	uint64_t period;
	uint32_t samples;	/* 2^32 would be a file of 170 GB */
	uint32_t dso, event;
	uint32_t comm;		/* 0 unless asked for (by_comm) */
};

struct reading_slot {
	uint32_t hash;			/* tells most other hits apart without a look */
	uint32_t hit;			/* index + 1, 0 while free */
};

struct reading_chain {		/* one distinct kernel call chain */
	size_t at;		/* into chain_ips */
	uint32_t n;
	uint64_t period;
};

struct reading_branch {		/* one place that branched */
	uint64_t addr;
	uint32_t dso;
	uint64_t taken, missed;
};

struct reading {
	struct profile *p;	/* strings, counts */
	struct perfdata pd;
	struct timeline timeline;
	struct reading_dso *dsos;
	size_t n_dsos, cap_dsos;
	struct map dso_by_key;
	struct reading_hit *hits;	/* in the order of their first sample */
	size_t n_hits, cap_hits;
	struct reading_slot *hit_slots;	/* open addressing */
	size_t n_slots;
	struct early_table *early;	/* counting.c; NULL when not (any more) tried */
	struct map read_values;		/* group reads: (id, tid) -> last value */
	struct reading_chain *chains;
	size_t n_chains, cap_chains;
	uint64_t *chain_ips;
	size_t n_chain_ips, cap_chain_ips;
	struct map chain_by_hash;
	struct reading_branch *branches;
	size_t n_branches, cap_branches;
	struct map branch_by_place;
	char *folder;			/* that the recording lies in */
	bool timed;			/* samples carry times */
	bool by_comm;			/* set before the run: hits tell commands apart */
	uint32_t kernel_dso;		/* index, 0 when no kernel map was recorded */
};

int reading_open(struct reading *r, struct profile *p, const char *path, struct err *err);
/* Both passes: maps and comms, then samples. */
void reading_run(struct reading *r, const struct profile_options *o);
/* counting.c. Counts samples while the facts are still being gathered, which
 * saves the second pass where it succeeds: begin, each sample, then settle with
 * all facts known, which says whether everything was counted. */
void reading_early_begin(struct reading *r);
void reading_early_sample(struct reading *r, const struct record *rec, uint64_t seq);
bool reading_early_settle(struct reading *r);
void reading_early_release(struct reading *r);
/* The second pass. */
void reading_count(struct reading *r, const struct profile_options *o);
/* branches.c: the stack of one sample, taken in pid at time; then all of them
 * named and ranked. */
void reading_branch_stack(struct reading *r, const struct branch_stack *b, uint32_t pid,
			  uint64_t time);
void reading_rank_branches(struct reading *r, const struct profile_options *o);
/* kernel.c: kernel time by the chains that were kept. */
void reading_kernel(struct reading *r, const struct profile_options *o);
/* Numbers of the hits by event, dso, address; caller frees. */
uint32_t *reading_order(const struct reading *r);
/* Names, shares, instructions, kernel entries into the profile. */
void reading_resolve(struct reading *r, const struct profile_options *o);
/* The file behind a number, opened; NULL when no map held the address. */
struct dso *reading_dso_open(struct reading *r, uint32_t i, const struct profile_options *o);
/* What to call a symbol that was looked up in it; a string number. */
uint32_t reading_function_name(struct reading *r, uint32_t dso, const struct dso_symbol *s);
/* The instruction at an address of it as text, "" when there is no code at hand. */
const char *reading_insn_text(struct reading *r, uint32_t dso, uint64_t addr);
void reading_release(struct reading *r);

#endif
