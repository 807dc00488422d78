/* SPDX-License-Identifier: MIT */
/*
 * branch.h - models of branch predictors: TAGE-class directions with a loop
 * predictor, gshare for comparison, targets of indirect branches, a return stack.
 *
 * Freestanding: needs no libc, allocates nothing, so that it works inside the
 * Valgrind tool as well as in a test. The caller gives the memory.
 *
 * TAGE after Seznec and Michaud, "A case for (partially) tagged geometric history
 * length branch prediction", JILP 8 (2006). Real predictors are not published;
 * sizes are fitted to what timing shows (src/machine/calibrate.h).
 */
#ifndef CPUPROF_PMU_MODEL_BRANCH_H
#define CPUPROF_PMU_MODEL_BRANCH_H

#include <stdint.h>

#define BRANCH_TABLES 5
#define BRANCH_MAX_ENTRIES 8192u
#define BRANCH_BASE_LOG2 14
#define BRANCH_PATH 194
#define BRANCH_TARGETS 4
#define BRANCH_TARGETS_LOG2 12
#define BRANCH_STACK 16

struct branch_config {
	unsigned entries;	/* of each tagged table, 64 to BRANCH_MAX_ENTRIES */
	int loops;		/* predict the ends of loops with a constant count */
};
#define BRANCH_CONFIG_DEFAULT { 1536, 1 }

/* Kept for each branch by the caller. */
struct branch_site {
	uint32_t streak, trip;	/* times it has gone this way; went, before it changed */
	uint8_t taken, way, confidence;	/* way: that the trips were counted in */
};
#define BRANCH_STREAK 64	/* so often the same way: it needs no look */
#define BRANCH_SHORT 24		/* loops of fewer turns are left to the tables */

struct branch_tagged { uint16_t tag; int8_t counter; uint8_t useful; };
struct branch_target { uint64_t target; uint32_t tag; uint8_t confidence; };

struct branch_model {
	struct branch_config config;
	uint64_t history[2];	/* newest outcome in bit 0 of the first */
	uint64_t taken[256];	/* hashes of what was taken, the newest before at */
	uint64_t path, oldest;
	uint8_t at;
	int8_t base[1u << BRANCH_BASE_LOG2];
	struct branch_tagged table[BRANCH_TABLES][BRANCH_MAX_ENTRIES];
	struct branch_tagged nobody;	/* takes what is meant for no entry */
	int use_alternate;	/* trust a new entry less than the one before it */
	uint32_t random, clock;
	struct branch_target target[BRANCH_TARGETS][1u << BRANCH_TARGETS_LOG2];
	uint64_t stack[BRANCH_STACK];
	unsigned depth;
};

/* config NULL: the default. */
void branch_init(struct branch_model *m, const struct branch_config *config);
/* A conditional branch at pc went that way: 1 when it was predicted wrong. site
 * is its own, zeroed before the first. */
unsigned branch_conditional(struct branch_model *m, struct branch_site *site, uint64_t pc,
			    unsigned taken);
/* A direct jump, for the path. */
void branch_jump(struct branch_model *m, uint64_t pc);
/* An indirect jump or call: 1 when its target was predicted wrong. */
unsigned branch_indirect(struct branch_model *m, uint64_t pc, uint64_t target);
/* A call that will return to next; a return: 1 when predicted wrong. */
void branch_call(struct branch_model *m, uint64_t next);
unsigned branch_return(struct branch_model *m, uint64_t target);

struct gshare {
	uint32_t history;
	uint8_t counter[1u << 16];
};
void gshare_init(struct gshare *g);
unsigned gshare_conditional(struct gshare *g, uint64_t pc, unsigned taken);

#endif
