/*
 * stats.h - statistics of a short, noisy, autocorrelated series.
 *
 * Repetitions on shared machines are not independent: lag-1 autocorrelation
 * of 0.35 to 0.68 was measured between fresh processes. The interval of the
 * median is therefore a circular block bootstrap (Politis and Romano 1992)
 * over whole repetitions in blocks of sqrt(n), with both ends moved out by
 * 22/n mean absolute deviations for what blocks of a short series still miss;
 * tests/unit/test_stats.c measures its coverage.
 */
#ifndef CPUPROF_BASE_STATS_H
#define CPUPROF_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* xoshiro256** by Blackman and Vigna; seeded by splitmix64. */
struct rng { uint64_t s[4]; };
void rng_init(struct rng *r, uint64_t seed);
uint64_t rng_u64(struct rng *r);
double rng_unit(struct rng *r);			/* [0, 1) */
double rng_normal(struct rng *r);		/* mean 0, deviation 1 */
uint64_t rng_below(struct rng *r, uint64_t n);	/* 0 .. n-1, n > 0 */

/* None of these changes its input. n may be 0: the result is then 0. */
double stats_mean(const double *x, size_t n);
double stats_median(const double *x, size_t n);
double stats_quantile(const double *x, size_t n, double q);
double stats_lag1(const double *x, size_t n);	/* autocorrelation at lag 1 */

/* Below this many repetitions there is no distribution-free 95 % interval of
 * a median, and stats_median_ci() returns -1. */
#define STATS_MIN_REPS 6

/* 95 % interval of the median of n values in the order they were measured.
 * Calibrated to hold when a run stops as soon as the interval is narrow enough.
 * Deterministic: the bootstrap is seeded from the data. */
int stats_median_ci(const double *x, size_t n, double *low, double *high);

/* Student's t: the two-sided p-value of t, and the t whose two-sided p is p.
 * By the continued fraction of the incomplete beta function (Numerical Recipes
 * in C, 6.4; DLMF 8.17.22). */
double stats_t_p(double t, double dof);
double stats_t_quantile(double p, double dof);

/* Ordinary least squares of y (n values) on k columns x[j][i], k <= 4. coef and
 * se have room for k. Returns the residual deviation, -1 when it has none
 * (n <= k, or columns that depend on each other). */
double stats_ols(const double *y, const double *const *x, size_t n, size_t k, double *coef,
		 double *se);

/* Half-width of the 95 % interval of a share of k in n samples (Wilson). */
double stats_share_error(double k, double n);

#endif
