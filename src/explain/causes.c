/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/explain/explain.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 0.001	/* causes below this share are not worth a line anywhere */
#define LEAST_RUNTIME 0.01	/* of samples, for a line about Go's runtime */
#define LEAST_SHARED 0.01	/* of work per cycle lost between threads */

/* A row's time in all its repetitions together, in thread-seconds. */
struct times {
	double wall, cpu, user, sys, delay, steal, throttled, stopped;
	double faults, voluntary, involuntary, migrations;
	bool delay_known;
};

static struct times sum_times(const struct result_row *row)
{
	struct times t = { .delay_known = true };

	for (size_t i = 0; i < row->n_reps; i++) {
		const struct result_rep *rep = &row->reps[i];
		uint32_t threads = 0;

		for (size_t k = 0; k < rep->n_batches; k++) {
			const struct result_batch *b = &rep->batches[k];

			threads = b->thread + 1 > threads ? b->thread + 1 : threads;
			/* A command with many threads uses more than its wall time. */
			t.wall += b->wall_s > b->cpu_s ? b->wall_s : b->cpu_s;
			t.cpu += b->cpu_s;
			t.user += b->user_s;
			t.sys += b->sys_s;
			t.delay += fmax(0, b->run_delay_s);
			t.delay_known &= b->run_delay_s >= 0;
			t.faults += (double)b->faults;
			t.voluntary += (double)b->voluntary;
			t.involuntary += (double)b->involuntary;
		}
		t.migrations += rep->migrations > 0 ? (double)rep->migrations : 0;
		t.steal += rep->steal_s > 0 ? rep->steal_s : 0;
		t.throttled += rep->throttled_s > 0 ? rep->throttled_s : 0;
		/* A stop holds all threads at once. */
		t.stopped += rep->stopped_s * threads;
	}
	return t;
}

static double take(double *rest, double want)
{
	double got = want < *rest ? want : *rest;

	if (got < 0)
		got = 0;
	*rest -= got;
	return got;
}

/* The interval of a cause that follows from a factor: by the repetitions. */
static void cause_interval(struct result_cause *c, const struct result_row *row,
			   enum result_factor f, double scale, double ref)
{
	double *v = xcalloc(row->n_reps + 1, sizeof(*v)), low, high;

	for (size_t i = 0; i < row->n_reps; i++)
		v[i] = scale * (1 - fmin(1, row->reps[i].factors[f] / ref));
	if (stats_median_ci(v, row->n_reps, &low, &high) == 0) {
		c->low = fmax(0, fmin(low, c->cost));
		c->high = fmax(high, c->cost);
	}
	free(v);
}

static struct result_cause *add(struct result_row *row, const char *name, double cost,
				enum origin origin)
{
	return cost >= LEAST ? result_add_cause(row, name, cost, -1, origin) : NULL;
}

/* Was the load generator the limit in most repetitions? */
static bool mostly_limited(const struct result_row *row)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n_reps; i++)
		n += (row->reps[i].marks & MARK_LOAD) != 0;
	return 2 * n > row->n_reps;
}

