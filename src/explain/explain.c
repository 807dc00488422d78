/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/explain/explain.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/explain/metrics.h"
#include "src/explain/versus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_BUSY 0.95	/* of the time: then it is as busy as can be */

static uint32_t n_threads(const struct result_rep *rep)
{
	uint32_t n = 0;

	for (size_t i = 0; i < rep->n_batches; i++)
		if (rep->batches[i].thread + 1 > n)
			n = rep->batches[i].thread + 1;
	return n;
}

/* Sums over the batches of one thread. */
struct sums { double wall, cpu, ops; };

static struct sums thread_sums(const struct result_rep *rep, uint32_t thread)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < rep->n_batches; i++) {
		const struct result_batch *b = &rep->batches[i];

		if (b->thread != thread)
			continue;
		s.wall += b->wall_s;
		s.cpu += b->cpu_s;
		s.ops += (double)b->ops;
	}
	return s;
}

void explain_score(struct result_rep *rep)
{
	rep->score = 0;
	for (uint32_t t = 0; t < n_threads(rep); t++) {
		struct sums s = thread_sums(rep, t);

		if (s.wall > 0)
			rep->score += s.ops / s.wall;
	}
}

static double adds_per_cycle(const struct result_batch *b)
{
	return b->clock_hz > 0 ? b->adds_per_s / b->clock_hz : 0;
}

/* Mean clock of a repetition, 0 when the needle was not read. */
static double rep_clock(const struct result_rep *rep)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < rep->n_batches; i++)
		if (rep->batches[i].clock_hz > 0) {
			sum += rep->batches[i].clock_hz;
			n++;
		}
	return n ? sum / (double)n : 0;
}

static double rep_share(struct result *r, const struct result_rep *rep)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < rep->n_batches; i++) {
		double a = adds_per_cycle(&rep->batches[i]);
		double best = result_ref(r, rep->batches[i].cpu)->adds;

		if (a > 0 && best > 0) {
			sum += a < best ? a / best : 1;
			n++;
		}
	}
	return n ? sum / (double)n : 0;
}

/* All readings of adds a cycle on one CPU; *v is the caller's to free. */
static size_t adds_on(const struct result *r, uint32_t cpu, double **v)
{
	size_t n = 0, cap = 0;

	*v = NULL;
	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < r->rows[i].n_reps; k++) {
			const struct result_rep *rep = &r->rows[i].reps[k];

			for (size_t b = 0; b < rep->n_batches; b++) {
				double a = adds_per_cycle(&rep->batches[b]);

				if (a <= 0 || rep->batches[b].cpu != cpu)
					continue;
				GROW(*v, n, cap);
				(*v)[n++] = a;
			}
		}
	return n;
}

/* The references of this session. Single readings jump by whole turbo steps,
 * so the clock's is the 90th percentile of the repetitions' means; a reading of
 * adds is only ever disturbed downwards, but for its own rounding. */
static void find_references(struct result *r)
{
	double *v = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < r->rows[i].n_reps; k++) {
			const struct result_rep *rep = &r->rows[i].reps[k];
			double c = rep_clock(rep);

			for (size_t b = 0; b < rep->n_batches; b++)
				result_ref(r, rep->batches[b].cpu);
			if (c > 0) {
				GROW(v, n, cap);
				v[n++] = c;
			}
		}
	r->ref_clock_hz = stats_quantile(v, n, 0.9);
	free(v);
	for (size_t i = 0; i < r->n_refs; i++) {
		double best;

		n = adds_on(r, r->refs[i].cpu, &v);
		best = stats_quantile(v, n, 0.95);
		free(v);
		r->refs[i].readings = (uint32_t)n;
		if (best > r->refs[i].adds) {
			r->refs[i].adds = best;
			r->refs[i].remembered = false;
		}
	}
}

/* Cycles of the whole repetition; 0 when any batch has none. */
static double counted_cycles(const struct result_rep *rep)
{
	double sum = 0;

	for (size_t i = 0; i < rep->n_batches; i++) {
		if (rep->batches[i].cycles <= 0)
			return 0;
		sum += rep->batches[i].cycles;
	}
	return sum;
}

/* The CPU time they were counted in: a command's starts with its exec, what was
 * its fork is in its CPU time all the same. */
static double counted_time(const struct result_rep *rep, double cpu)
{
	double sum = 0;

	for (size_t i = 0; i < rep->n_batches; i++) {
		if (rep->batches[i].counted_s <= 0)
			return cpu;
		sum += rep->batches[i].counted_s;
	}
	return sum;
}

