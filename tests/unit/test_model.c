/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/counts.h"
#include "pmu/model/branch.h"
#include "pmu/model/cache.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/run/model_rates.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 400000

/* What a branch does on its i-th turn. */
enum stream { ALWAYS, NEVER, ALTERNATING, HALF, TENTH, EVERY_7, EVERY_64, RANDOM_64, RANDOM_1024,
	      LOOP_1000, LOOP_30 };

static unsigned outcome(enum stream s, uint32_t i, struct rng *r, const unsigned char *pattern)
{
	switch (s) {
	case ALWAYS: return 1;
	case NEVER: return 0;
	case ALTERNATING: return i & 1;
	case HALF: return rng_below(r, 2);
	case TENTH: return rng_below(r, 10) == 0;
	case EVERY_7: return i % 7 == 0;
	case EVERY_64: return i % 64 == 0;
	case RANDOM_64: return pattern[i % 64];
	case RANDOM_1024: return pattern[i % 1024];
	case LOOP_1000: return i % 1000 != 999;
	case LOOP_30: return i % 30 != 29;
	}
	return 0;
}

static void branches(void **state)
{
	static const struct { int line; enum stream s; double low, high; } row[] = {
		{ __LINE__, ALWAYS, 0, 0.001 }, { __LINE__, NEVER, 0, 0.001 },
		{ __LINE__, ALTERNATING, 0, 0.001 }, { __LINE__, HALF, 0.49, 0.51 },
		{ __LINE__, TENTH, 0.095, 0.115 }, { __LINE__, EVERY_7, 0, 0.002 },
		{ __LINE__, EVERY_64, 0, 0.004 }, { __LINE__, RANDOM_64, 0, 0.005 },
		{ __LINE__, RANDOM_1024, 0, 0.02 }, { __LINE__, LOOP_1000, 0, 0.0002 },
		{ __LINE__, LOOP_30, 0, 0.002 },
	};
	struct branch_model *m = xmalloc(sizeof(*m));
	unsigned char pattern[1024];
	struct rng r;

	rng_init(&r, 3);
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)rng_below(&r, 2);
	for (size_t k = 0; k < ARRAY_SIZE(row); k++) {
		struct branch_site site = { 0 };
		uint32_t missed = 0;
		double rate;

		branch_init(m, NULL);
		for (uint32_t i = 0; i < TURNS; i++) {
			unsigned wrong = branch_conditional(m, &site, 0x401000,
							    outcome(row[k].s, i, &r, pattern));

			missed += i >= TURNS / 2 && wrong;
		}
		rate = missed / (TURNS / 2.0);
		if (rate < row[k].low || rate > row[k].high)
			fail_msg("line %d: %.4f of the turns were missed", row[k].line, rate);
	}
	free(m);
}

/* What is kept is what the model does; prints what should be there. */
static void rates(void **state)
{
	static const uint32_t periods[MODEL_RATE_PERIODS] = { 1024, 2048, 4096, 8192, 16384 };
	int bad = 0;

	for (size_t k = 0; k < MODEL_RATES; k++) {
		const struct model_rates *r = &model_rates[k];
		char line[120];
		int n = snprintf(line, sizeof(line), "\t{ %u, {", r->entries);

		for (int i = 0; i < MODEL_RATE_PERIODS; i++) {
			double now = model_rate_now(r->entries, periods[i]);

			bad += fabs(model_rate(r, periods[i]) - now) > 1e-6;
			n += snprintf(line + n, sizeof(line) - (size_t)n, " %.0f%s", 1e6 * now,
				      i + 1 < MODEL_RATE_PERIODS ? "," : " } },");
		}
		print_message("%s\n", line);
	}
	assert_int_equal(bad, 0);
	/* One that is not kept is worked out. */
	assert_true(fabs(model_rate(&model_rates[0], 512) - model_rate_now(192, 512)) < 1e-9);
}

