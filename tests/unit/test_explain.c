/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/explain/explain.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/result/json.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK 3e9
#define ADDS 3.9		/* a cycle on a core of one's own */
#define BATCHES 5
#define REPS 8

/* A hand-made measurement; all times are of one thread in one repetition. */
struct made {
	int threads;		/* 0: 1 */
	double cpu;		/* share of the wall time; 0: all of it */
	double sys, delay;	/* shares of the wall time */
	double stolen, throttled, stopped;	/* the same */
	double migrations, voluntary, involuntary, faults;	/* a second */
	double share, clock;	/* of the best; 0: 1 */
	double last_share, last_clock;	/* of the last two repetitions */
	struct { const char *name; double share; } entries[3];
	struct result_served served;
	const char *event;
	bool blind;		/* no steal, no throttling, no needles */
};

static void add_batches(struct result_rep *rep, const struct made *m, double share, double clock)
{
	int threads = m->threads ? m->threads : 1;
	double wall = 0.2, cpu = m->cpu ? m->cpu : 1;

	rep->n_batches = (size_t)(threads * BATCHES);
	rep->batches = xcalloc(rep->n_batches, sizeof(*rep->batches));
	for (size_t i = 0; i < rep->n_batches; i++) {
		struct result_batch *b = &rep->batches[i];

		b->thread = (uint32_t)i % (uint32_t)threads;
		b->cpu = b->thread;
		b->wall_s = wall;
		b->cpu_s = cpu * wall;
		b->sys_s = m->sys * wall;
		b->user_s = b->cpu_s - b->sys_s;
		b->run_delay_s = m->delay * wall;
		b->ops = floor(b->cpu_s * share * clock * CLOCK * 0.01);
		b->faults = (uint64_t)(m->faults * wall);
		b->voluntary = (uint64_t)(m->voluntary * wall);
		b->involuntary = (uint64_t)(m->involuntary * wall);
		b->clock_hz = m->blind ? 0 : CLOCK * clock;
		b->adds_per_s = m->blind ? 0 : ADDS * share * CLOCK * clock;
	}
	rep->served = m->served;
	rep->wall_s = wall * BATCHES;
	wall = rep->wall_s * threads;
	rep->steal_s = m->blind ? -1 : m->stolen * wall;
	rep->throttled_s = m->blind ? -1 : m->throttled * wall;
	rep->suspended_s = -1;
	/* A stop holds all threads at once; the process was stopped so long. */
	rep->stopped_s = m->stopped * rep->wall_s;
	rep->migrations = (int64_t)(m->migrations * wall);
}

static struct result_row *add_made(struct result *r, const struct made *m, const char *label)
{
	struct result_row *row = result_add_row(r, label, "", m->threads ? m->threads : 1);

	for (int i = 0; i < REPS; i++) {
		bool last = i >= REPS - 2;
		double share = last && m->last_share ? m->last_share : m->share ? m->share : 1;
		double clock = last && m->last_clock ? m->last_clock : m->clock ? m->clock : 1;

		add_batches(result_add_rep(row), m, share, clock);
	}
	row->profile.samples = 4000;
	row->profile.event = m->event ? xstrdup(m->event) : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(m->entries) && m->entries[i].name; i++) {
		struct result_entry *e = &row->profile.entries[row->profile.n_entries++];

		snprintf(e->name, sizeof(e->name), "%s", m->entries[i].name);
		snprintf(e->place, sizeof(e->place), "function_%zu", i);
		e->share = m->entries[i].share;
	}
	return row;
}

static void start(struct result *r)
{
	result_init(r);
	r->score_scale = 1e-6;
}

/* A machine that has shown its best before: an idle row on CPUs 0 to 3. */
static void explain_made(struct result *r, const struct made *m)
{
	static const struct made best = { .threads = 4 };

	start(r);
	add_made(r, m, "row");
	add_made(r, &best, "best");
	r->rows[1].variant[0] = '\0';
	free(r->rows[1].variant);
	r->rows[1].variant = xstrdup("other");
	if (m->blind)
		r->needle_reason = xstrdup("no needles");
	explain_result(r, NULL);
}

