/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/machine/calibrate.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/machine/needles.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE 64u
#define PAGE 4096u
#define TRIES 5
#define ROUNDS 3		/* of everything: a neighbour's burst spoils one */
#define LONGEST 65536u		/* a period nothing learns */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void calibrate_pattern(unsigned char *out, uint32_t n)
{
	struct rng r;

	rng_init(&r, 7);
	for (uint32_t i = 0; i < n; i++)
		out[i] = (unsigned char)rng_below(&r, 2);
}

__attribute__((noinline)) uint64_t calibrate_walk(const unsigned char *p, uint32_t period,
						  uint32_t n)
{
	uint64_t x = 0;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < period; i++) {
			if (p[i]) {
				__asm__ volatile("" : "+r"(x));
				x += 3;
			} else {
				__asm__ volatile("" : "+r"(x));
				x ^= 1;
			}
		}
	return x;
}

/* Nanoseconds a turn once everything that can be learned was. */
static double pattern_ns(const unsigned char *p, uint32_t period)
{
	uint32_t learn = period < 4096 ? 400000 / period : 40, n = 200000 / period + 1;
	double best = HUGE_VAL;

	calibrate_walk(p, period, learn);
	for (int i = 0; i < TRIES; i++) {
		uint64_t t = now_ns();

		calibrate_walk(p, period, n);
		t = now_ns() - t;
		best = fmin(best, (double)t / ((double)n * period));
	}
	return best;
}

static void branches(struct calibration *c)
{
	static const uint32_t periods[CALIBRATE_PERIODS] = {
		64, 256, 1024, 2048, 4096, 8192, 16384, 32768, LONGEST,
	};
	unsigned char *p = xmalloc(LONGEST);
	double ns[CALIBRATE_PERIODS], learned, random;

	calibrate_pattern(p, LONGEST);
	for (int i = 0; i < CALIBRATE_PERIODS; i++)
		ns[i] = pattern_ns(p, periods[i]);
	learned = fmin(ns[0], ns[1]);
	/* Half of what cannot be learned is wrong. */
	random = ns[CALIBRATE_PERIODS - 1] - learned;
	c->miss_cycles = 2 * random * 1e-9 * c->clock_hz;
	for (int i = 0; i < CALIBRATE_PERIODS; i++) {
		c->period[i] = periods[i];
		c->period_missed[i] = random > 0 ? fmax(0, 0.5 * (ns[i] - learned) / random) : 0;
	}
	free(p);
}

/* The same where one turn in ten goes the other way, at random. */
static void rare_misses(struct calibration *c)
{
	unsigned char *p = xmalloc(LONGEST);
	double learned, random;
	struct rng r;

	rng_init(&r, 17);
	for (uint32_t i = 0; i < LONGEST; i++)
		p[i] = i % 10 == 3;
	learned = pattern_ns(p, 40);
	for (uint32_t i = 0; i < LONGEST; i++)
		p[i] = rng_below(&r, 10) == 0;
	random = pattern_ns(p, LONGEST);
	c->rare_miss_cycles = fmax(0, random - learned) / 0.1 * 1e-9 * c->clock_hz;
	free(p);
}

/* One cycle through n places, in random order. */
static void *link_places(char *base, const uint32_t *offset, uint32_t n)
{
	uint32_t *order = xcalloc(n, sizeof(*order));
	struct rng r;
	void *first;

	rng_init(&r, 11);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t k = rng_below(&r, i + 1), t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
	for (uint32_t i = 0; i < n; i++)
		*(void **)(void *)(base + offset[order[i]]) = base + offset[order[(i + 1) % n]];
	first = base + offset[order[0]];
	free(order);
	return first;
}

static __attribute__((noinline)) void *chase(void *p, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++)
		p = *(void **)p;
	return p;
}

static double chase_ns(void *first, uint32_t n)
{
	uint32_t steps = n < 100000 ? 100000 : n < 300000 ? n : 300000;
	double best = HUGE_VAL;
	void *p = chase(first, n < 1000000 ? n : 1000000);

	for (int i = 0; i < 3; i++) {
		uint64_t t = now_ns();

		p = chase(p, steps);
		t = now_ns() - t;
		best = fmin(best, (double)t / steps);
	}
	/* The result has to be wanted by somebody. */
	__asm__ volatile("" :: "r"(p));
	return best;
}

static void caches(struct calibration *c)
{
	static const uint32_t kib[CALIBRATE_SIZES] = {
		16, 32, 256, 1024, 4096, 8192, 16384, 32768, 65536,
	};
	uint32_t most = kib[CALIBRATE_SIZES - 1] * 1024 / LINE;
	uint32_t *offset = xcalloc(most, sizeof(*offset));
	char *base = NULL;

	if (posix_memalign((void **)&base, PAGE, (size_t)most * LINE))
		abort();
	for (uint32_t i = 0; i < most; i++)
		offset[i] = i * LINE;
	for (int i = 0; i < CALIBRATE_SIZES; i++) {
		uint32_t n = kib[i] * 1024 / LINE;

		c->size_bytes[i] = (uint64_t)kib[i] * 1024;
		c->size_cycles[i] = chase_ns(link_places(base, offset, n), n) * 1e-9 * c->clock_hz;
	}
	free(base);
	free(offset);
}

