/* SPDX-License-Identifier: MIT */
/*
 * model_kernels - rates of the models beside those that timing implies on this CPU,
 * for branches and walks of known behaviour. A line each:
 *   branch NAME MODELLED TIMED		misses a turn
 *   load NAME MODELLED TIMED		cycles a load: by the model's misses and the
 *					latencies timed, and by timing itself
 * and last the worst difference of each kind. Models are sized as for a run.
 */
#include "config.h"
#include "pmu/model/branch.h"
#include "pmu/model/cache.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/machine/calibrate.h"
#include "src/run/model.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURNS 262144u
#define TRIES 7

static struct model model;
static struct branch_model *predictor;
static double worst_branch, worst_load;

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static uint64_t turn(const unsigned char *p, uint32_t n)
{
	return calibrate_walk(p, n, 1);
}

/* The third branch goes as the two before it differ. */
static __attribute__((noinline)) uint64_t turn_three(const unsigned char *p, uint32_t n)
{
	uint64_t x = 0;

	for (uint32_t i = 0; i + 1 < n; i += 2) {
		if (p[i]) {
			__asm__ volatile("" : "+r"(x));
			x += 3;
		}
		if (p[i + 1]) {
			__asm__ volatile("" : "+r"(x));
			x += 5;
		}
		if (p[i] != p[i + 1]) {
			__asm__ volatile("" : "+r"(x));
			x ^= 1;
		}
	}
	return x;
}

/* Best nanoseconds a turn, learned before. */
static double time_turns(uint64_t (*run)(const unsigned char *, uint32_t), const unsigned char *p)
{
	double best = HUGE_VAL;

	for (int i = 0; i < TRIES + 4; i++) {
		double t = now_ns();

		run(p, TURNS);
		t = now_ns() - t;
		best = i < 4 ? best : fmin(best, t / TURNS);
	}
	return best;
}

static void say(const char *kind, const char *name, double modelled, double timed)
{
	double *worst = kind[0] == 'b' ? &worst_branch : &worst_load;
	double off = kind[0] == 'b' ? fabs(modelled - timed) : fabs(modelled / timed - 1);

	printf("%s %s %.4f %.4f\n", kind, name, modelled, timed);
	*worst = fmax(*worst, off);
}

/* What the turns would take if all were known: those of a short part of them. */
static double base_of(const unsigned char *p)
{
	unsigned char *q = xmalloc(TURNS);
	double ns;

	for (uint32_t i = 0; i < TURNS; i++)
		q[i] = p[i % 40];
	ns = time_turns(turn, q);
	free(q);
	return ns;
}

static double missed_per_ns(double ns, double base)
{
	return fmax(0, ns - base) * 1e-9 * model.calibration.clock_hz / model.calibration.miss_cycles;
}

static double model_turns(const unsigned char *p, bool three)
{
	const struct branch_config config = { model.entries, 1 };
	struct branch_site site[3] = { { 0 } }, loop = { 0 };
	uint64_t missed = 0, n = 0;

	branch_init(predictor, &config);
	for (int round = 0; round < 6; round++)
		for (uint32_t i = 0; i < TURNS; i++) {
			unsigned k = three ? i & 1 : 0;
			unsigned wrong = branch_conditional(predictor, &site[k], 0x401000 + 32 * k, p[i]);

			if (three && k)
				wrong += branch_conditional(predictor, &site[2], 0x401080,
							    p[i - 1] != p[i]);
			if (!three || k)
				wrong += branch_conditional(predictor, &loop, 0x401100,
							    i + 1 < TURNS);
			missed += round >= 4 ? wrong : 0;
			n += round >= 4;
		}
	return (double)missed / (double)n;
}

static void fill(unsigned char *p, const char *name, unsigned period)
{
	struct rng r;

	rng_init(&r, 21);
	calibrate_pattern(p, TURNS < 65536 ? TURNS : 65536);
	for (uint32_t i = 0; i < TURNS; i++) {
		if (!strcmp(name, "always") || !strcmp(name, "never"))
			p[i] = name[0] == 'a';
		else if (!strcmp(name, "alternating"))
			p[i] = i & 1;
		else if (!strcmp(name, "random-0.5"))
			p[i] = (unsigned char)rng_below(&r, 2);
		else if (!strcmp(name, "random-0.1"))
			p[i] = rng_below(&r, 10) == 0;
		else if (!strcmp(name, "loop-1000"))
			p[i] = i % 1000 != 999;
		else
			p[i] = p[i % period];
	}
}

static void branches(void)
{
	static const unsigned periods[] = { 7, 37, 100, 512, 1024, 2048, 4096, 8192, 16384, 65536 };
	static const char *const names[] = { "always", "never", "alternating", "random-0.5", "random-0.1",
					     "loop-1000" };
	unsigned char *p = xmalloc(TURNS);
	double base;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		fill(p, names[i], 1);
		base = base_of(p);
		say("branch", names[i], model_turns(p, false), missed_per_ns(time_turns(turn, p), base));
	}
	for (size_t i = 0; i < ARRAY_SIZE(periods); i++) {
		char name[32];

		snprintf(name, sizeof(name), "period-%u", periods[i]);
		fill(p, name, periods[i]);
		base = base_of(p);
		say("branch", name, model_turns(p, false), missed_per_ns(time_turns(turn, p), base));
	}
	fill(p, "short", 40);
	base = time_turns(turn_three, p);
	fill(p, "random-0.5", 1);
	say("branch", "correlated", model_turns(p, true), missed_per_ns(time_turns(turn_three, p), base));
	free(p);
}

#define TARGET(n) static __attribute__((noinline)) uint64_t target_##n(uint64_t x) \
	{ __asm__ volatile("" : "+r"(x)); return x + n; }