/* Time in which the program was not on a CPU. */
static void off_cpu(struct result_row *row, const struct times *t, bool command)
{
	bool load = row->n_reps && row->reps[0].served.load_shares;
	bool limited = mostly_limited(row);

	double gap = 1 - t->cpu / t->wall, rest = gap > 0 ? gap : 0, cost;
	double switches = t->voluntary + t->involuntary;
	/* Each migration takes the thread off its CPU and through another's queue. */
	bool migrating = t->migrations > 50 * t->wall && t->migrations > 0.4 * switches;
	struct result_cause *c;

	cost = take(&rest, t->throttled / t->wall);
	if ((c = add(row, "CPU quota of the cgroup", cost, ORIGIN_MEASURED)))
		snprintf(c->evidence, sizeof(c->evidence), "throttled %.2f s of %.2f s",
			 t->throttled, t->wall);
	cost = take(&rest, t->stopped / t->wall);
	if ((c = add(row, "stopped by a signal", cost, ORIGIN_ESTIMATED)))
		snprintf(c->evidence, sizeof(c->evidence), "SIGSTOP or SIGTSTP for %.1f s",
			 t->stopped);
	cost = take(&rest, t->steal / t->wall);
	/* Which of the CPUs it may use a command was on is not known. */
	if ((c = add(row, "CPU time stolen by the hypervisor", cost,
		     command ? ORIGIN_ESTIMATED : ORIGIN_MEASURED)))
		snprintf(c->evidence, sizeof(c->evidence), "steal %.2f s of %.2f s%s", t->steal,
			 t->wall, command ? ", on all CPUs it may use" : "");
	if (migrating) {
		cost = take(&rest, rest);
		/* All the time off the CPU: what else it waited for cannot be told apart. */
		if ((c = add(row, "migrations between CPUs", cost, ORIGIN_ESTIMATED)))
			snprintf(c->evidence, sizeof(c->evidence),
				 "%.0f migrations/s, off the CPU meanwhile",
				 t->migrations / t->wall);
		return;
	}
	cost = take(&rest, t->delay / t->wall);
	if ((c = add(row, "other processes on its CPU", cost, ORIGIN_MEASURED)))
		snprintf(c->evidence, sizeof(c->evidence),
			 "%sready to run but waiting %.2f s of %.2f s, %.0f forced switches/s",
			 load ? "the load generator among them; " : "", t->delay, t->wall,
			 t->involuntary / t->wall);
	c = t->delay_known ? add(row, "waiting (sleep, I/O, locks)", rest, ORIGIN_MEASURED) :
		add(row, "waiting, or other processes on the CPUs of its children", rest,
		    ORIGIN_ESTIMATED);
	if (c)
		snprintf(c->evidence, sizeof(c->evidence), "%.0f waits/s%s", t->voluntary / t->wall,
			 limited && !load ? ", for the load generator, which was the limit" : "");
}

/* "49.8 % of samples; kernel: network 31 %, files 17 %". */
static void say_parts(const struct result_profile *p, const struct result_entry *e, char *out,
		      size_t size)
{
	const char *before = "; kernel: ";
	size_t n = (size_t)snprintf(out, size, "%.1f %% of samples", 100 * e->share);

	for (size_t i = 0; i < p->n_parts && n + 32 < size && !strcmp(e->name, "system calls"); i++) {
		if (strncmp(p->parts[i].name, "kernel: ", 8) || p->parts[i].share < 0.02)
			continue;
		n += (size_t)snprintf(out + n, size - n, "%s%.20s %.0f %%", before,
				      p->parts[i].name + 8, 100 * p->parts[i].share);
		before = ", ";
	}
}

/* Kernel time by what asked for it, when call chains told. */
static void in_kernel(struct result_row *row, const struct times *t, double rest)
{
	const struct result_profile *p = &row->profile;
	struct result_cause *c;

	for (size_t i = 0; i < p->n_entries; i++) {
		const struct result_entry *e = &p->entries[i];
		bool migration = !strcmp(e->name, "migrations");
		double err = stats_share_error(e->share * (double)p->samples,
					       (double)p->samples);

		if (e->share <= err)
			continue;
		c = add(row, migration ? "migrations between CPUs" : e->name, rest * e->share,
			ORIGIN_MEASURED);
		if (!c)
			continue;
		c->low = rest * (e->share - err);
		c->high = rest * (e->share + err);
		snprintf(c->place, sizeof(c->place), "%s", e->place);
		if (!strcmp(e->name, "page faults"))
			snprintf(c->evidence, sizeof(c->evidence), "%.0f faults/s",
				 t->faults / t->wall);
		else if (migration)
			snprintf(c->evidence, sizeof(c->evidence), "%.0f migrations/s",
				 t->migrations / t->wall);
		else
			say_parts(p, e, c->evidence, sizeof(c->evidence));
	}
	if (p->n_entries || t->cpu <= 0)
		return;
	c = add(row, "kernel time", rest * fmin(1, t->sys / (t->user + t->sys + 1e-12)),
		ORIGIN_ESTIMATED);
	if (c)
		snprintf(c->evidence, sizeof(c->evidence),
			 "by CPU accounting; %.0f page faults/s, %.0f switches/s",
			 t->faults / t->wall, (t->voluntary + t->involuntary) / t->wall);
}

