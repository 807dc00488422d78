/* SPDX-License-Identifier: MIT */
#include "pmu/model/cache.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define CLOCK_MAX 0x7fffffffu
#define CLOCK_KEPT 0x60000000u

uint64_t cache_sets(uint64_t bytes, unsigned ways, unsigned line_bytes)
{
	uint64_t want, n = 1;

	if (ways < 1)
		ways = 1;
	want = bytes / line_bytes / ways;
	while (n * 2 <= want)
		n *= 2;
	/* Nearest, by ratio: 1.5 times a power of two goes up. */
	return want * 2 >= n * 3 ? n * 2 : n;
}

static unsigned within(unsigned ways)
{
	return ways < 1 ? 1 : ways > CACHE_WAYS ? CACHE_WAYS : ways;
}

static uint64_t tlb_sets(unsigned entries, unsigned ways)
{
	return cache_sets(entries, within(ways), 1);
}

uint64_t cache_memory(const struct cache_sizes *s)
{
	const unsigned line = 1u << CACHE_LINE_LOG2;

	return (sizeof(struct cache_set) + sizeof(uint64_t)) *
		(cache_sets(s->l1i_bytes, within(s->l1i_ways), line) +
		 cache_sets(s->l1d_bytes, within(s->l1d_ways), line) +
		 cache_sets(s->l2_bytes, within(s->l2_ways), line) +
		 cache_sets(s->llc_bytes, within(s->llc_ways), line) +
		 tlb_sets(s->dtlb_entries, s->dtlb_ways) + tlb_sets(s->stlb_entries, s->stlb_ways));
}

/* Sets behind one another, then the addresses used last. */
static char *take(struct cache *c, char *at, uint64_t sets, unsigned ways)
{
	c->sets = (struct cache_set *)(void *)at;
	at += sets * sizeof(struct cache_set);
	c->recent = (uint64_t *)(void *)at;
	c->mask = sets - 1;
	c->clock = 1;
	for (unsigned i = 0; i < CACHE_WAYS; i++)
		c->there[i] = i < within(ways) ? UINT32_MAX : 0;
	return at + sets * sizeof(uint64_t);
}

void cache_init(struct cache_model *m, const struct cache_sizes *s, void *memory)
{
	const unsigned line = 1u << CACHE_LINE_LOG2;
	char *at = memory;

	at = take(&m->l1i, at, cache_sets(s->l1i_bytes, within(s->l1i_ways), line), s->l1i_ways);
	at = take(&m->l1d, at, cache_sets(s->l1d_bytes, within(s->l1d_ways), line), s->l1d_ways);
	at = take(&m->l2, at, cache_sets(s->l2_bytes, within(s->l2_ways), line), s->l2_ways);
	at = take(&m->llc, at, cache_sets(s->llc_bytes, within(s->llc_ways), line), s->llc_ways);
	at = take(&m->dtlb, at, tlb_sets(s->dtlb_entries, s->dtlb_ways), s->dtlb_ways);
	take(&m->stlb, at, tlb_sets(s->stlb_entries, s->stlb_ways), s->stlb_ways);
	m->prefetch = s->prefetch;
}

/* Bit w: way w holds the tag. */
static inline unsigned ways_with(const struct cache_set *s, uint32_t tag)
{
#ifdef __SSE2__
	const __m128i *t = (const __m128i *)(const void *)s->tag, want = _mm_set1_epi32((int)tag);
	__m128i a = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(t), want),
				    _mm_cmpeq_epi32(_mm_loadu_si128(t + 1), want));
	__m128i b = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(t + 2), want),
				    _mm_cmpeq_epi32(_mm_loadu_si128(t + 3), want));

	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, b));
#else
	unsigned found = 0;

	for (unsigned i = 0; i < CACHE_WAYS; i++)
		found |= (unsigned)(s->tag[i] == tag) << i;
	return found;
#endif
}

static inline uint32_t tag_of(uint64_t addr, unsigned shift)
{
	uint64_t n = addr >> shift;

	return (uint32_t)(n ^ n >> 32) | (n == 0);
}

/* The way that was not used for longest; an empty one was last used at time 0. */
#ifdef __SSE2__
static inline __m128i larger(__m128i a, __m128i b)
{
	__m128i more = _mm_cmpgt_epi32(a, b);

	return _mm_or_si128(_mm_and_si128(more, a), _mm_andnot_si128(more, b));
}