static const struct result_cause *cause(const struct result *r, const char *name)
{
	const struct result_cause *found = NULL;

	for (size_t i = 0; i < r->rows[0].n_causes; i++)
		if (!strcmp(r->rows[0].causes[i].name, name)) {
			assert_null(found);	/* one line a name */
			found = &r->rows[0].causes[i];
		}
	return found;
}

static double sum_of_causes(const struct result_row *row)
{
	double sum = 0;

	for (size_t i = 0; i < row->n_causes; i++)
		if (row->causes[i].parent < 0)
			sum += row->causes[i].cost;
	return sum;
}

#define QUOTA "CPU quota of the cgroup"
#define STEAL "CPU time stolen by the hypervisor"
#define OTHERS "other processes on its CPU"
#define WAITING "waiting (sleep, I/O, locks)"
#define MOVES "migrations between CPUs"
#define STOPPED "stopped by a signal"
#define NEIGHBOUR "a neighbour on this core"
#define SLOW "clock below its best"
#define KERNEL "kernel time"
#define FAULTS "page faults"
#define CALLS "system calls"

/* What was done to the program, and the causes that follow, largest first.
 * Whatever is not listed must not be there. */
static const struct {
	const char *what;
	struct made made;
	struct { const char *name; double cost; } want[4];
} cause_rows[] = {
	{ "nothing", { 0 }, { { NULL, 0 } } },
	{ "nothing, on four threads", { .threads = 4 }, { { NULL, 0 } } },
	{ "quota", { .cpu = 0.5, .throttled = 0.5 }, { { QUOTA, 0.5 } } },
	{ "quota counts threads that were not ours", { .cpu = 0.9, .throttled = 0.5 },
	  { { QUOTA, 0.1 } } },
	{ "throttled, yet always on the CPU", { .throttled = 0.5 }, { { NULL, 0 } } },
	{ "steal", { .cpu = 0.8, .stolen = 0.2 }, { { STEAL, 0.2 } } },
	{ "steal of others", { .stolen = 0.2 }, { { NULL, 0 } } },
	{ "a rival", { .cpu = 0.5, .delay = 0.5, .involuntary = 200 }, { { OTHERS, 0.5 } } },
	{ "waiting", { .cpu = 0.25, .voluntary = 100 }, { { WAITING, 0.75 } } },
	{ "a rival and waiting", { .cpu = 0.5, .delay = 0.3 },
	  { { OTHERS, 0.3 }, { WAITING, 0.2 } } },
	{ "quota before steal before a rival",
	  { .cpu = 0.4, .throttled = 0.3, .stolen = 0.2, .delay = 0.6 },
	  { { QUOTA, 0.3 }, { STEAL, 0.2 }, { OTHERS, 0.1 } } },
	{ "moved about", { .cpu = 0.6, .delay = 0.2, .migrations = 2000, .voluntary = 2000 },
	  { { MOVES, 0.4 } } },
	{ "moved now and then", { .cpu = 0.6, .delay = 0.4, .migrations = 10, .voluntary = 20 },
	  { { OTHERS, 0.4 } } },
	{ "moved when woken", { .cpu = 0.6, .migrations = 200, .voluntary = 2000 },
	  { { WAITING, 0.4 } } },
	{ "stopped", { .cpu = 0.5, .stopped = 0.5 }, { { STOPPED, 0.5 } } },
	{ "four threads stopped", { .threads = 4, .cpu = 0.5, .stopped = 0.5 },
	  { { STOPPED, 0.5 } } },
	{ "a neighbour", { .share = 0.7 }, { { NEIGHBOUR, 0.3 } } },
	{ "a neighbour while half on the CPU", { .cpu = 0.5, .delay = 0.5, .share = 0.7 },
	  { { OTHERS, 0.5 }, { NEIGHBOUR, 0.15 } } },
	{ "low clock", { .clock = 0.8 }, { { SLOW, 0.2 } } },
	{ "low clock and a neighbour", { .clock = 0.8, .share = 0.5 },
	  { { NEIGHBOUR, 0.5 }, { SLOW, 0.1 } } },
	{ "low clock for a moment", { .last_clock = 0.8 }, { { NULL, 0 } } },
	{ "kernel time by accounting", { .sys = 0.3 }, { { KERNEL, 0.3 } } },
	{ "kernel time on a slow core", { .sys = 0.3, .clock = 0.5 },
	  { { SLOW, 0.5 }, { KERNEL, 0.15 } } },
	{ "page faults", { .sys = 0.4, .faults = 1e5, .entries = { { "page faults", 0.35 } } },
	  { { FAULTS, 0.35 } } },
	{ "system calls", { .sys = 0.4, .entries = { { "system calls", 0.4 } } },
	  { { CALLS, 0.4 } } },
	{ "both, and half off the CPU", { .cpu = 0.5, .delay = 0.5, .sys = 0.2,
	  .entries = { { "system calls", 0.1 }, { "page faults", 0.3 } } },
	  { { OTHERS, 0.5 }, { FAULTS, 0.15 }, { CALLS, 0.05 } } },
	{ "a few samples in the kernel", { .entries = { { "system calls", 0.0004 } } },
	  { { NULL, 0 } } },
	{ "moved, seen from both sides", { .cpu = 0.6, .migrations = 2000, .voluntary = 2000,
	  .entries = { { "migrations", 0.5 } } }, { { MOVES, 0.7 } } },
	{ "nothing is known", { .blind = true }, { { NULL, 0 } } },
	{ "nothing is known, half off the CPU", { .blind = true, .cpu = 0.5 },
	  { { WAITING, 0.5 } } },
};