/* One line a name: off the CPU and in the kernel may both be migrations. */
static void merge_causes(struct result_row *row)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n_causes; i++) {
		struct result_cause *same = NULL;

		for (size_t k = 0; k < n; k++)
			if (!strcmp(row->causes[k].name, row->causes[i].name))
				same = &row->causes[k];
		if (!same) {
			row->causes[n++] = row->causes[i];
			continue;
		}
		same->cost += row->causes[i].cost;
		same->low += row->causes[i].low;
		same->high += row->causes[i].high;
		if (!same->place[0])
			memcpy(same->place, row->causes[i].place, sizeof(same->place));
	}
	row->n_causes = n;
}

/* Numbers of the causes within parent, then of those within each, into order. */
static size_t order_within(const struct result_row *row, int parent, size_t *order, size_t n)
{
	size_t first = n;

	for (size_t i = 0; i < row->n_causes; i++)
		if (row->causes[i].parent == parent)
			order[n++] = i;
	/* By falling cost; few enough for the plainest way. */
	for (size_t i = first; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (row->causes[order[k]].cost > row->causes[order[i]].cost) {
				size_t t = order[i];

				order[i] = order[k];
				order[k] = t;
			}
	return n;
}

/* Depth first: a cause, then what lies within it. */
static size_t walk(const struct result_row *row, int parent, size_t *order, size_t n)
{
	size_t *at = xcalloc(row->n_causes + 1, sizeof(*at));
	size_t here = order_within(row, parent, at, 0);

	for (size_t i = 0; i < here; i++) {
		order[n++] = at[i];
		n = walk(row, (int)at[i], order, n);
	}
	free(at);
	return n;
}

/* Largest first, each followed by those within it. */
static void sort_causes(struct result_row *row)
{
	size_t total = row->n_causes, *order = xcalloc(total + 1, sizeof(*order)), n;
	struct result_cause *sorted = xcalloc(total + 1, sizeof(*sorted));

	n = walk(row, -1, order, 0);
	n = walk(row, RESULT_WITHIN_PROGRAM, order, n);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = row->causes[order[i]];
		for (size_t k = 0; k < n && sorted[i].parent >= 0; k++)
			if (order[k] == (size_t)sorted[i].parent) {
				sorted[i].parent = (int)k;
				break;
			}
	}
	free(row->causes);
	free(order);
	row->causes = sorted;
	row->n_causes = n;
	row->cap_causes = total + 1;
}

/* Does any CPU compare with an earlier run? */
static bool remembered(const struct result *r)
{
	for (size_t i = 0; i < r->n_refs; i++)
		if (r->refs[i].remembered)
			return true;
	return false;
}

/* Work per cycle that is there on fewer threads and lost on all of them, with what the
 * library holds: what the threads share can take all of that, or nothing. */
static void shared_memory(const struct result *r, struct result_row *row, double rest,
			  uint64_t cache_bytes)
{
	const struct result_row *base = explain_base(r, row);
	const struct quantity *one = &base->factors[FACTOR_WORK], *all = &row->factors[FACTOR_WORK];
	double each = (double)result_row_memory(row), cost = rest * (1 - row->scaling_factors[FACTOR_WORK]);
	bool beyond = cache_bytes && each * row->threads > (double)cache_bytes;
	char held[32], cache[32];
	struct result_cause *c;

	/* Where the intervals meet, nothing is lost that could be told from noise. */
	if (base == row || !each || !quantity_known(one) || !quantity_known(all) ||
	    all->high >= one->low || cost < LEAST_SHARED)
		return;
	c = result_add_cause(row, beyond ? "memory of all threads beyond the last-level cache" :
			     "caches and memory the threads share", cost, RESULT_WITHIN_PROGRAM,
			     ORIGIN_ESTIMATED);
	c->low = 0;
	c->high = cost;
	snprintf(c->evidence, sizeof(c->evidence), "work per cycle is %.1f %% of that on %s; %s held "
		 "for each of %d threads%s%s", 100 * row->scaling_factors[FACTOR_WORK], base->label,
		 units_bytes(held, sizeof(held), each), row->threads,
		 cache_bytes ? ", last-level cache " : "",
		 cache_bytes ? units_bytes(cache, sizeof(cache), (double)cache_bytes) : "");
}