static void tlbs(struct calibration *c)
{
	static const uint32_t pages[CALIBRATE_PAGES] = {
		16, 48, 80, 128, 512, 1024, 1536, 3072, 6144,
	};
	uint32_t most = pages[CALIBRATE_PAGES - 1], *offset = xcalloc(most, sizeof(*offset));
	char *base = NULL;

	if (posix_memalign((void **)&base, PAGE, (size_t)most * PAGE))
		abort();
	/* Another line in each, so that they do not meet in one set of a cache. */
	for (uint32_t i = 0; i < most; i++)
		offset[i] = i * PAGE + i % (PAGE / LINE) * LINE;
	for (int i = 0; i < CALIBRATE_PAGES; i++) {
		c->pages[i] = pages[i];
		c->page_cycles[i] = chase_ns(link_places(base, offset, pages[i]), pages[i]) * 1e-9 *
			c->clock_hz;
	}
	free(base);
	free(offset);
}

static void measure_once(struct calibration *c)
{
	struct needle_check check;

	memset(c, 0, sizeof(*c));
	needle_check(0.05, &check);
	if (!check.ok) {
		snprintf(c->reason, sizeof(c->reason), "%s", check.reason);
		return;
	}
	c->clock_hz = check.clock_mean_hz;
	branches(c);
	rare_misses(c);
	caches(c);
	tlbs(c);
	/* Nobody's predictor is free, nor is any as dear as that. */
	c->ok = c->miss_cycles > 3 && c->miss_cycles < 100 && c->size_cycles[0] > 1 &&
		c->size_cycles[CALIBRATE_SIZES - 1] > c->size_cycles[0];
	if (!c->ok)
		snprintf(c->reason, sizeof(c->reason), "the timings make no sense: %.1f cycles for a "
			 "misprediction, %.1f for a load", c->miss_cycles, c->size_cycles[0]);
}

#define FIGURES (3 + CALIBRATE_PERIODS + CALIBRATE_SIZES + CALIBRATE_PAGES)

/* Everything that was timed. */
static void figures(struct calibration *c, double *out[FIGURES])
{
	double *groups[] = { &c->clock_hz, &c->miss_cycles, &c->rare_miss_cycles, c->period_missed,
			     c->size_cycles, c->page_cycles };
	static const int n[] = { 1, 1, 1, CALIBRATE_PERIODS, CALIBRATE_SIZES, CALIBRATE_PAGES };

	for (size_t g = 0, k = 0; g < ARRAY_SIZE(groups); g++)
		for (int i = 0; i < n[g]; i++)
			out[k++] = &groups[g][i];
}

void calibrate_measure(struct calibration *c)
{
	struct calibration v[ROUNDS];
	double *out[FIGURES], *in[ROUNDS][FIGURES], same[ROUNDS];
	int n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		measure_once(&v[n]);
		*c = v[n];
		n += v[n].ok;
	}
	if (!n)
		return;
	*c = v[0];
	figures(c, out);
	for (int i = 0; i < n; i++)
		figures(&v[i], in[i]);
	for (int k = 0; k < FIGURES; k++) {
		for (int i = 0; i < n; i++)
			same[i] = *in[i][k];
		*out[k] = stats_median(same, (size_t)n);
	}
}

/* What it is good for: this boot, this model, this layout of the struct. */
static void identity(const struct machine *m, struct buf *out)
{
	struct buf boot = BUF_INIT;

	if (io_read_file("/proc/sys/kernel/random/boot_id", 256, &boot, NULL) == 0)
		buf_printf(out, "%.*s %s %zu 2\n", (int)strcspn(buf_str(&boot), "\n"),
			   buf_str(&boot), m->model, sizeof(struct calibration));
	buf_release(&boot);
}

static bool load(struct calibration *c, const struct buf *id, const char *path)
{
	struct buf b = BUF_INIT;
	bool ok = path && id->len && io_read_file(path, 1 << 16, &b, NULL) == 0 &&
		b.len == id->len + sizeof(*c) && !memcmp(b.data, id->data, id->len);

	if (ok)
		memcpy(c, b.data + id->len, sizeof(*c));
	buf_release(&b);
	return ok;
}

/* Bytes of a file or a flight are no numbers until checked. */
static void distrust(struct calibration *c)
{
	double *v[FIGURES];
	unsigned char ok;

	memcpy(&ok, c, 1);
	figures(c, v);
	for (int i = 0; i < FIGURES; i++)
		if (!isfinite(*v[i]) || *v[i] < 0 || *v[i] > 1e12)
			ok = 0;
	for (int i = 0; i < CALIBRATE_PERIODS; i++)
		if (c->period[i] == 0 || c->period[i] > LONGEST)
			ok = 0;
	c->reason[sizeof(c->reason) - 1] = '\0';
	memset(c, ok == 1, 1);
}

void calibrate(struct calibration *c, struct flight *f, const struct machine *m)
{
	struct buf id = BUF_INIT, file = BUF_INIT;
	const void *data;
	size_t len;
	char *path;
	cpu_set_t old, one;

	memset(c, 0, sizeof(*c));
	if (flight_replaying(f)) {
		if (flight_get(f, "calibration", &data, &len) && len == sizeof(*c))
			memcpy(c, data, len);
		else
			snprintf(c->reason, sizeof(c->reason), "not in the flight");
		distrust(c);
		return;
	}
	identity(m, &id);
	path = io_cache_path("calibration", true);
	if (!load(c, &id, path)) {
		sched_getaffinity(0, sizeof(old), &old);
		CPU_ZERO(&one);
		CPU_SET(m->n_allowed ? m->allowed[m->n_allowed - 1] : 0, &one);
		sched_setaffinity(0, sizeof(one), &one);
		calibrate_measure(c);
		sched_setaffinity(0, sizeof(old), &old);
		buf_add(&file, buf_str(&id), id.len);
		buf_add(&file, c, sizeof(*c));
		if (path && c->ok)
			io_write_file(path, file.data, file.len, NULL);
	}
	distrust(c);
	flight_put(f, "calibration", c, sizeof(*c));
	buf_release(&id);
	buf_release(&file);
	free(path);
}