/* What two branches decided decides a third. */
static void correlated(void **state)
{
	struct branch_model *m = xmalloc(sizeof(*m));
	struct branch_site site[3] = { { 0 } };
	struct gshare *g = xmalloc(sizeof(*g));
	uint32_t missed = 0, gshare_missed = 0;
	struct rng r;

	rng_init(&r, 5);
	branch_init(m, NULL);
	gshare_init(g);
	for (uint32_t i = 0; i < TURNS; i++) {
		unsigned v[3] = { rng_below(&r, 2), rng_below(&r, 2), 0 };

		v[2] = v[0] ^ v[1];
		for (int k = 0; k < 3; k++) {
			unsigned wrong = branch_conditional(m, &site[k], 0x401000 + 64u * (unsigned)k,
							    v[k]);
			unsigned also = gshare_conditional(g, 0x401000 + 64u * (unsigned)k, v[k]);

			missed += k == 2 && i > TURNS / 2 && wrong;
			gshare_missed += k == 2 && i > TURNS / 2 && also;
		}
	}
	assert_true(missed < TURNS / 2 / 100);
	assert_true(gshare_missed < TURNS / 2 / 20);
	free(m);
	free(g);
}

/* What a branch did decides another, 240 outcomes but 120 taken branches later. */
static void far(void **state)
{
	struct branch_model *m = xmalloc(sizeof(*m));
	struct branch_site site[4] = { { 0 } };
	uint32_t missed = 0;
	struct rng r;

	rng_init(&r, 15);
	branch_init(m, NULL);
	for (uint32_t i = 0; i < 4000; i++) {
		unsigned way = rng_below(&r, 2), wrong;

		branch_conditional(m, &site[0], 0x401000, way);
		for (uint32_t k = 0; k < 120; k++) {
			branch_conditional(m, &site[1], 0x401040, 0);
			branch_conditional(m, &site[2], 0x401080, k < 119);
		}
		branch_jump(m, 0x4010c0);
		wrong = branch_conditional(m, &site[3], 0x401100, way);
		missed += i >= 2000 && wrong;
	}
	assert_true(missed < 2000 / 50);
	free(m);
}

static double indirect(struct branch_model *m, uint32_t targets, bool random)
{
	uint32_t missed = 0;
	struct rng r;

	rng_init(&r, 9);
	branch_init(m, NULL);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t at = random ? rng_below(&r, targets) : i % targets;

		missed += branch_indirect(m, 0x401000, 0x500000 + 64u * at) && i >= 50000;
	}
	return missed / 50000.0;
}

static void targets(void **state)
{
	struct branch_model *m = xmalloc(sizeof(*m));

	assert_true(indirect(m, 1, true) < 0.001);
	assert_true(indirect(m, 2, false) < 0.01 && indirect(m, 8, false) < 0.01);
	/* Nothing knows what is random: all but one in so many are wrong. */
	assert_true(indirect(m, 2, true) > 0.45 && indirect(m, 2, true) < 0.55);
	assert_true(indirect(m, 8, true) > 0.80 && indirect(m, 8, true) < 0.92);
	/* Returns go where the call came from, as deep as the stack is. */
	branch_init(m, NULL);
	for (uint64_t i = 0; i < BRANCH_STACK; i++)
		branch_call(m, 0x1000 + i);
	for (uint64_t i = BRANCH_STACK; i-- > 0;)
		assert_int_equal(branch_return(m, 0x1000 + i), 0);
	for (uint64_t i = 0; i < BRANCH_STACK + 4; i++)
		branch_call(m, 0x1000 + i);
	for (uint64_t i = BRANCH_STACK + 4; i-- > 0;)
		assert_int_equal(branch_return(m, 0x1000 + i), i < 4);
	free(m);
}

/* The share of loads that miss a level once the walk has been gone twice. */
static double walk(struct cache_model *m, uint64_t bytes, uint64_t stride, bool random, unsigned bit)
{
	uint64_t places = bytes / stride, missed = 0;
	struct rng r;

	rng_init(&r, 13);
	for (int round = 0; round < 3; round++)
		for (uint64_t i = 0; i < places; i++) {
			uint64_t at = random ? rng_below(&r, (uint32_t)places) : i;
			unsigned miss = cache_data(m, 0x10000000 + at * stride, 8);

			missed += round == 2 && miss & bit;
		}
	return (double)missed / (double)places;
}

