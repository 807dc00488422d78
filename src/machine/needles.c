/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/machine/needles.h"
#include "src/base/mem.h"
#include "src/base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHAIN 29952u		/* 10 us at 3 GHz; the burst also runs twice that */
#define AGREE 0.015	/* chains that differ by less agree */
#define SHORT_CHAIN 7488u	/* enough to tell whether the chains agree */
#define BURST 5
#define THROUGHPUT_LOOPS 4500u	/* of 6 x 16 additions: 50 us at 3 GHz and 3 a cycle */

#define X4(s) s s s s
#define X16(s) X4(X4(s))
#define X64(s) X4(X16(s))

/* "add reg, imm" and "inc" are done at rename on recent cores and take no
 * cycle; register-register additions take one everywhere. */
#if defined(__x86_64__)
#define FENCE() __asm__ volatile("lfence" ::: "memory")
#define ADD_CHAIN "add %2, %0\n\t"
#define MUL_CHAIN "imul %2, %0\n\t"
#define ADD_SIX "add %7, %0\n\tadd %7, %1\n\tadd %7, %2\n\tadd %7, %3\n\t" \
		"add %7, %4\n\tadd %7, %5\n\t"
#define COUNT_DOWN(n) "dec %" #n "\n\tjnz 1b\n\t"
/* crc32 takes 3 cycles on Intel and AMD; translators call a function for it,
 * while they may well run additions and multiplications at native speed. */
#define EMU_CHAIN "crc32q %2, %0\n\t"
#define EMU_NAME "crc32"
#define EMU_CYCLES 3.0
#define MUL_LOW 3.0
#define MUL_HIGH 3.0
#elif defined(__aarch64__)
#define FENCE() __asm__ volatile("isb" ::: "memory")
#define ADD_CHAIN "add %0, %0, %2\n\t"
#define MUL_CHAIN "mul %0, %0, %2\n\t"
#define ADD_SIX "add %0, %0, %7\n\tadd %1, %1, %7\n\tadd %2, %2, %7\n\t" \
		"add %3, %3, %7\n\tadd %4, %4, %7\n\tadd %5, %5, %7\n\t"
#define COUNT_DOWN(n) "subs %" #n ", %" #n ", #1\n\tb.ne 1b\n\t"
/* rbit takes 1 cycle on Cortex and Neoverse; translators call a function. */
#define EMU_CHAIN "rbit %0, %0\n\t"
#define EMU_NAME "rbit"
#define EMU_CYCLES 1.0
/* Neoverse V1 and N2 take 2 cycles, N1 and its kin 3, Cortex-A72 up to 5. */
#define MUL_LOW 2.0
#define MUL_HIGH 5.0
#else
#error "the needles know x86-64 and arm64"
#endif

static uint64_t now_ns(void)
{
	struct timespec ts;

	FENCE();
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	FENCE();
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void add_chain(uint64_t n)
{
	uint64_t x = 1, y = 3, loops = n / 64;

	__asm__ volatile("1:\n\t" X64(ADD_CHAIN) COUNT_DOWN(1)
			 : "+r"(x), "+r"(loops) : "r"(y) : "cc");
}

static void mul_chain(uint64_t n)
{
	uint64_t x = 1, y = 3, loops = n / 64;

	__asm__ volatile("1:\n\t" X64(MUL_CHAIN) COUNT_DOWN(1)
			 : "+r"(x), "+r"(loops) : "r"(y) : "cc");
}

static void emu_chain(uint64_t n)
{
	uint64_t x = 1, y = 3, loops = n / 64;

	__asm__ volatile("1:\n\t" X64(EMU_CHAIN) COUNT_DOWN(1)
			 : "+r"(x), "+r"(loops) : "r"(y) : "cc");
}

static void add_six(uint64_t loops)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, one = 1;

	__asm__ volatile("1:\n\t" X16(ADD_SIX) COUNT_DOWN(6)
			 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(loops)
			 : "r"(one) : "cc");
}

static uint64_t best_of(void (*run)(uint64_t), uint64_t n)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < BURST; i++) {
		uint64_t t = now_ns();

		run(n);
		t = now_ns() - t;
		if (t < best)
			best = t;
	}
	return best;
}

/* Operations of the chain a second: what the longer chain does more, in the
 * time it takes more. */
static double chain_rate(void (*run)(uint64_t), uint64_t n)
{
	uint64_t one = best_of(run, n), two = best_of(run, 2 * n);

	return two > one ? (double)n * 1e9 / (double)(two - one) : 0;
}

