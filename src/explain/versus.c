/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/explain/versus.h"
#include "src/base/mem.h"
#include "src/base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean of the logs of B's two minus A's two, of one field. */
#define ROUND_DIFF(a, b, i, field) \
	((log((b)[2 * (i)].field) + log((b)[2 * (i) + 1].field) - \
	  log((a)[2 * (i)].field) - log((a)[2 * (i) + 1].field)) / 2)

static bool known(const struct versus_rep *v, size_t n, size_t offset)
{
	for (size_t i = 0; i < n; i++)
		if (!(*(const double *)((const char *)&v[i] + offset) > 0))
			return false;
	return true;
}

/* Columns: 1, and what of the needles moved enough to say something. */
struct columns { double *ones, *share, *clock; const double *x[3]; size_t k; };

static void add_column(struct columns *c, const double *v, size_t n)
{
	double mean = stats_mean(v, n), var = 0;

	for (size_t i = 0; i < n; i++)
		var += (v[i] - mean) * (v[i] - mean);
	if (sqrt(var / (double)n) > 1e-4)
		c->x[c->k++] = v;
}

/* Least squares in which a round far off counts less (Huber's weights, Street,
 * Carroll and Ruppert 1988 for the errors): somebody's build in one of the four
 * repetitions is not the program's. Returns the residual deviation or -1. */
static double fit_robust(const double *y, const struct columns *c, size_t n, double *coef,
			 double *se)
{
	enum { STEPS = 8 };
	static const double tuning = 1.5;
	double *room = xcalloc((c->k + 3) * n, sizeof(*room)), *wy = room, *e = room + n;
	double *w = room + 2 * n, sd = stats_ols(y, c->x, n, c->k, coef, se);
	const double *wx[3];

	for (int step = 0; step < STEPS && sd > 0; step++) {
		double scale;

		for (size_t i = 0; i < n; i++) {
			e[i] = y[i];
			for (size_t k = 0; k < c->k; k++)
				e[i] -= coef[k] * c->x[k][i];
			w[i] = fabs(e[i]);
		}
		scale = stats_median(w, n) / 0.6745;
		if (scale <= 0)
			break;
		for (size_t i = 0; i < n; i++) {
			double weight = fabs(e[i]) > tuning * scale ?
				sqrt(tuning * scale / fabs(e[i])) : 1;

			wy[i] = weight * y[i];
			for (size_t k = 0; k < c->k; k++)
				room[(3 + k) * n + i] = weight * c->x[k][i];
		}
		for (size_t k = 0; k < c->k; k++)
			wx[k] = room + (3 + k) * n;
		sd = stats_ols(wy, wx, n, c->k, coef, se);
	}
	/* Few rounds make the weights look better than they are. */
	for (size_t k = 0; k < c->k; k++)
		se[k] *= 1 + (double)c->k / (double)n;
	free(room);
	return sd;
}

int versus_test(const struct versus_rep *a, const struct versus_rep *b, size_t rounds,
		struct result_versus *out)
{
	double *d, coef[3], se[3], t, sd;
	struct columns c = { 0 };
	size_t reps = 2 * rounds;

	out->rounds = rounds;
	out->level = VERSUS_LEVEL;
	out->p = 1;
	out->ratio = quantity_unavailable("fewer than 6 rounds");
	if (rounds < VERSUS_MIN_ROUNDS || !known(a, reps, offsetof(struct versus_rep, score)) ||
	    !known(b, reps, offsetof(struct versus_rep, score)))
		return -1;
	d = xcalloc(4 * rounds, sizeof(*d));
	c.ones = d + rounds;
	c.share = d + 2 * rounds;
	c.clock = d + 3 * rounds;
	for (size_t i = 0; i < rounds; i++) {
		d[i] = ROUND_DIFF(a, b, i, score) - ROUND_DIFF(a, b, i, given);
		c.ones[i] = 1;
	}
	c.x[c.k++] = c.ones;
	out->raw_spread = stats_ols(d, c.x, rounds, 1, coef, se);
	out->raw_ratio = exp(coef[0]);
	if (known(a, reps, offsetof(struct versus_rep, share)) &&
	    known(b, reps, offsetof(struct versus_rep, share))) {
		for (size_t i = 0; i < rounds; i++)
			c.share[i] = ROUND_DIFF(a, b, i, share);
		add_column(&c, c.share, rounds);
	}
	if (known(a, reps, offsetof(struct versus_rep, clock)) &&
	    known(b, reps, offsetof(struct versus_rep, clock))) {
		for (size_t i = 0; i < rounds; i++)
			c.clock[i] = ROUND_DIFF(a, b, i, clock);
		add_column(&c, c.clock, rounds);
	}
	sd = fit_robust(d, &c, rounds, coef, se);
	if (sd < 0) {
		c.k = 1;
		sd = fit_robust(d, &c, rounds, coef, se);
	}
	out->spread = sd;
	out->p = se[0] > 0 ? stats_t_p(coef[0] / se[0], (double)(rounds - c.k)) :
		coef[0] == 0 ? 1 : 0;
	t = stats_t_quantile(VERSUS_LEVEL, (double)(rounds - c.k));
	out->ratio = quantity_measured(exp(coef[0]), exp(coef[0] - t * se[0]),
				       exp(coef[0] + t * se[0]));
	free(d);
	return 0;
}

static const char *verdict_of(const struct result_versus *v)
{
	if (!quantity_known(&v->ratio))
		return "not enough data";
	if (v->p < v->level)
		return v->ratio.value > 1 ? "faster" : "slower";
	if (v->ratio.low > 1 - VERSUS_SAME && v->ratio.high < 1 + VERSUS_SAME)
		return "no difference";
	return "not enough data";
}

static double time_given(const struct result_rep *rep)
{
	double wall = 0, delay = 0;

	for (size_t i = 0; i < rep->n_batches; i++) {
		wall += rep->batches[i].wall_s;
		delay += fmax(0, rep->batches[i].run_delay_s);
	}
	return wall > 0 && delay < 0.95 * wall ? 1 - delay / wall : 1;
}

static struct versus_rep *reps_of(const struct result_row *row, size_t n)
{
	struct versus_rep *v = xcalloc(n + 1, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (struct versus_rep){ row->reps[i].score, row->reps[i].factors[FACTOR_SHARE],
					    row->reps[i].factors[FACTOR_CLOCK],
					    time_given(&row->reps[i]) };
	return v;
}

void versus_explain(struct result *r)
{
	struct result_versus *v = &r->versus;
	struct versus_rep *a, *b;
	size_t rounds;

	if (!v->label || r->n_rows < 2)
		return;
	rounds = r->rows[0].n_reps < r->rows[1].n_reps ? r->rows[0].n_reps / 2 :
		r->rows[1].n_reps / 2;
	a = reps_of(&r->rows[0], 2 * rounds);
	b = reps_of(&r->rows[1], 2 * rounds);
	versus_test(a, b, rounds, v);
	free(a);
	free(b);
	for (int f = 0; f < FACTORS; f++)
		v->split[f] = r->rows[0].factors[f].value > 0 ?
			r->rows[1].factors[f].value / r->rows[0].factors[f].value : 0;
	free(v->verdict);
	v->verdict = xstrdup(verdict_of(v));
}