static void rep_factors(struct result *r, struct result_rep *rep)
{
	double cpu = 0, ops = 0, share, cycles;
	double *f = rep->factors;

	f[FACTOR_CPUS] = 0;
	for (uint32_t t = 0; t < n_threads(rep); t++) {
		struct sums s = thread_sums(rep, t);

		f[FACTOR_CPUS] += s.wall > 0 ? s.cpu / s.wall : 0;
		cpu += s.cpu;
		ops += s.ops;
	}
	f[FACTOR_SHARE] = r->needle_reason ? 0 : rep_share(r, rep);
	f[FACTOR_CLOCK] = r->needle_reason ? 0 : rep_clock(rep);
	/* Counted cycles over the CPU time they were counted in beat a probe. */
	if (counted_cycles(rep) > 0)
		f[FACTOR_CLOCK] = counted_cycles(rep) / counted_time(rep, cpu);
	/* No needle but cycles: what a neighbour cost stays in ops/cycle. */
	share = f[FACTOR_SHARE] == 0 && counted_cycles(rep) > 0 ? 1 : f[FACTOR_SHARE];
	cycles = cpu * share * f[FACTOR_CLOCK];
	f[FACTOR_WORK] = cycles > 0 ? ops / cycles : 0;
}

static double thread_wall(const struct result_rep *rep)
{
	double wall = 0;

	for (size_t i = 0; i < rep->n_batches; i++)
		wall += rep->batches[i].wall_s;
	return wall;
}

/* Was the load generator the limit, or on the server's own CPUs? */
static bool limited_by_load(const struct result_rep *rep, double wall)
{
	double cpu = 0;

	for (size_t i = 0; i < rep->n_batches; i++)
		cpu += rep->batches[i].cpu_s;
	return rep->served.requests > 0 &&
		(rep->served.load_shares ||
		 (rep->served.load_busy > LOAD_BUSY && cpu < LOAD_BUSY * wall));
}

static void mark_rep(struct result_rep *rep, double clock)
{
	double wall = thread_wall(rep), delay = 0;

	rep->marks = 0;
	for (size_t i = 0; i < rep->n_batches; i++)
		delay += fmax(0, rep->batches[i].run_delay_s);
	if (wall <= 0)
		return;
	/* Steal comes in ticks of 10 ms: one alone may be anybody's. */
	if (rep->steal_s > 0.015 && rep->steal_s > 0.005 * wall)
		rep->marks |= MARK_STEAL;
	/* A millisecond is what any start-up may wait. */
	if (delay > 0.005 * wall && delay > 0.001)
		rep->marks |= MARK_FOREIGN;
	if ((double)rep->migrations > 20 * wall)
		rep->marks |= MARK_MIGRATED;
	if (rep->throttled_s > 0)
		rep->marks |= MARK_THROTTLED;
	if (rep->stopped_s > 0)
		rep->marks |= MARK_STOPPED;
	if (rep->suspended_s > 0.001)
		rep->marks |= MARK_SUSPENDED;
	if (limited_by_load(rep, wall))
		rep->marks |= MARK_LOAD;
	if (clock > 0 && fabs(rep->factors[FACTOR_CLOCK] / clock - 1) > 0.02)
		rep->marks |= MARK_CLOCK;
	if (rep->factors[FACTOR_SHARE] > 0 && rep->factors[FACTOR_SHARE] < 0.97)
		rep->marks |= MARK_SHARE;
}

/* Median with its interval; below six repetitions there is none. */
static struct quantity median_of(const double *v, size_t n)
{
	struct quantity q;
	double m = stats_median(v, n), low, high;

	if (n == 0)
		return quantity_unavailable("no repetition was completed");
	/* What cannot be negative has no interval that is. */
	if (stats_median_ci(v, n, &low, &high) == 0)
		return quantity_measured(m, fmax(0, low), high);
	q = quantity_measured(m, m, m);
	snprintf(q.reason, sizeof(q.reason), "no interval below %d repetitions", STATS_MIN_REPS);
	return q;
}

static bool row_counts_cycles(const struct result_row *row)
{
	for (size_t i = 0; i < row->n_reps; i++)
		if (counted_cycles(&row->reps[i]) <= 0)
			return false;
	return row->n_reps > 0;
}

static struct quantity factor_of(const struct result *r, const struct result_row *row,
				 enum result_factor f, double *room)
{
	struct quantity q;

	for (size_t i = 0; i < row->n_reps; i++)
		room[i] = row->reps[i].factors[f];
	if (row->n_reps && stats_median(room, row->n_reps) <= 0)
		return quantity_unavailable(r->needle_reason ? r->needle_reason : "not read");
	q = median_of(room, row->n_reps);
	/* A command's needles are read by cpuprof itself, between its runs. */
	if (((f == FACTOR_CLOCK && !row_counts_cycles(row)) || f == FACTOR_SHARE) &&
	    (result_of_command(r) || (row->n_reps && row->reps[0].served.requests > 0)))
		q = quantity_estimated(q.value, q.low, q.high, "read before and after each run");
	/* Without a cycle counter the work per cycle follows from the needles. */
	if (f == FACTOR_WORK && q.origin == ORIGIN_MEASURED && !row_counts_cycles(row))
		q = quantity_estimated(q.value, q.low, q.high, "cycles from CPU time and needles");
	return q;
}