static void caches(void **state)
{
	static const struct cache_sizes sizes = {
		32 << 10, 32 << 10, 1 << 20, 8 << 20, 8, 8, 16, 16, 64, 4, 1024, 8, 0,
	};
	static const struct {
		int line;
		uint64_t bytes, stride;
		bool random;
		unsigned bit;
		double low, high;
	} row[] = {
		{ __LINE__, 16 << 10, 64, false, CACHE_L1, 0, 0 },
		{ __LINE__, 32 << 10, 64, false, CACHE_L1, 0, 0 },
		{ __LINE__, 16 << 10, 8, false, CACHE_L1, 0, 0 },
		/* LRU loses every line of a walk that is too long for it. */
		{ __LINE__, 64 << 10, 64, false, CACHE_L1, 1, 1 },
		{ __LINE__, 64 << 10, 8, false, CACHE_L1, 0.125, 0.125 },
		{ __LINE__, 64 << 10, 64, true, CACHE_L1, 0.40, 0.60 },
		{ __LINE__, 512 << 10, 64, false, CACHE_L2, 0, 0 },
		{ __LINE__, 2 << 20, 64, false, CACHE_L2, 1, 1 },
		{ __LINE__, 4 << 20, 64, false, CACHE_LLC, 0, 0 },
		{ __LINE__, 32 << 20, 64, false, CACHE_LLC, 1, 1 },
		{ __LINE__, 64 * 4096, 4096, false, CACHE_TLB1, 0, 0 },
		{ __LINE__, 128 * 4096, 4096, false, CACHE_TLB1, 1, 1 },
		{ __LINE__, 512 * 4096, 4096, false, CACHE_TLB2, 0, 0 },
		{ __LINE__, 4096 * 4096, 4096, false, CACHE_TLB2, 1, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct cache_model m;
		void *memory = xcalloc(1, cache_memory(&sizes));
		double got;

		/* A page's line goes wherever the page does: no first level for those. */
		cache_init(&m, &sizes, memory);
		got = walk(&m, row[i].bytes, row[i].stride, row[i].random, row[i].bit);
		if (got < row[i].low || got > row[i].high)
			fail_msg("line %d: %.3f missed", row[i].line, got);
		free(memory);
	}
}

/* The next line is there before it is asked for; not when going by twos. */
static void prefetch(void **state)
{
	static const struct cache_sizes sizes = {
		32 << 10, 32 << 10, 64 << 10, 8 << 20, 8, 8, 16, 16, 64, 4, 1024, 8, 1,
	};
	void *memory = xcalloc(1, cache_memory(&sizes));
	struct cache_model m;

	cache_init(&m, &sizes, memory);
	assert_true(walk(&m, 1 << 20, 64, false, CACHE_L2) < 0.51);
	memset(memory, 0, cache_memory(&sizes));
	cache_init(&m, &sizes, memory);
	assert_true(walk(&m, 1 << 20, 128, false, CACHE_L2) > 0.99);
	/* Two lines for an access across their border, one instruction's for a fetch. */
	memset(memory, 0, cache_memory(&sizes));
	cache_init(&m, &sizes, memory);
	assert_true(cache_data(&m, 0x2000003c, 8) & CACHE_L1);
	assert_int_equal(cache_data(&m, 0x20000040, 8), 0);
	assert_true(cache_fetch(&m, 0x30000000) & CACHE_L1);
	assert_int_equal(cache_fetch(&m, 0x30000020), 0);
	free(memory);
}

#define HEAD "cpuprof-model 1\nthreads 1\nmap 1 401000 1000 77 /bin/prog\n"
#define INSN "insn 1 401010 2 c 100 40 7 0 0 0 0 0 0 3\n"

static void counts(void **state)
{
	static const struct { int line; const char *text; int wrong; } row[] = {
		{ __LINE__, HEAD INSN "end\n", 0 },
		{ __LINE__, HEAD "end\n", 0 },
		{ __LINE__, "cpuprof-model 1\nmap 1 1 0 0 \nend\n", 0 },
		{ __LINE__, "", -1 },
		{ __LINE__, HEAD INSN, -1 },
		{ __LINE__, HEAD INSN "end", 5 },
		{ __LINE__, HEAD INSN "end\nmore\n", 6 },
		{ __LINE__, "cpuprof-model 2\nend\n", 1 },
		{ __LINE__, "\n", 1 },
		{ __LINE__, HEAD "insn 1 401010 2 c 100 40 7 0 0 0 0 0 0\nend\n", 4 },
		{ __LINE__, HEAD "insn 1 401010 2 c 100 40 7 0 0 0 0 0 0 3 4\nend\n", 4 },
		{ __LINE__, HEAD "insn 1 401010 2 c 100 140 7 0 0 0 0 0 0 3\nend\n", 4 },
		{ __LINE__, HEAD "insn 1 401010 2 c 100 40 107 0 0 0 0 0 0 3\nend\n", 4 },
		{ __LINE__, HEAD "insn 1 401010 0 c 100 40 7 0 0 0 0 0 0 3\nend\n", 4 },
		{ __LINE__, HEAD "insn 1 401010 2 cc 100 40 7 0 0 0 0 0 0 3\nend\n", 4 },
		{ __LINE__, HEAD "insn 1 401010 2 c -100 40 7 0 0 0 0 0 0 3\nend\n", 4 },
		{ __LINE__, HEAD "insn 1 401010 2 c 99999999999999999999 4 7 0 0 0 0 0 0 3\nend\n", 4 },
		{ __LINE__, HEAD "insn\nend\n", 4 },
		{ __LINE__, HEAD "map 0 1 2 3 x\nend\n", 4 },
		{ __LINE__, HEAD "threads x\nend\n", 4 },
		{ __LINE__, HEAD "wobble 3\nend\n", 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct counts c = { .n_maps = 0 };
		struct err err = { 0 };
		int rc = counts_parse(&c, row[i].text, strlen(row[i].text), &err);
		char where[16];

		snprintf(where, sizeof(where), "line %d ", row[i].wrong);
		if ((rc == 0) != (row[i].wrong == 0) || (row[i].wrong > 0 && !strstr(err.msg, where)))
			fail_msg("line %d: %d '%s'", row[i].line, rc, err.msg);
		counts_release(&c);
	}
}

/* Two processes of one run: their maps and addresses stay apart, their counts add up. */
static void processes(void **state)
{
	struct counts c = { .n_maps = 0 };

	assert_int_equal(counts_parse(&c, HEAD INSN "end\n", strlen(HEAD INSN "end\n"), NULL), 0);
	assert_int_equal(counts_parse(&c, HEAD INSN "end\n", strlen(HEAD INSN "end\n"), NULL), 0);
	assert_int_equal(c.n_insns, 2);
	assert_int_equal(c.processes, 2);
	assert_int_not_equal(c.insns[0].map, c.insns[1].map);
	assert_int_equal(c.insns[1].map, c.maps[1].number);
	assert_int_equal(c.maps[1].process, 2);
	assert_string_equal(c.maps[1].path, "/bin/prog");
	assert_int_equal(counts_sum(&c, COUNTS_EXECUTED), 200);
	assert_int_equal(counts_sum(&c, COUNTS_MISSED), 14);
	assert_int_equal(counts_branches(&c, true), 200);
	counts_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches),
		cmocka_unit_test(rates),
		cmocka_unit_test(correlated),
		cmocka_unit_test(far),
		cmocka_unit_test(targets),
		cmocka_unit_test(caches),
		cmocka_unit_test(prefetch),
		cmocka_unit_test(counts),
		cmocka_unit_test(processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