static void test_causes(void **state)
{
	int bad = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cause_rows); i++) {
		struct result r;
		size_t n = 0;

		explain_made(&r, &cause_rows[i].made);
		for (; n < 4 && cause_rows[i].want[n].name; n++) {
			const struct result_cause *c = cause(&r, cause_rows[i].want[n].name);
			double want = cause_rows[i].want[n].cost;
			/* What a program loses to it may be nothing. */
			bool up_to = !strcmp(cause_rows[i].want[n].name, NEIGHBOUR);

			if (!c || (c->low > 0) == up_to || fabs(c->cost - want) > 1e-6 || c != &r.rows[0].causes[n] ||
			    c->low > c->cost || c->high < c->cost || !c->evidence[0]) {
				print_message("%s: '%s' is %g, want %g\n", cause_rows[i].what,
					      cause_rows[i].want[n].name, c ? c->cost : 0, want);
				bad++;
			}
		}
		if (r.rows[0].n_causes != n) {
			for (size_t k = 0; k < r.rows[0].n_causes; k++)
				print_message("%s: has '%s' %g\n", cause_rows[i].what,
					      r.rows[0].causes[k].name, r.rows[0].causes[k].cost);
			bad++;
		}
		result_release(&r);
	}
	assert_int_equal(bad, 0);
}

