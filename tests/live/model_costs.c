/* SPDX-License-Identifier: MIT */
/*
 * model_costs - what mispredictions cost by the model and by timing: kernels with a
 * branch, the same without it, and the same with data whose branches are known. A
 * line each, cycles for an element:
 *	cost NAME BRANCH WITHOUT KNOWN MISSES EACH_WITHOUT EACH_KNOWN
 * MISSES are the model's; the last two are what one costs, by the difference to the
 * kernel without and to known data. "match" is deflate's search for the longest
 * match, over the web corpus. The first line has what calibration says of one.
 */
#include "config.h"
#include "pmu/model/branch.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/machine/calibrate.h"
#include "src/run/model.h"
#include "workloads/corpus.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define N 98304u		/* more than any predictor learns */
#define KEYS 65536u
#define TEXT 24576u	/* within L1, as half a window of deflate */
#define CANDIDATES 8
#define LONGEST 16
#define KNOWN 12u	/* elements that are repeated where all shall be known */
#define ROUNDS 15

static struct branch_model *predictor;
static struct branch_site sites[8];
static uint64_t missed;

/* A branch of a kernel, compiled twice: as it is, and asking the model. */
static inline bool branch(bool modelled, unsigned site, bool way)
{
	if (modelled)
		missed += branch_conditional(predictor, &sites[site], 0x401000 + 32 * site, way);
	return way;
}

/* Keeps the compiler from turning a branch into arithmetic, or back. */
#define KEEP(x) __asm__ volatile("" : "+r"(x))

struct data {
	uint32_t n;			/* elements */
	const uint8_t *bytes;		/* sum, filter */
	const int32_t *sorted, *other;	/* bound, merge: KEYS each */
	const int32_t *key;
	int32_t *out;
	const uint8_t *text;		/* match */
	const uint16_t *at, *candidate;	/* positions; CANDIDATES for each */
};

static inline __attribute__((always_inline)) uint64_t sum(const struct data *d, bool modelled,
							   bool without)
{
	uint64_t s = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		uint64_t v = d->bytes[i];

		if (without) {
			uint64_t mask = -(v >> 7);

			KEEP(mask);
			s += v & mask;
		} else if (branch(modelled, 0, v >= 128)) {
			KEEP(s);
			s += v;
		}
	}
	return s;
}

/* The small ones, packed. */
static inline __attribute__((always_inline)) uint64_t filter(const struct data *d, bool modelled,
							      bool without)
{
	uint64_t kept = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		if (without) {
			uint64_t small = d->bytes[i] < 128;

			KEEP(small);
			d->out[kept] = d->bytes[i];
			kept += small;
		} else if (branch(modelled, 0, d->bytes[i] < 128)) {
			d->out[kept++] = d->bytes[i];
			KEEP(kept);
		}
	}
	return kept;
}

static inline __attribute__((always_inline)) uint64_t bound(const struct data *d, bool modelled,
							     bool without)
{
	uint64_t s = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		const int32_t *p = d->sorted;

		for (uint32_t n = KEYS; n > 1; n -= n / 2) {
			const int32_t *q = p + n / 2;

			if (without) {
				uint64_t mask = -(uint64_t)(q[-1] < d->key[i]);

				KEEP(mask);
				p += n / 2 & mask;
			} else if (branch(modelled, 0, q[-1] < d->key[i])) {
				p = q;
				KEEP(p);
			}
		}
		s += (uint64_t)(p - d->sorted);
	}
	return s;
}

static inline __attribute__((always_inline)) uint64_t merge(const struct data *d, bool modelled,
							     bool without)
{
	uint32_t i = 0, j = 0;

	for (uint32_t t = 0; t < d->n; t++) {
		int32_t x = d->sorted[i], y = d->other[j];

		if (without) {
			uint32_t first = x <= y;
			int32_t mask = -(int32_t)first;

			KEEP(mask);
			d->out[t] = (x & mask) | (y & ~mask);
			KEEP(first);
			i += first;
			j += 1 - first;
		} else if (branch(modelled, 0, x <= y)) {
			d->out[t] = x;
			i++;
			KEEP(i);
		} else {
			d->out[t] = y;
			j++;
			KEEP(j);
		}
	}
	return (uint64_t)d->out[d->n / 2];
}

