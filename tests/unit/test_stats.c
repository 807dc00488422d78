/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/stats.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void test_known(void **state)
{
	static const double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 };
	static const double up[] = { 1, 2, 3, 4 }, saw[] = { 1, -1, 1, -1 }, flat[] = { 7, 7, 7 };

	NEAR(stats_median(odd, 3), 3);
	NEAR(stats_median(even, 4), 2.5);
	NEAR(stats_median(odd, 1), 5);
	NEAR(odd[0], 5);	/* the input keeps its order */
	NEAR(stats_quantile(even, 4, 0), 1);
	NEAR(stats_quantile(even, 4, 1), 4);
	NEAR(stats_quantile(even, 4, 0.25), 1.75);
	NEAR(stats_quantile(even, 4, 0.9), 3.7);
	NEAR(stats_mean(odd, 3), 3);
	NEAR(stats_mean(even, 4), 2.5);
	NEAR(stats_lag1(up, 4), 0.25);
	NEAR(stats_lag1(saw, 4), -0.75);
	NEAR(stats_lag1(flat, 3), 0);
}

static void test_empty(void **state)
{
	static const double none[1] = { 9 };

	NEAR(stats_mean(none, 0), 0);
	NEAR(stats_median(none, 0), 0);
	NEAR(stats_quantile(none, 0, 0.9), 0);
	NEAR(stats_lag1(none, 0), 0);
}

static void test_share_error(void **state)
{
	double half = stats_share_error(50, 100);

	assert_true(fabs(half - 0.0962) < 0.0005);
	NEAR(stats_share_error(20, 100), stats_share_error(80, 100));
	assert_true(stats_share_error(0, 100) > 0 && stats_share_error(0, 100) < half);
	assert_true(stats_share_error(5000, 10000) < half / 9);
	NEAR(stats_share_error(0, 0), 1);
}

static void test_ci_basics(void **state)
{
	static const double x[] = { 100, 102, 101, 99, 98, 101, 100, 103 };
	double flat[8], copy[8], lo = -5, hi = -6, lo2, hi2;

	for (size_t n = 0; n < STATS_MIN_REPS; n++)
		assert_int_equal(stats_median_ci(x, n, &lo, &hi), -1);
	NEAR(lo, -5);
	NEAR(hi, -6);
	memcpy(copy, x, sizeof(copy));
	assert_int_equal(stats_median_ci(copy, 8, &lo, &hi), 0);
	assert_memory_equal(copy, x, sizeof(copy));
	assert_int_equal(stats_median_ci(x, 8, &lo2, &hi2), 0);
	assert_true(lo == lo2 && hi == hi2);
	assert_true(lo < 100.5 && 100.5 < hi);
	assert_int_equal(stats_median_ci(x, STATS_MIN_REPS, &lo, &hi), 0);
	for (size_t i = 0; i < 8; i++)
		flat[i] = 42;
	assert_int_equal(stats_median_ci(flat, 8, &lo, &hi), 0);
	NEAR(lo, 42);
	NEAR(hi, 42);
}

/*
 * Coverage under the stop rule: a run adds repetitions of a stationary AR(1)
 * series one at a time and stops when half the interval is below 1 % of the
 * median at two checks in a row, or at MAX_REPS. The series come from a fixed
 * seed, so the counts below never change from run to run.
 */
#define TRIALS 1000
#define MAX_REPS 20
#define TRUTH 100.0

typedef int interval_fn(const double *x, size_t n, double *low, double *high);

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double sorted_median(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), by_value);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* What the project does not do: single values drawn as if independent. */
static int naive_ci(const double *x, size_t n, double *low, double *high)
{
	double medians[200], sample[MAX_REPS];
	struct rng r;

	rng_init(&r, n);
	for (size_t b = 0; b < 200; b++) {
		for (size_t i = 0; i < n; i++)
			sample[i] = x[rng_below(&r, n)];
		medians[b] = sorted_median(sample, n);
	}
	qsort(medians, 200, sizeof(*medians), by_value);
	*low = medians[5];
	*high = medians[194];
	return 0;
}

static bool covered_at_stop(interval_fn *interval, const double *x)
{
	int narrow = 0;

	for (size_t n = STATS_MIN_REPS;; n++) {
		double lo, hi;

		assert_int_equal(interval(x, n, &lo, &hi), 0);
		narrow = (hi - lo) / 2 < 0.01 * stats_median(x, n) ? narrow + 1 : 0;
		if (narrow >= 2 || n == MAX_REPS)
			return lo <= TRUTH && TRUTH <= hi;
	}
}

static double coverage(interval_fn *interval, double rho, double sd)
{
	int covered = 0;
	struct rng r;

	rng_init(&r, 20240607);
	for (int t = 0; t < TRIALS; t++) {
		double x[MAX_REPS], z = rng_normal(&r);

		for (size_t i = 0; i < MAX_REPS; i++) {
			x[i] = TRUTH + sd * z;
			z = rho * z + sqrt(1 - rho * rho) * rng_normal(&r);
		}
		covered += covered_at_stop(interval, x);
	}
	return (double)covered / TRIALS;
}

static void test_coverage(void **state)
{
	double quiet = coverage(stats_median_ci, 0.6, 0.8);
	double noisy = coverage(stats_median_ci, 0.6, 2.4);

	print_message("coverage at autocorrelation 0.6: %.3f at 0.8 %%, %.3f at 2.4 %%\n", quiet, noisy);
	assert_true(quiet >= 0.93);
	assert_true(noisy >= 0.93);
}

/* The same series catch an interval that ignores autocorrelation. */
static void test_naive_fails(void **state)
{
	double quiet = coverage(naive_ci, 0.6, 0.8), noisy = coverage(naive_ci, 0.6, 2.4);

	print_message("independent resampling: %.3f at 0.8 %%, %.3f at 2.4 %%\n", quiet, noisy);
	assert_true(quiet < 0.85);
	assert_true(noisy < 0.85);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_share_error),
		cmocka_unit_test(test_ci_basics),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_naive_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