static unsigned oldest(const struct cache *c, const struct cache_set *s)
{
	const __m128i *used = (const __m128i *)(const void *)s->used;
	const __m128i *there = (const __m128i *)(const void *)c->there;
	__m128i now = _mm_set1_epi32((int)c->clock), age[4], most;

	for (int i = 0; i < 4; i++)
		age[i] = _mm_and_si128(_mm_sub_epi32(now, _mm_loadu_si128(used + i)),
				       _mm_loadu_si128(there + i));
	most = larger(larger(age[0], age[1]), larger(age[2], age[3]));
	most = larger(most, _mm_shuffle_epi32(most, 0x4e));
	most = larger(most, _mm_shuffle_epi32(most, 0xb1));
	return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(_mm_packs_epi16(
		_mm_packs_epi32(_mm_cmpeq_epi32(age[0], most), _mm_cmpeq_epi32(age[1], most)),
		_mm_packs_epi32(_mm_cmpeq_epi32(age[2], most), _mm_cmpeq_epi32(age[3], most)))));
}
#else
static unsigned oldest(const struct cache *c, const struct cache_set *s)
{
	uint32_t most = 0;
	unsigned at = 0;

	for (unsigned i = 0; i < CACHE_WAYS; i++) {
		uint32_t age = (c->clock - s->used[i]) & c->there[i];

		if (age > most) {
			most = age;
			at = i;
		}
	}
	return at;
}
#endif

/* Ages are differences of times that must fit 31 bits: now and then all start anew,
 * in the order they have. */
static void rewind_clock(struct cache *c)
{
	for (uint64_t i = 0; i <= c->mask; i++)
		for (unsigned w = 0; w < CACHE_WAYS; w++)
			c->sets[i].used[w] = c->sets[i].used[w] > CLOCK_KEPT ?
				c->sets[i].used[w] - CLOCK_KEPT : 0;
	c->clock -= CLOCK_KEPT;
}

/* Uses a line or page: 1 when it was not there, and the oldest of its set leaves. */
static inline unsigned look(struct cache *c, uint64_t addr, unsigned shift)
{
	uint64_t set = addr >> shift & c->mask;
	struct cache_set *s = &c->sets[set];
	uint32_t tag = tag_of(addr, shift);
	unsigned found = ways_with(s, tag), way;

	c->recent[set] = addr >> shift << shift;
	if (++c->clock == CLOCK_MAX)
		rewind_clock(c);
	way = found ? (unsigned)__builtin_ctz(found) : oldest(c, s);
	s->tag[way] = tag;
	s->used[way] = c->clock;
	return !found;
}

/* Is it there? Leaves its age as it is. */
static inline int holds(const struct cache *c, uint64_t addr)
{
	return ways_with(&c->sets[addr >> CACHE_LINE_LOG2 & c->mask],
			 tag_of(addr, CACHE_LINE_LOG2)) != 0;
}

/* Beyond the first level. */
static inline unsigned outer(struct cache_model *m, uint64_t addr)
{
	const uint64_t line = 1u << CACHE_LINE_LOG2;
	unsigned miss;

	if (!look(&m->l2, addr, CACHE_LINE_LOG2))
		return 0;
	miss = CACHE_L2;
	if (look(&m->llc, addr, CACHE_LINE_LOG2))
		miss |= CACHE_LLC;
	/* Going upwards: the next one is fetched before it is asked for. */
	if (m->prefetch && holds(&m->l2, addr - line)) {
		look(&m->llc, addr + line, CACHE_LINE_LOG2);
		look(&m->l2, addr + line, CACHE_LINE_LOG2);
	}
	return miss;
}

static unsigned translate(struct cache_model *m, uint64_t addr)
{
	if (!look(&m->dtlb, addr, CACHE_PAGE_LOG2))
		return 0;
	return CACHE_TLB1 | (look(&m->stlb, addr, CACHE_PAGE_LOG2) ? CACHE_TLB2 : 0);
}

/* The TLB is only asked for lines that the first level does not hold: of those it
 * holds, the pages were used not long ago. */
static inline unsigned one_line(struct cache_model *m, uint64_t addr)
{
	return look(&m->l1d, addr, CACHE_LINE_LOG2) ? CACHE_L1 | outer(m, addr) | translate(m, addr) :
		0;
}

unsigned cache_data(struct cache_model *m, uint64_t addr, unsigned size)
{
	uint64_t last = addr + size - 1;
	unsigned miss = one_line(m, addr);

	if (last >> CACHE_LINE_LOG2 != addr >> CACHE_LINE_LOG2)
		miss |= one_line(m, last);
	return miss;
}

unsigned cache_fetch(struct cache_model *m, uint64_t addr)
{
	return look(&m->l1i, addr, CACHE_LINE_LOG2) ? CACHE_L1 | outer(m, addr) : 0;
}