/* What Go's runtime does is named within the program's own time, and nothing else is. */
static void test_go_runtime(void **state)
{
	static const struct { const char *part, *cause; double share; } row[] = {
		{ RESULT_GO_GC, "garbage collection", 0.3 },
		{ RESULT_GO_ALLOCATION, "memory allocation", 0.2 },
		{ RESULT_GO_MOVES, "moving and clearing memory", 0.1 },
		{ RESULT_GO_SCHEDULER, "Go's scheduler", 0.05 },
		{ RESULT_GO_GC, NULL, 0.005 },		/* too little */
		{ "libc.so.6", NULL, 0.5 },		/* not Go's */
		{ "kernel: network", NULL, 0.5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		/* Kernel time beside it takes nothing from the share of the samples. */
		static const struct made quiet = { .sys = 0.4, .entries = { { "system calls", 0.4 } } };
		const struct result_cause *c;
		struct result r;

		start(&r);
		add_made(&r, &quiet, "row");
		snprintf(r.rows[0].profile.parts[0].name, sizeof(r.rows[0].profile.parts[0].name), "%s",
			 row[i].part);
		r.rows[0].profile.parts[0].share = row[i].share;
		r.rows[0].profile.n_parts = 1;
		explain_result(&r, NULL);
		c = row[i].cause ? cause(&r, row[i].cause) : NULL;
		if ((row[i].cause && (!c || fabs(c->cost - row[i].share) > 1e-6 || c->low >= c->cost ||
				      c->high <= c->cost || c->parent != RESULT_WITHIN_PROGRAM)) ||
		    r.rows[0].n_causes != 1u + (row[i].cause != NULL))
			fail_msg("%s: %zu causes", row[i].part, r.rows[0].n_causes);
		result_release(&r);
	}
}

static double sometimes(struct rng *g, double most)
{
	return rng_below(g, 2) ? most * rng_unit(g) : 0;
}

/* Whatever is measured, however absurd, causes do not overlap. */
static void test_disjoint(void **state)
{
	struct rng g;

	rng_init(&g, 20260301);
	for (int i = 0; i < 3000; i++) {
		struct made m = {
			.threads = 1 + (int)rng_below(&g, 4), .cpu = 0.01 + 1.4 * rng_unit(&g),
			.delay = sometimes(&g, 2), .stolen = sometimes(&g, 2),
			.throttled = sometimes(&g, 3), .stopped = sometimes(&g, 1),
			.migrations = sometimes(&g, 4000), .voluntary = sometimes(&g, 4000),
			.involuntary = sometimes(&g, 1000), .faults = sometimes(&g, 1e6),
			.share = 0.2 + sometimes(&g, 0.8), .clock = 0.3 + sometimes(&g, 0.7),
			.last_share = sometimes(&g, 1), .last_clock = sometimes(&g, 1),
			.blind = rng_below(&g, 8) == 0,
		};
		struct result r;
		double before = 1, e = rng_unit(&g);

		m.sys = m.cpu * rng_unit(&g);
		if (rng_below(&g, 2)) {
			m.entries[0].name = "page faults";
			m.entries[0].share = e * 0.5;
			m.entries[1].name = "migrations";
			m.entries[1].share = e * 0.3;
			m.entries[2].name = "system calls";
			m.entries[2].share = e * 0.2;
		}
		explain_made(&r, &m);
		assert_true(sum_of_causes(&r.rows[0]) <= 1 + 1e-9);
		for (size_t k = 0; k < r.rows[0].n_causes; k++) {
			const struct result_cause *c = &r.rows[0].causes[k];

			assert_true(c->cost > 0 && c->cost <= before + 1e-12);
			assert_true(c->low <= c->cost && c->cost <= c->high);
			assert_true(c->low >= 0);
			assert_ptr_equal(cause(&r, c->name), c);
			before = c->cost;
		}
		result_release(&r);
	}
}

static double product(const struct result_row *row)
{
	double p = 1;

	for (int f = 0; f < FACTORS; f++)
		p *= row->factors[f].value;
	return p;
}

static void test_identity(void **state)
{
	const struct made m = { .threads = 2, .cpu = 0.75, .delay = 0.25, .share = 0.8,
				.clock = 0.9 };
	struct result r;
	struct result_row *row;

	explain_made(&r, &m);
	row = &r.rows[0];
	assert_true(fabs(row->factors[FACTOR_CPUS].value - 1.5) < 1e-9);
	assert_true(fabs(row->factors[FACTOR_SHARE].value - 0.8) < 1e-9);
	assert_true(fabs(row->factors[FACTOR_CLOCK].value / (0.9 * CLOCK) - 1) < 1e-9);
	/* By construction 0.01 operations a cycle of this core's share. */
	assert_true(fabs(row->factors[FACTOR_WORK].value / 0.01 - 1) < 1e-6);
	assert_int_equal(row->factors[FACTOR_WORK].origin, ORIGIN_ESTIMATED);
	assert_int_equal(row->factors[FACTOR_CPUS].origin, ORIGIN_MEASURED);
	assert_true(fabs(row->score.value / (r.score_scale * product(row)) - 1) < 1e-9);
	assert_true(fabs(row->unexplained) < 1e-9);
	result_release(&r);
}

/* Medians of factors that rise and fall apart do not multiply to the score's:
 * the rest is said, exactly. */
static void test_unexplained(void **state)
{
	struct result r;
	struct result_row *row;
	struct rng g;
	double p = 1;

	rng_init(&g, 5);
	start(&r);
	for (int threads = 1; threads <= 2; threads++) {
		row = result_add_row(&r, "row", "", threads);
		for (int i = 0; i < 9; i++) {
			struct made m = { .threads = threads, .cpu = 0.3 + 0.7 * rng_unit(&g) };

			m.delay = 1 - m.cpu;
			add_batches(result_add_rep(row), &m, 0.5 + 0.5 * rng_unit(&g),
				    0.5 + 0.5 * rng_unit(&g));
		}
	}
	explain_result(&r, NULL);
	for (int i = 0; i < 2; i++) {
		row = &r.rows[i];
		assert_true(fabs(row->unexplained) > 1e-4);
		assert_true(fabs(row->score.value / (r.score_scale * product(row) *
						     (1 + row->unexplained)) - 1) < 1e-9);
	}
	for (int f = 0; f < FACTORS; f++)
		p *= row->scaling_factors[f];
	assert_true(fabs(row->scaling_unexplained) > 1e-4);
	assert_true(fabs(row->scaling / (p * (1 + row->scaling_unexplained)) - 1) < 1e-9);
	result_release(&r);
}

/* Two threads reach 1.3 times of one: the split names what the rest went to. */
static void test_scaling(void **state)
{
	const struct made one = { .threads = 1 };
	const struct made two = { .threads = 2, .cpu = 0.8, .delay = 0.2, .clock = 0.9,
				  .share = 0.95 };
	struct result r;
	struct result_row *row;
	double p = 1;

	start(&r);
	add_made(&r, &one, "1 core");
	add_made(&r, &two, "2 cores");
	/* CPU 1 has shown its best in an earlier session. */
	result_ref(&r, 1)->adds = ADDS;
	explain_result(&r, NULL);
	row = &r.rows[1];
	assert_true(r.rows[0].scaling == 0);
	assert_true(fabs(row->scaling - 0.8 * 0.9 * 0.95) < 1e-6);
	assert_true(fabs(row->scaling_factors[FACTOR_CPUS] - 0.8) < 1e-6);
	assert_true(fabs(row->scaling_factors[FACTOR_CLOCK] - 0.9) < 1e-6);
	assert_true(fabs(row->scaling_factors[FACTOR_SHARE] - 0.95) < 1e-6);
	assert_true(fabs(row->scaling_factors[FACTOR_WORK] - 1) < 1e-6);
	for (int f = 0; f < FACTORS; f++)
		p *= row->scaling_factors[f];
	assert_true(fabs(row->scaling / (p * (1 + row->scaling_unexplained)) - 1) < 1e-9);
	assert_true(fabs(row->scaling_unexplained) < 1e-6);
	result_release(&r);
}

/* Two threads do less work per cycle, and hold more than the cache; twins where they
 * lose nothing, hold nothing, or the cache is large enough. */
static void test_shared_memory(void **state)
{
	static const struct {
		int line;
		double work;
		uint64_t held, cache;
		const char *name;
	} row[] = {
		{ __LINE__, 0.8, 20 << 20, 32 << 20, "memory of all threads beyond the last-level cache" },
		{ __LINE__, 0.8, 10 << 20, 32 << 20, "caches and memory the threads share" },
		{ __LINE__, 0.8, 10 << 20, 0, "caches and memory the threads share" },
		{ __LINE__, 1, 20 << 20, 32 << 20, NULL },
		{ __LINE__, 1.1, 20 << 20, 32 << 20, NULL },
		{ __LINE__, 0.8, 0, 32 << 20, NULL },
	};
	const struct made one = { .threads = 1 }, two = { .threads = 2 };

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		const struct explain_cpu cpu = { .cache_bytes = row[i].cache };
		const struct result_cause *c = NULL;
		struct result r;

		start(&r);
		/* The one under test first: cause() looks there. */
		add_made(&r, &two, "2 cores");
		add_made(&r, &one, "1 core");
		for (size_t k = 0; k < r.rows[0].n_reps; k++) {
			struct result_rep *rep = &r.rows[0].reps[k];

			rep->memory_bytes = row[i].held;
			for (size_t b = 0; b < rep->n_batches; b++)
				rep->batches[b].ops = (uint64_t)((double)rep->batches[b].ops * row[i].work);
		}
		explain_result(&r, &cpu);
		if (row[i].name)
			c = cause(&r, row[i].name);
		if (row[i].name && (!c || c->parent != RESULT_WITHIN_PROGRAM || c->low != 0 ||
				    fabs(c->high - 0.2) > 0.02))
			fail_msg("line %d: cause missing or other", row[i].line);
		if (!row[i].name && r.rows[0].n_causes)
			fail_msg("line %d: '%s'", row[i].line, r.rows[0].causes[0].name);
		if (r.rows[1].n_causes)
			fail_msg("line %d: one thread: '%s'", row[i].line, r.rows[1].causes[0].name);
		result_release(&r);
	}
}