/* What Go's runtime does beside the work. */
static void go_runtime(struct result_row *row, double rest)
{
	static const struct { const char *part, *cause; } rows[] = {
		{ RESULT_GO_GC, "garbage collection" },
		{ RESULT_GO_ALLOCATION, "memory allocation" },
		{ RESULT_GO_MOVES, "moving and clearing memory" },
		{ RESULT_GO_SCHEDULER, "Go's scheduler" },
	};
	const struct result_profile *p = &row->profile;

	for (size_t i = 0; i < p->n_parts; i++)
		for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
			double share = p->parts[i].share;
			double err = stats_share_error(share * (double)p->samples, (double)p->samples);
			struct result_cause *c;

			if (strcmp(p->parts[i].name, rows[k].part) || share <= err ||
			    share < LEAST_RUNTIME)
				continue;
			c = result_add_cause(row, rows[k].cause, rest * share, RESULT_WITHIN_PROGRAM,
					     ORIGIN_MEASURED);
			c->low = rest * (share - err);
			c->high = rest * (share + err);
			snprintf(c->evidence, sizeof(c->evidence), "%.1f %% of samples, in Go's runtime",
				 100 * share);
		}
}

void explain_causes(const struct result *r, struct result_row *row,
		    const struct explain_cpu *cpu)
{
	struct times t = sum_times(row);
	double u, share, clock, cost;
	struct result_cause *c;

	row->n_causes = 0;
	if (t.wall <= 0)
		return;
	u = t.cpu / t.wall;
	off_cpu(row, &t, result_of_command(r));
	share = quantity_known(&row->factors[FACTOR_SHARE]) ? row->factors[FACTOR_SHARE].value : 1;
	cost = u * (1 - share);
	if ((c = add(row, "a neighbour on this core", cost, row->factors[FACTOR_SHARE].origin))) {
		snprintf(c->evidence, sizeof(c->evidence),
			 "core share %.3f of the best this CPU has shown%s; code that waits for its own "
			 "results loses less", share, remembered(r) ? " since the boot" : "");
		cause_interval(c, row, FACTOR_SHARE, u, 1);
		/* The needle fills every slot of the core, so it loses whatever is taken. */
		c->low = 0;
	}
	clock = quantity_known(&row->factors[FACTOR_CLOCK]) && r->ref_clock_hz > 0 ?
		fmin(1, row->factors[FACTOR_CLOCK].value / r->ref_clock_hz) : 1;
	cost = u * share * (1 - clock);
	if ((c = add(row, "clock below its best", cost, row->factors[FACTOR_CLOCK].origin))) {
		snprintf(c->evidence, sizeof(c->evidence), "%.0f MHz, %.0f seen in this session",
			 row->factors[FACTOR_CLOCK].value / 1e6, r->ref_clock_hz / 1e6);
		cause_interval(c, row, FACTOR_CLOCK, u * share, r->ref_clock_hz);
	}
	in_kernel(row, &t, u * share * clock);
	merge_causes(row);
	cost = 0;
	for (size_t i = 0; i < row->n_causes; i++)
		cost += row->causes[i].cost;
	if (cpu && cpu->table && cpu->table->name[0])
		explain_counted(row, cpu->table, fmax(0, 1 - cost));
	go_runtime(row, u * share * clock);	/* of all samples, as the kernel's causes */
	shared_memory(r, row, fmax(0, 1 - cost), cpu ? cpu->cache_bytes : 0);
	sort_causes(row);
}
