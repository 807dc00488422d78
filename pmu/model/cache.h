/* SPDX-License-Identifier: MIT */
/*
 * cache.h - models of caches and TLBs: set-associative with LRU; first level for
 * instructions and for data, second and last level for both, two levels of TLB,
 * and a prefetcher of the next line.
 *
 * Freestanding, as branch.h. The caller gives the memory for the sets.
 */
#ifndef CPUPROF_PMU_MODEL_CACHE_H
#define CPUPROF_PMU_MODEL_CACHE_H

#include <stdint.h>

#define CACHE_LINE_LOG2 6
#define CACHE_PAGE_LOG2 12
#define CACHE_WAYS 16		/* at most; kept for each set, so that places are fixed */

/* A tag is the number of the line or page, folded; 0 is none. Searched all at once,
 * and not moved about: the host would mispredict where a search ends. */
struct cache_set {
	uint32_t tag[CACHE_WAYS];
	uint32_t used[CACHE_WAYS];	/* when */
};

struct cache {
	struct cache_set *sets;	/* power of two of them; borrowed */
	uint64_t *recent;	/* address of the line used last in each set; borrowed */
	uint64_t mask;
	uint32_t clock, there[CACHE_WAYS];	/* there: all bits of each way it has */
};

struct cache_sizes {
	uint64_t l1i_bytes, l1d_bytes, l2_bytes, llc_bytes;
	unsigned l1i_ways, l1d_ways, l2_ways, llc_ways;
	unsigned dtlb_entries, dtlb_ways, stlb_entries, stlb_ways;
	int prefetch;		/* next line into the second level */
};
/* Of a current server core; what is known of this one is set over it. */
#define CACHE_SIZES_DEFAULT { 32u << 10, 48u << 10, 2u << 20, 16u << 20, 8, 12, 16, 16, \
			      96, 6, 2048, 16, 1 }

/* What one access missed. */
enum cache_miss { CACHE_L1 = 1, CACHE_L2 = 2, CACHE_LLC = 4, CACHE_TLB1 = 8, CACHE_TLB2 = 16 };

struct cache_model {
	struct cache l1i, l1d, l2, llc, dtlb, stlb;
	int prefetch;
};

/* Sets of a cache: how many cache_set it needs. Sizes that are no power of two of
 * sets are rounded to the nearest. */
uint64_t cache_sets(uint64_t bytes, unsigned ways, unsigned line_bytes);
/* Bytes of memory for all of them. */
uint64_t cache_memory(const struct cache_sizes *s);
/* memory: zeroed, cache_memory() bytes. */
void cache_init(struct cache_model *m, const struct cache_sizes *s, void *memory);

/* A load or store of size bytes: bits of enum cache_miss. */
unsigned cache_data(struct cache_model *m, uint64_t addr, unsigned size);
/* The line of an instruction is fetched. */
unsigned cache_fetch(struct cache_model *m, uint64_t addr);

#endif