static const struct { const char *what; struct made made; unsigned marks; } mark_rows[] = {
	{ "nothing", { 0 }, 0 },
	{ "steal", { .cpu = 0.9, .stolen = 0.1 }, MARK_STEAL },
	{ "one tick of steal", { .cpu = 0.99, .stolen = 0.01 }, 0 },
	{ "a rival", { .cpu = 0.98, .delay = 0.02 }, MARK_FOREIGN },
	{ "housekeeping", { .cpu = 0.996, .delay = 0.004 }, 0 },
	{ "migrations", { .migrations = 30 }, MARK_MIGRATED },
	{ "few migrations", { .migrations = 10 }, 0 },
	{ "quota", { .cpu = 0.9, .throttled = 0.1 }, MARK_THROTTLED },
	{ "stopped", { .cpu = 0.5, .stopped = 0.5 }, MARK_STOPPED },
	{ "a neighbour", { .share = 0.9 }, MARK_SHARE },
	{ "hardly a neighbour", { .share = 0.98 }, 0 },
	{ "steadily low clock", { .clock = 0.8 }, 0 },
	{ "two at once", { .cpu = 0.8, .delay = 0.1, .stolen = 0.1 }, MARK_STEAL | MARK_FOREIGN },
	{ "blind", { .blind = true }, 0 },
	{ "the load is the limit", { .cpu = 0.7, .voluntary = 100,
	  .served = { .requests = 1, .load_busy = 0.99 } }, MARK_LOAD },
	{ "both are busy", { .served = { .requests = 1, .load_busy = 0.99 } }, 0 },
	{ "neither is", { .cpu = 0.7, .voluntary = 100,
	  .served = { .requests = 1, .load_busy = 0.8 } }, 0 },
	{ "the load is on the server's CPUs", { .served = { .requests = 1, .load_shares = true } },
	  MARK_LOAD },
};

