/* SPDX-License-Identifier: MIT */
/*
 * ratio A B - how many times more B takes than A. Standard input: lines of a
 * round, a name and a value. Prints the geometric mean over rounds of B / A
 * (each the mean of its values in the round) and its 95 % interval, by a
 * bootstrap over whole rounds, so that what a machine did to a round it did to
 * both.
 *
 * ratio --max A - the largest value of A. ratio --median A - the median.
 */
#include "config.h"
#include "src/base/mem.h"
#include "src/base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 1000
#define RESAMPLES 10000

struct sums { double sum[2]; int n[2]; };

/* Log of B / A of each round that has both. */
static size_t log_ratios(const char *a, const char *b, double *out)
{
	struct sums *s = xcalloc(ROUNDS, sizeof(*s));
	char name[64];
	double v;
	size_t n = 0;
	int round;

	while (scanf("%d %63s %lf", &round, name, &v) == 3) {
		int which = !strcmp(name, a) ? 0 : !strcmp(name, b) ? 1 : -1;

		if (which < 0 || round < 0 || round >= ROUNDS)
			continue;
		s[round].sum[which] += v;
		s[round].n[which]++;
	}
	for (int i = 0; i < ROUNDS; i++)
		if (s[i].n[0] && s[i].n[1] && s[i].sum[0] > 0 && s[i].sum[1] > 0)
			out[n++] = log(s[i].sum[1] / s[i].n[1]) - log(s[i].sum[0] / s[i].n[0]);
	free(s);
	return n;
}

static int of_one(const char *what, const char *name)
{
	double v[ROUNDS], x;
	char word[64];
	size_t n = 0;

	while (scanf("%*d %63s %lf", word, &x) == 2)
		if (!strcmp(word, name) && n < ROUNDS)
			v[n++] = x;
	printf("%.6g\n", stats_quantile(v, n, strcmp(what, "--max") ? 0.5 : 1));
	return n ? 0 : 1;
}

int main(int argc, char **argv)
{
	double logs[ROUNDS], *means = xcalloc(RESAMPLES, sizeof(*means));
	struct rng g;
	size_t n;

	if (argc != 3)
		return 2;
	if (!strncmp(argv[1], "--", 2))
		return of_one(argv[1], argv[2]);
	n = log_ratios(argv[1], argv[2], logs);
	if (!n)
		return 1;
	rng_init(&g, 20260301);
	for (int i = 0; i < RESAMPLES; i++) {
		for (size_t k = 0; k < n; k++)
			means[i] += logs[rng_below(&g, n)];
		means[i] /= (double)n;
	}
	printf("%.3f [%.3f, %.3f]\n", exp(stats_mean(logs, n)),
	       exp(stats_quantile(means, RESAMPLES, 0.025)),
	       exp(stats_quantile(means, RESAMPLES, 0.975)));
	free(means);
	return 0;
}
