/*
 * counts.h - what the model tool (pmu/model/tool.c) says a program did, address by
 * address. Its text is not trusted: it may be cut, or of another program.
 *
 *	cpuprof-model 1
 *	threads N
 *	map NUMBER START OFFSET INODE PATH		(START, OFFSET hexadecimal)
 *	insn MAP ADDRESS LENGTH KIND EXECUTED TAKEN MISSED ACCESSES L1D L2 LLC TLB1
 *		TLB2 L1I				(ADDRESS hexadecimal)
 *	end
 */
#ifndef CPUPROF_PMU_COUNTS_H
#define CPUPROF_PMU_COUNTS_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum counts_of {
	COUNTS_EXECUTED, COUNTS_TAKEN, COUNTS_MISSED, COUNTS_ACCESSES, COUNTS_L1D, COUNTS_L2,
	COUNTS_LLC, COUNTS_TLB1, COUNTS_TLB2, COUNTS_L1I, COUNTS_KINDS
};

struct counts_map {
	uint32_t number;		/* over all files */
	uint32_t process;		/* number of the file, from 1: addresses are its own */
	uint64_t start, offset, inode;
	char *path;			/* owned; "" for anonymous memory */
};

struct counts_insn {
	uint32_t map;			/* number of its map; 0: unknown */
	uint32_t process;
	uint64_t addr;
	uint8_t len;
	char kind;			/* as in tool.c: 'c' conditional, 'j', 'i', 'r', ... */
	uint64_t v[COUNTS_KINDS];
};

struct counts {
	struct counts_map *maps;	/* owned */
	size_t n_maps, cap_maps;
	struct counts_insn *insns;	/* owned */
	size_t n_insns, cap_insns;
	uint32_t processes;		/* files read */
	uint32_t threads;		/* the program had, one after the other */
};

/* Appends what text says to c (zeroed before the first): several programs of one
 * run add up. -EINVAL with the line that is wrong, or when the end is missing. */
int counts_parse(struct counts *c, const char *text, size_t len, struct err *err);
void counts_release(struct counts *c);

/* Is it a branch of any kind? */
bool counts_is_branch(char kind);
/* Sum over all instructions; of conditional branches only. */
uint64_t counts_sum(const struct counts *c, enum counts_of what);
uint64_t counts_branches(const struct counts *c, bool conditional_only);

#endif