double needle_clock_hz(void)
{
	return chain_rate(add_chain, CHAIN);
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

double needle_adds_per_s(void)
{
	enum { TRIES = 5, PREEMPTED_NS = 5000 };
	uint64_t t = 1;

	/* A run during which another process had the CPU says nothing of a
	 * neighbour on the core: do it again. */
	for (int i = 0; i < TRIES; i++) {
		uint64_t cpu = cpu_ns();

		t = now_ns();
		add_six(THROUGHPUT_LOOPS);
		t = now_ns() - t;
		cpu = cpu_ns() - cpu;
		if (t < cpu + PREEMPTED_NS)
			break;
	}
	return THROUGHPUT_LOOPS * 96.0 * 1e9 / (double)t;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The lowest clock that is held: the densest 0.5 % of the readings near the
 * lowest place where an eighth of them agree so closely. Turbo steps stand above
 * it; disturbed readings scatter below. */
static double sustained(const double *v, size_t n)
{
	double *s = xcalloc(n + 1, sizeof(*s)), found = stats_quantile(v, n, 0.1), first = 0;
	size_t most = 0;

	memcpy(s, v, n * sizeof(*s));
	qsort(s, n, sizeof(*s), by_value);
	for (size_t i = 0, end = 0; i < n; i++) {
		while (end < n && s[end] <= s[i] * 1.005)
			end++;
		if (first > 0 && s[i] > first * 1.01)
			break;
		if ((end - i) * 8 < n || end - i <= most)
			continue;
		if (!most)
			first = s[i];
		most = end - i;
		found = stats_median(s + i, end - i);
	}
	free(s);
	return found;
}

/* How far the other two chains are from what they take, by the first one. */
static double disagreement(double mul_cycles, double emu_cycles)
{
	double whole = fmin(fmax(round(mul_cycles), MUL_LOW), MUL_HIGH);

	return fmax(fabs(mul_cycles / whole - 1), fabs(emu_cycles / EMU_CYCLES - 1));
}

static void judge(struct needle_check *out, double clock_hz, double emu_cycles)
{
	out->ok = clock_hz > 1e8 && disagreement(out->mul_cycles, emu_cycles) < AGREE;
	if (!out->ok)
		snprintf(out->reason, sizeof(out->reason),
			 "chains disagree: add says %.0f MHz, by which mul takes %.2f and "
			 EMU_NAME " %.2f cycles (emulated or disturbed)",
			 clock_hz / 1e6, out->mul_cycles, emu_cycles);
}

void needle_trust(double max_s, struct needle_check *out)
{
	enum { MAX = 256, LEAST = 3 };
	double add[MAX], mul[MAX], emu[MAX];
	uint64_t end = now_ns() + (uint64_t)(max_s * 1e9);
	size_t n = 0;

	memset(out, 0, sizeof(*out));
	while (n < MAX && (n < LEAST || now_ns() < end)) {
		double off;

		add[n] = chain_rate(add_chain, SHORT_CHAIN);
		mul[n] = add[n] / chain_rate(mul_chain, SHORT_CHAIN);
		emu[n] = add[n] / chain_rate(emu_chain, SHORT_CHAIN);
		n++;
		off = disagreement(stats_median(mul, n), stats_median(emu, n));
		/* Nothing that disturbs makes the middle one of five so wrong. */
		if (n >= LEAST && (off < AGREE || (n >= 5 && off > 0.25)))
			break;
	}
	out->mul_cycles = stats_median(mul, n);
	judge(out, stats_median(add, n), stats_median(emu, n));
}

void needle_check(double seconds, struct needle_check *out)
{
	enum { MAX = 2048 };
	double *add = xcalloc(4 * MAX, sizeof(*add)), *mul = add + MAX, *emu = mul + MAX;
	double *six = emu + MAX;
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
	double emu_cycles;
	size_t n = 0;

	/* Ratios are taken within a burst: the clock may change between two. */
	while (n < MAX && (now_ns() < end || n < 25)) {
		add[n] = chain_rate(add_chain, CHAIN);
		mul[n] = add[n] / chain_rate(mul_chain, CHAIN);
		emu[n] = add[n] / chain_rate(emu_chain, CHAIN);
		six[n] = needle_adds_per_s() / needle_clock_hz();
		n++;
	}
	*out = (struct needle_check){ 0 };
	out->clock_hz = sustained(add, n);
	out->clock_high_hz = stats_quantile(add, n, 0.9);
	out->clock_mean_hz = stats_mean(add, n);
	out->adds_per_cycle = stats_median(six, n);
	out->adds_low = stats_quantile(six, n, 0.1);
	out->adds_best = stats_quantile(six, n, 0.98);
	out->mul_cycles = stats_median(mul, n);
	emu_cycles = stats_median(emu, n);
	free(add);
	judge(out, out->clock_hz, emu_cycles);
}

double needle_warm_up(double max_s, bool *flat)
{
	double last[5] = { 0 };
	uint64_t start = now_ns(), t;
	int n = 0;

	*flat = false;
	do {
		double lo, hi;

		last[n++ % 5] = needle_clock_hz();
		lo = hi = last[0];
		for (int i = 1; i < 5; i++) {
			lo = fmin(lo, last[i]);
			hi = fmax(hi, last[i]);
		}
		*flat = n >= 5 && hi - lo < 0.003 * hi;
		t = now_ns() - start;
	} while (!*flat && (double)t < max_s * 1e9);
	return (double)t * 1e-9;
}