static void test_marks(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(mark_rows); i++) {
		struct result r;

		explain_made(&r, &mark_rows[i].made);
		for (int k = 0; k < REPS; k++)
			if (r.rows[0].reps[k].marks != mark_rows[i].marks)
				fail_msg("%s: marks %x, want %x", mark_rows[i].what,
					 r.rows[0].reps[k].marks, mark_rows[i].marks);
		assert_int_equal(r.rows[0].n_quiet, mark_rows[i].marks ? 0 : REPS);
		assert_int_equal(quantity_known(&r.rows[0].quiet), mark_rows[i].marks == 0);
		result_release(&r);
	}
}

/* A repetition at another clock than the others is marked, they are not. */
static void test_odd_one_out(void **state)
{
	const struct made slow = { .last_clock = 0.9 }, shared = { .last_share = 0.8 };
	struct result r;

	explain_made(&r, &slow);
	for (int k = 0; k < REPS; k++)
		assert_int_equal(r.rows[0].reps[k].marks, k >= REPS - 2 ? MARK_CLOCK : 0);
	assert_int_equal(r.rows[0].n_quiet, REPS - 2);
	assert_true(r.rows[0].quiet.value >= r.rows[0].score.value);
	result_release(&r);
	explain_made(&r, &shared);
	for (int k = 0; k < REPS; k++)
		assert_int_equal(r.rows[0].reps[k].marks, k >= REPS - 2 ? MARK_SHARE : 0);
	result_release(&r);
}