static inline unsigned two(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* How many of LONGEST bytes are the same, without a branch. */
#ifdef __SSE2__
static inline uint64_t same(const uint8_t *a, const uint8_t *b)
{
	__m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
				       _mm_loadu_si128((const __m128i *)(const void *)b));

	/* A bit beyond the end stands for the end. */
	return (uint64_t)__builtin_ctz(~(unsigned)_mm_movemask_epi8(equal));
}
#else
static inline uint64_t same(const uint8_t *a, const uint8_t *b)
{
	uint64_t x[2], y[2], first, second, mask;

	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	x[0] ^= y[0];
	x[1] ^= y[1];
	first = (uint64_t)__builtin_ctzll(x[0] | 1ull << 63) >> 3;
	second = 8 + ((uint64_t)__builtin_ctzll(x[1] | 1ull << 63) >> 3) + (x[1] == 0);
	mask = -(uint64_t)(x[0] == 0);
	KEEP(mask);
	return (first & ~mask) | (second & mask);
}
#endif

/* As deflate does it: the ends are looked at first, then byte by byte. */
static inline __attribute__((always_inline)) unsigned longest(const uint8_t *text, const uint8_t *scan,
							       const uint16_t *candidate, bool modelled)
{
	unsigned best = 2;

	for (unsigned k = 0; branch(modelled, 0, k < CANDIDATES); k++) {
		const uint8_t *m = text + candidate[k];
		unsigned len = 2;

		if (branch(modelled, 1, two(m + best - 1) != two(scan + best - 1)))
			continue;
		if (branch(modelled, 2, two(m) != two(scan)))
			continue;
		while (branch(modelled, 3, len < LONGEST) && branch(modelled, 4, m[len] == scan[len]))
			len++;
		if (branch(modelled, 5, len > best)) {
			best = len;
			KEEP(best);
			if (branch(modelled, 6, len == LONGEST))
				break;
		}
	}
	return best;
}

/* All of all candidates, the longest by arithmetic. */
static inline unsigned longest_without(const uint8_t *text, const uint8_t *scan, const uint16_t *candidate)
{
	uint64_t best = 2;

	for (unsigned k = 0; k < CANDIDATES; k++) {
		uint64_t len = same(text + candidate[k], scan), mask = -(uint64_t)(len > best);

		KEEP(mask);
		best = (best & ~mask) | (len & mask);
	}
	return (unsigned)best;
}

static inline __attribute__((always_inline)) uint64_t match(const struct data *d, bool modelled,
							     bool without)
{
	uint64_t s = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		const uint16_t *c = d->candidate + (size_t)CANDIDATES * i;

		s += without ? longest_without(d->text, d->text + d->at[i], c) :
			longest(d->text, d->text + d->at[i], c, modelled);
	}
	return s;
}

#define KERNEL(name) \
	static __attribute__((noinline)) uint64_t name##_branch(const struct data *d) \
	{ return name(d, false, false); } \
	static __attribute__((noinline)) uint64_t name##_without(const struct data *d) \
	{ return name(d, false, true); } \
	static __attribute__((noinline)) uint64_t name##_model(const struct data *d) \
	{ return name(d, true, false); }
KERNEL(sum)
KERNEL(filter)
KERNEL(bound)
KERNEL(merge)
KERNEL(match)

typedef uint64_t run_fn(const struct data *);

static double time_ns(run_fn *run, const struct data *d)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC_RAW, &a);
	run(d);
	clock_gettime(CLOCK_MONOTONIC_RAW, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / d->n;
}

