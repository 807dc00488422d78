/* SPDX-License-Identifier: MIT */
/*
 * The tool, and the models' sizes: caches as the machine says, with what the
 * pointer chases show of the last level and the TLBs; the predictor's tables as
 * large as makes its misses of random patterns most like those that were timed.
 */
#include "config.h"
#include "src/run/model.h"
#include "pmu/model/branch.h"
#include "pmu/model/cache.h"
#include "src/run/model_rates.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The worst gap between the model and published measurements of public programs;
 * docs/model.md has the table. */
#define PUBLISHED_RANGE 0.50

const char *model_self(void)
{
	static char path[4096];
	ssize_t n = path[0] ? 0 : readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n > 0)
		path[n] = '\0';
	return path;
}

const char *model_launcher(void)
{
	static char text[4200];

	snprintf(text, sizeof(text), "VALGRIND_LAUNCHER=%s", model_self());
	return text;
}

/* In the build tree beside the program, else where it was installed. */
static bool find_tool(char *out, size_t size)
{
	char dir[4096];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", model_self());
	slash = strrchr(dir, '/');
	if (slash) {
		*slash = '\0';
		snprintf(out, size, "%.3900s/pmu/model/cpuprof-model", dir);
		if (access(out, X_OK) == 0)
			return true;
	}
	snprintf(out, size, "%s/cpuprof-model", PKGLIBEXECDIR);
	return access(out, X_OK) == 0;
}

int model_relaunch(int argc, char **argv)
{
	char tool[4096];

	(void)argc;
	if (!find_tool(tool, sizeof(tool)))
		return -ENOENT;
	putenv((char *)model_launcher());
	execv(tool, argv);
	return -errno;
}

/* Tables from small to large; the difference is largest where patterns are half
 * learned, so those periods decide. */
static void fit(struct model *s)
{
	const struct calibration *c = &s->calibration;
	double best = HUGE_VAL;

	for (size_t k = 0; k < MODEL_RATES; k++) {
		double sum = 0, seen = 0, worst = 0;

		for (int i = 0; i < CALIBRATE_PERIODS; i++) {
			double off;

			if (c->period[i] < 1024 || c->period[i] > 16384)
				continue;
			off = fabs(model_rate(&model_rates[k], c->period[i]) - c->period_missed[i]);
			sum += off;
			seen += c->period_missed[i];
			worst = fmax(worst, off);
		}
		if (sum >= best)
			continue;
		best = sum;
		s->entries = model_rates[k].entries;
		s->worst = worst;
		s->range = seen > 0 ? sum / seen : 1;
	}
}

static uint64_t cache_bytes(const struct machine *m, int level, const char *types, uint64_t fallback)
{
	for (int i = 0; i < m->n_caches; i++)
		if (m->caches[i].level == level && strchr(types, m->caches[i].type) &&
		    m->caches[i].bytes)
			return m->caches[i].bytes;
	return fallback;
}

/* Where a series steps up most, by ratio: between index i and i + 1, from `from` on. */
static int largest_step(const double *v, int from, int n)
{
	int at = from;

	for (int i = from; i + 1 < n; i++)
		if (v[i] > 0 && v[i + 1] / v[i] > v[at + 1] / v[at])
			at = i;
	return at;
}

static void set_sizes(struct model *s, const struct machine *m)
{
	struct cache_sizes z = CACHE_SIZES_DEFAULT;
	const struct calibration *c = &s->calibration;

	z.l1i_bytes = cache_bytes(m, 1, "iu", z.l1i_bytes);
	z.l1d_bytes = cache_bytes(m, 1, "du", z.l1d_bytes);
	z.l2_bytes = cache_bytes(m, 2, "du", z.l2_bytes);
	z.l1d_ways = z.l1d_bytes % (48u << 10) == 0 ? 12 : 8;
	if (c->ok) {
		/* Half the way to memory: what a share of the last level really holds. */
		double far = c->size_cycles[CALIBRATE_SIZES - 1];
		int t1 = largest_step(c->page_cycles, 0, 4);
		int t2 = largest_step(c->page_cycles, 4, CALIBRATE_PAGES);

		z.llc_bytes = z.l2_bytes;
		for (int i = 0; i < CALIBRATE_SIZES; i++)
			if (c->size_cycles[i] < 0.6 * far && c->size_bytes[i] > z.llc_bytes)
				z.llc_bytes = c->size_bytes[i];
		z.dtlb_entries = (unsigned)sqrt((double)c->pages[t1] * c->pages[t1 + 1]);
		z.stlb_entries = (unsigned)sqrt((double)c->pages[t2] * c->pages[t2 + 1]);
	}
	snprintf(s->sizes, sizeof(s->sizes), "--sizes=%llu,%llu,%llu,%llu,%u,%u,%u,%u,%u,%u,%u,%u,%d",
		 (unsigned long long)z.l1i_bytes, (unsigned long long)z.l1d_bytes,
		 (unsigned long long)z.l2_bytes, (unsigned long long)z.llc_bytes, z.l1i_ways,
		 z.l1d_ways, z.l2_ways, z.llc_ways, z.dtlb_entries, z.dtlb_ways, z.stlb_entries,
		 z.stlb_ways, z.prefetch);
}

void model_fit(struct model *s, struct flight *f, const struct machine *m)
{
	const struct branch_config standard = BRANCH_CONFIG_DEFAULT;

	calibrate(&s->calibration, f, m);
	s->entries = standard.entries;
	s->range = 1;
	if (s->calibration.ok)
		fit(s);
	s->range = fmax(s->range, PUBLISHED_RANGE);
	set_sizes(s, m);
}

int model_prepare(struct model *s, struct flight *f, const struct machine *m, struct err *err)
{
	bool there;

	memset(s, 0, sizeof(*s));
	if (flight_replaying(f)) {
		there = flight_get_i64(f, "model tool") > 0;
		snprintf(s->tool, sizeof(s->tool), "cpuprof-model");
	} else {
		there = find_tool(s->tool, sizeof(s->tool));
		flight_put_i64(f, "model tool", there);
	}
	if (!there) {
		s->tool[0] = '\0';
		return err_set(err, -ENOENT, "the model tool is not installed here (it is built where "
			       "Debian's valgrind package is)");
	}
	model_fit(s, f, m);
	return 0;
}

void model_costs(const struct model *s, struct pmu_table *t)
{
	const struct calibration *c = &s->calibration;

	for (size_t i = 0; i < t->n_costs && c->ok; i++)
		if (!strcmp(t->costs[i].role, "branch-misses")) {
			t->costs[i].low = fmin(c->miss_cycles, c->rare_miss_cycles);
			/* What waited for the timed branch was little. */
			t->costs[i].high = fmax(t->costs[i].high,
						fmax(c->miss_cycles, c->rare_miss_cycles));
		}
}