TARGET(0) TARGET(1) TARGET(2) TARGET(3) TARGET(4) TARGET(5) TARGET(6) TARGET(7)
static uint64_t (*const targets[])(uint64_t) = {
	target_0, target_1, target_2, target_3, target_4, target_5, target_6, target_7,
};

static __attribute__((noinline)) uint64_t turn_targets(const unsigned char *p, uint32_t n)
{
	uint64_t x = 0;

	for (uint32_t i = 0; i < n; i++)
		x = targets[p[i]](x);
	return x;
}

static void indirect(void)
{
	unsigned char *p = xmalloc(TURNS);
	struct rng r;
	double base = 0;

	for (uint32_t n = 1; n <= 8; n *= n == 1 ? 2 : 4) {
		char name[32];
		uint64_t missed = 0;
		double ns;

		rng_init(&r, 23);
		for (uint32_t i = 0; i < TURNS; i++)
			p[i] = (unsigned char)rng_below(&r, n);
		branch_init(predictor, NULL);
		for (uint32_t i = 0; i < TURNS; i++)
			missed += branch_indirect(predictor, 0x401000,
						  (uint64_t)(uintptr_t)targets[p[i]]) && i >= TURNS / 2;
		ns = time_turns(turn_targets, p);
		base = n == 1 ? ns : base;
		snprintf(name, sizeof(name), "targets-%u", n);
		say("branch", name, missed / (TURNS / 2.0), missed_per_ns(ns, base));
	}
	free(p);
}

static __attribute__((noinline)) void *chase(void *p, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++)
		p = *(void **)p;
	return p;
}

/* Cycles for a load by what the model says it misses, at the latencies timed. */
static double model_walk(const uint32_t *order, uint32_t n, uint32_t stride)
{
	const struct calibration *c = &model.calibration;
	struct cache_sizes z = CACHE_SIZES_DEFAULT;
	struct cache_model m;
	uint64_t miss[5] = { 0 };
	unsigned long long v[4];
	unsigned w[8];
	int prefetch;
	void *memory;
	double l1 = c->size_cycles[0], l2 = c->size_cycles[3], llc = c->size_cycles[5];

	if (sscanf(model.sizes, "--sizes=%llu,%llu,%llu,%llu,%u,%u,%u,%u,%u,%u,%u,%u,%d", &v[0], &v[1],
		   &v[2], &v[3], &w[0], &w[1], &w[2], &w[3], &w[4], &w[5], &w[6], &w[7],
		   &prefetch) == 13)
		z = (struct cache_sizes){ v[0], v[1], v[2], v[3], w[0], w[1], w[2], w[3], w[4], w[5],
					  w[6], w[7], prefetch };
	memory = xcalloc(1, cache_memory(&z));
	cache_init(&m, &z, memory);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < n; i++) {
			unsigned got = cache_data(&m, 0x10000000 + (uint64_t)order[i] * stride, 8);

			for (int b = 0; b < 5 && round; b++)
				miss[b] += got >> b & 1;
		}
	free(memory);
	return l1 + ((double)miss[0] * (l2 - l1) + (double)miss[1] * (llc - l2) +
		     (double)miss[2] * (c->size_cycles[CALIBRATE_SIZES - 1] - llc)) / n;
}

static void walks(void)
{
	static const uint32_t kib[] = { 16, 32, 128, 1024, 8192, 65536 };

	for (size_t k = 0; k < ARRAY_SIZE(kib); k++) {
		uint32_t n = kib[k] * 1024 / 64, *order = xcalloc(n, sizeof(*order));
		uint32_t steps = n < 200000 ? 200000 : n;
		char *base = NULL, name[32];
		double best = HUGE_VAL;
		struct rng r;
		void *p;

		if (posix_memalign((void **)&base, 4096, (size_t)n * 64))
			abort();
		rng_init(&r, 29);
		for (uint32_t i = 0; i < n; i++)
			order[i] = i;
		for (uint32_t i = n - 1; i > 0; i--) {
			uint32_t j = rng_below(&r, i + 1), t = order[i];

			order[i] = order[j];
			order[j] = t;
		}
		for (uint32_t i = 0; i < n; i++)
			*(void **)(void *)(base + order[i] * 64ul) = base + order[(i + 1) % n] * 64ul;
		p = chase(base + order[0] * 64ul, n);
		for (int i = 0; i < 3; i++) {
			double t = now_ns();

			p = chase(p, steps);
			best = fmin(best, (now_ns() - t) / steps);
		}
		__asm__ volatile("" :: "r"(p));
		snprintf(name, sizeof(name), "random-%uK", kib[k]);
		say("load", name, model_walk(order, n, 64), best * 1e-9 * model.calibration.clock_hz);
		free(base);
		free(order);
	}
}

int main(void)
{
	struct machine *m = xcalloc(1, sizeof(*m));
	cpu_set_t one;

	machine_read(m, NULL);
	model_fit(&model, NULL, m);
	if (!model.calibration.ok) {
		printf("skipped: %s\n", model.calibration.reason);
		return 77;
	}
	CPU_ZERO(&one);
	CPU_SET(m->allowed[m->n_allowed - 1], &one);
	sched_setaffinity(0, sizeof(one), &one);
	predictor = xmalloc(sizeof(*predictor));
	printf("# %.0f MHz, a misprediction %.1f cycles, tables of %u entries, %s\n",
	       model.calibration.clock_hz / 1e6, model.calibration.miss_cycles, model.entries,
	       model.sizes);
	branches();
	indirect();
	walks();
	printf("worst branch %.4f\nworst load %.4f\n", worst_branch, worst_load);
	free(predictor);
	free(m);
	return 0;
}