/* All three in turn, best of each; mispredictions once all is learned. */
static void compare(const char *name, run_fn *with, run_fn *without, run_fn *model,
		    const struct data *d, const struct data *known, double ghz)
{
	double best[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, misses;

	if (with(d) != without(d) || with(known) != without(known)) {
		printf("FAILED: %s without the branch has another answer\n", name);
		exit(1);
	}
	for (int i = 0; i < ROUNDS; i++) {
		best[0] = fmin(best[0], time_ns(with, d));
		best[1] = fmin(best[1], time_ns(without, d));
		/* Known only once it has been seen some times. */
		for (int k = 0; k < 3; k++)
			best[2] = fmin(best[2], time_ns(with, known));
	}
	branch_init(predictor, NULL);
	memset(sites, 0, sizeof(sites));
	model(d);
	missed = 0;
	model(d);
	misses = (double)missed / d->n;
	printf("cost %s %.2f %.2f %.2f %.3f %.1f %.1f\n", name, best[0] * ghz, best[1] * ghz,
	       best[2] * ghz, misses, (best[0] - best[1]) * ghz / misses,
	       (best[0] - best[2]) * ghz / misses);
}

static int ascending(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static int32_t *random_numbers(struct rng *r, uint32_t n, bool sorted)
{
	int32_t *v = xcalloc(n, sizeof(*v));

	for (uint32_t i = 0; i < n; i++)
		v[i] = (int32_t)rng_below(r, 1u << 30);
	if (sorted)
		qsort(v, n, sizeof(*v), ascending);
	return v;
}

static void numbers(double ghz)
{
	struct rng r;
	uint8_t *bytes = xmalloc(N), *half = xmalloc(N);
	int32_t *a, *b, *keys, *few = xcalloc(N, sizeof(*few)), *one = xcalloc(2 * N, sizeof(*one));
	struct data d = { .n = N, .out = xcalloc(N, sizeof(int32_t)) }, known;

	rng_init(&r, 31);
	for (uint32_t i = 0; i < N; i++) {
		bytes[i] = (uint8_t)rng_below(&r, 256);
		half[i] = i < N / 2 ? bytes[i] & 127 : bytes[i] | 128;
	}
	d.bytes = bytes;
	known = d;
	known.bytes = half;
	compare("sum", sum_branch, sum_without, sum_model, &d, &known, ghz);
	compare("filter", filter_branch, filter_without, filter_model, &d, &known, ghz);

	d.sorted = a = random_numbers(&r, KEYS, true);
	d.key = keys = random_numbers(&r, N, false);
	for (uint32_t i = 0; i < N; i++)
		few[i] = keys[i % KNOWN];
	known = d;
	known.key = few;
	compare("bound", bound_branch, bound_without, bound_model, &d, &known, ghz);

	/* N of the two together, all of one before the other where it is known. */
	d.other = b = random_numbers(&r, KEYS, true);
	for (uint32_t i = 0; i < 2 * N; i++)
		one[i] = (int32_t)i - (int32_t)(2 * N);
	known = d;
	known.sorted = one;
	compare("merge", merge_branch, merge_without, merge_model, &d, &known, ghz);
	free(bytes);
	free(half);
	free(a);
	free(b);
	free(keys);
	free(few);
	free(one);
	free(d.out);
}

/* Positions that deflate would search from: with CANDIDATES before them that share
 * their hash (three bytes), the nearest first. */
static uint32_t chains(const uint8_t *text, uint16_t *at, uint16_t *candidate)
{
	static uint16_t head[1 << 15], prev[TEXT];
	uint32_t n = 0;

	memset(head, 0, sizeof(head));
	for (uint32_t i = 1; i + LONGEST < TEXT && n < N; i++) {
		uint32_t h = ((uint32_t)text[i] << 10 ^ (uint32_t)text[i + 1] << 5 ^ text[i + 2]) & 0x7fff;
		uint16_t c = head[h];
		unsigned k = 0;

		prev[i] = c;
		head[h] = (uint16_t)i;
		for (; k < CANDIDATES && c; k++, c = prev[c])
			candidate[(size_t)CANDIDATES * n + k] = c;
		if (k == CANDIDATES)
			at[n++] = (uint16_t)i;
	}
	return n;
}

static void text(double ghz)
{
	struct corpus c;
	uint16_t *at = xcalloc(N, sizeof(*at)), *few = xcalloc(N, sizeof(*few));
	uint16_t *candidate = xcalloc((size_t)N * CANDIDATES, sizeof(*candidate));
	uint16_t *of_few = xcalloc((size_t)N * CANDIDATES, sizeof(*of_few));
	struct data d = { .at = at, .candidate = candidate }, known;

	corpus_web(&c, (size_t)1 << 20);
	d.text = c.bytes;
	d.n = chains(c.bytes, at, candidate);
	for (uint32_t i = 0; i < d.n; i++) {
		/* Any stretch of them; the middle is past the first line of a document. */
		uint32_t from = d.n / 2 + i % KNOWN;

		few[i] = at[from];
		memcpy(of_few + (size_t)CANDIDATES * i, candidate + (size_t)CANDIDATES * from,
		       CANDIDATES * sizeof(*of_few));
	}
	known = d;
	known.at = few;
	known.candidate = of_few;
	compare("match", match_branch, match_without, match_model, &d, &known, ghz);
	corpus_release(&c);
	free(at);
	free(few);
	free(candidate);
	free(of_few);
}

int main(void)
{
	struct machine *m = xcalloc(1, sizeof(*m));
	struct calibration c;
	cpu_set_t one;

	machine_read(m, NULL);
	calibrate(&c, NULL, m);
	if (!c.ok) {
		printf("skipped: %s\n", c.reason);
		return 77;
	}
	CPU_ZERO(&one);
	CPU_SET(m->allowed[m->n_allowed - 1], &one);
	sched_setaffinity(0, sizeof(one), &one);
	predictor = xmalloc(sizeof(*predictor));
	printf("calibrated %.1f %.1f\n", c.miss_cycles, c.rare_miss_cycles);
	numbers(c.clock_hz * 1e-9);
	text(c.clock_hz * 1e-9);
	free(predictor);
	free(m);
	return 0;
}