static void test_unknown(void **state)
{
	const struct made blind = { .blind = true };
	struct result r;
	struct result_row *row;

	explain_made(&r, &blind);
	row = &r.rows[0];
	assert_true(quantity_known(&row->score));
	assert_true(quantity_known(&row->factors[FACTOR_CPUS]));
	assert_false(quantity_known(&row->factors[FACTOR_SHARE]));
	assert_false(quantity_known(&row->factors[FACTOR_CLOCK]));
	assert_false(quantity_known(&row->factors[FACTOR_WORK]));
	assert_string_equal(row->factors[FACTOR_CLOCK].reason, "no needles");
	assert_true(row->unexplained == 0);
	result_release(&r);
	/* Nothing measured at all. */
	start(&r);
	result_add_row(&r, "row", "", 1);
	explain_result(&r, NULL);
	assert_false(quantity_known(&r.rows[0].score));
	assert_int_equal(r.rows[0].n_causes, 0);
	result_release(&r);
	/* A repetition without a batch. */
	start(&r);
	result_add_rep(result_add_row(&r, "row", "", 1));
	explain_result(&r, NULL);
	assert_int_equal(r.rows[0].n_causes, 0);
	result_release(&r);
}

static void test_few(void **state)
{
	const struct made m = { 0 };
	struct result r;

	start(&r);
	add_made(&r, &m, "row");
	for (size_t i = 3; i < r.rows[0].n_reps; i++)
		free(r.rows[0].reps[i].batches);
	r.rows[0].n_reps = 3;
	explain_result(&r, NULL);
	assert_true(r.rows[0].score.low == r.rows[0].score.high);
	assert_non_null(strstr(r.rows[0].score.reason, "no interval below"));
	result_release(&r);
}

/* It may be called again: the second time changes nothing. */
static void test_again(void **state)
{
	const struct made m = { .cpu = 0.5, .delay = 0.3, .share = 0.8, .sys = 0.1,
				.last_clock = 0.9, .entries = { { "system calls", 0.1 } } };
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct result r;

	explain_made(&r, &m);
	result_to_json(&r, &a);
	explain_result(&r, NULL);
	result_to_json(&r, &b);
	assert_string_equal(buf_str(&a), buf_str(&b));
	buf_release(&a);
	buf_release(&b);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_go_runtime),
		cmocka_unit_test(test_disjoint),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_unexplained),
		cmocka_unit_test(test_scaling),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_odd_one_out),
		cmocka_unit_test(test_shared_memory),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