/* A user-only recording says nothing of the kernel; CPU accounting does. */
static void unsampled_kernel(struct result_row *row)
{
	const char *event = row->profile.event, *colon = event ? strrchr(event, ':') : NULL;
	double user = 0, sys = 0;

	row->profile.unsampled_kernel = 0;
	/* ":u", ":ppu" */
	if (!colon || !strchr(colon, 'u') || strchr(colon, 'k'))
		return;
	for (size_t i = 0; i < row->n_reps; i++)
		for (size_t k = 0; k < row->reps[i].n_batches; k++) {
			user += row->reps[i].batches[k].user_s;
			sys += row->reps[i].batches[k].sys_s;
		}
	row->profile.unsampled_kernel = user + sys > 0 ? sys / (user + sys) : 0;
}

/* Power over the windows; what is idle is in it. */
static void explain_energy(struct result_row *row, double *room, double scale)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n_reps; i++)
		if (row->reps[i].energy_j > 0 && row->reps[i].wall_s > 0)
			room[n++] = row->reps[i].energy_j / row->reps[i].wall_s;
	if (!n)
		return;
	row->watts = median_of(room, n);
	n = 0;
	for (size_t i = 0; i < row->n_reps; i++)
		if (row->reps[i].energy_j > 0 && row->reps[i].wall_s > 0)
			room[n++] = row->reps[i].score * scale * row->reps[i].wall_s /
				row->reps[i].energy_j;
	row->per_joule = median_of(room, n);
}

static void explain_row(struct result *r, struct result_row *row)
{
	double *v = xcalloc(row->n_reps + 1, sizeof(*v)), scale = r->score_scale;
	double clock, product = scale;
	size_t n = 0;

	for (size_t i = 0; i < row->n_reps; i++) {
		explain_score(&row->reps[i]);
		rep_factors(r, &row->reps[i]);
	}
	for (int f = 0; f < FACTORS; f++) {
		row->factors[f] = factor_of(r, row, (enum result_factor)f, v);
		/* The share that is not known is within ops/cycle. */
		if (f != FACTOR_SHARE || quantity_known(&row->factors[f]))
			product *= row->factors[f].value;
	}
	clock = row->factors[FACTOR_CLOCK].value;
	for (size_t i = 0; i < row->n_reps; i++)
		mark_rep(&row->reps[i], clock);
	unsampled_kernel(row);
	explain_energy(row, v, scale);
	for (size_t i = 0; i < row->n_reps; i++)
		v[i] = row->reps[i].score * scale;
	row->score = median_of(v, row->n_reps);
	row->unexplained = product > 0 ? row->score.value / product - 1 : 0;
	for (size_t i = 0; i < row->n_reps; i++)
		if (!row->reps[i].marks)
			v[n++] = row->reps[i].score * scale;
	row->n_quiet = n;
	row->quiet = n ? median_of(v, n) : quantity_unavailable("every repetition was disturbed");
	free(v);
}

const struct result_row *explain_base(const struct result *r, const struct result_row *row)
{
	const struct result_row *base = row;

	for (size_t i = 0; i < r->n_rows; i++)
		if (!strcmp(r->rows[i].variant, row->variant) &&
		    r->rows[i].threads < base->threads)
			base = &r->rows[i];
	return base;
}

/* Ratios to the same variant on the fewest threads. */
static void explain_scaling(struct result *r, struct result_row *row)
{
	const struct result_row *base = explain_base(r, row);
	double threads, product = 1;

	row->scaling = 0;
	if (base == row || base->score.value <= 0 || base->threads < 1)
		return;
	threads = (double)row->threads / base->threads;
	row->scaling = row->score.value / base->score.value / threads;
	for (int f = 0; f < FACTORS; f++) {
		double ratio = base->factors[f].value > 0 ?
			row->factors[f].value / base->factors[f].value : 0;

		if (f == FACTOR_CPUS)
			ratio /= threads;
		row->scaling_factors[f] = ratio;
		if (ratio > 0)
			product *= ratio;
	}
	row->scaling_unexplained = row->scaling / product - 1;
}

void explain_result(struct result *r, const struct explain_cpu *cpu)
{
	const struct pmu_table *table = cpu && cpu->table && cpu->table->name[0] ? cpu->table : NULL;

	find_references(r);
	for (size_t i = 0; i < r->n_rows; i++)
		explain_row(r, &r->rows[i]);
	for (size_t i = 0; i < r->n_rows; i++) {
		explain_scaling(r, &r->rows[i]);
		if (table && r->rows[i].n_counters)
			metrics_explain(&r->rows[i], table, cpu->smt);
		explain_causes(r, &r->rows[i], cpu);
	}
	versus_explain(r);
}
