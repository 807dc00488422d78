/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/explain/metrics.h"
#include "pmu/formula.h"
#include "src/base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct evaluation {
	const struct result_row *row;
	const struct pmu_table *t;
	int smt;
	int group;		/* only counters of this group; -1: any */
	int depth;
	bool user_only, scaled, modelled;
	double off;		/* largest half interval of the operands, relative */
	unsigned groups;	/* those the operands came from, a bit each */
	double coverage;	/* the least of the operands'; 0: none yet */
	char missing[160];	/* reason of the first operand that is not known */
};

static const struct result_counter *counter(const struct evaluation *e, const char *name)
{
	const struct result_counter *found = NULL;

	for (size_t i = 0; i < e->row->n_counters; i++) {
		const struct result_counter *c = &e->row->counters[i];

		if (strcmp(c->name, name) || (e->group >= 0 && c->group != e->group))
			continue;
		if (!found || (quantity_known(&c->per_op) && !quantity_known(&found->per_op)))
			found = c;
	}
	return found;
}

static bool look_up(void *arg, const char *name, double *value)
{
	struct evaluation *e = arg;
	const struct pmu_metric *m = pmu_table_metric(e->t, name);
	const struct result_counter *c;

	if (pmu_table_constant(e->t, name, value))
		return true;
	if (!strcmp(name, "SMT")) {
		*value = e->smt;
		return *value > 0;
	}
	if (m && e->depth < 8) {
		int rc;

		e->depth++;
		rc = formula_eval(m->formula, look_up, e, value, NULL);
		e->depth--;
		return rc == 0;
	}
	c = counter(e, name);
	if (c && quantity_known(&c->per_op)) {
		*value = c->per_op.value;
		e->user_only |= !strcmp(c->per_op.reason, "user code only");
		e->scaled |= c->per_op.origin == ORIGIN_ESTIMATED;
		e->modelled |= c->per_op.origin == ORIGIN_MODELLED;
		if (c->per_op.origin == ORIGIN_MODELLED && c->per_op.value > 0)
			e->off = fmax(e->off, (c->per_op.high - c->per_op.low) / 2 / c->per_op.value);
		e->groups |= c->group >= 0 && c->group < 32 ? 1u << c->group : 0;
		if (e->coverage <= 0 || c->per_op.coverage < e->coverage)
			e->coverage = c->per_op.coverage;
		return true;
	}
	if (!e->missing[0])
		snprintf(e->missing, sizeof(e->missing), "%.40s: %.110s", name,
			 c ? c->per_op.reason : "not counted");
	return false;
}

static int highest_group(const struct result_row *row)
{
	int g = 0;

	for (size_t i = 0; i < row->n_counters; i++)
		if (row->counters[i].group > g)
			g = row->counters[i].group;
	return g;
}

/* How far apart the instructions of the groups are that gave the operands: the
 * work was the same, so it tells what else was not. Negative when not known. */
static double anchors_spread(const struct result_row *row, unsigned groups)
{
	double low = 0, high = 0;

	for (size_t i = 0; i < row->n_counters; i++) {
		const struct result_counter *c = &row->counters[i];

		if (strcmp(c->name, "instructions") || c->group < 0 || c->group >= 32 ||
		    !(groups >> c->group & 1) || !quantity_known(&c->per_op))
			continue;
		if (low <= 0 || c->per_op.value < low)
			low = c->per_op.value;
		if (c->per_op.value > high)
			high = c->per_op.value;
	}
	return low > 0 ? high / low - 1 : -1;
}

static struct quantity evaluate(const struct result_row *row, const struct pmu_table *t, int smt,
				const struct pmu_metric *m)
{
	struct evaluation e = { .row = row, .t = t, .smt = smt };
	struct quantity q;
	struct err err = { 0 };
	double v, spread;
	int last = highest_group(row);

	for (e.group = 0; e.group <= last; e.group++) {
		e.user_only = e.scaled = e.modelled = false;
		e.coverage = e.off = 0;
		e.groups = 0;
		if (formula_eval(m->formula, look_up, &e, &v, NULL) == 0)
			break;
	}
	if (e.group > last) {
		e.group = -1;
		e.groups = 0;
		e.missing[0] = '\0';
		if (formula_eval(m->formula, look_up, &e, &v, &err) < 0)
			return quantity_unavailable(e.missing[0] ? e.missing : err.msg);
		spread = anchors_spread(row, e.groups);
		q = quantity_estimated(v, v, v, "operands from different passes");
		if (spread >= 0)
			snprintf(q.reason, sizeof(q.reason), "operands from different passes, whose "
				 "instructions differ by %.2f %%", 100 * spread);
	} else {
		q = e.modelled ? quantity_modelled(v, v * (1 - fmin(1, e.off)), v * (1 + e.off), "") :
			e.scaled ? quantity_estimated(v, v, v, "multiplexed, scaled") :
			quantity_measured(v, v, v);
	}
	if (e.coverage > 0)
		q.coverage = e.coverage;
	if (!strcmp(m->unit, "percent") && (v < -0.5 || v > 100.5)) {
		char why[96];

		snprintf(why, sizeof(why), "comes out at %.1f %%: the counts contradict each other",
			 v);
		return quantity_unavailable(why);
	}
	if (e.user_only && !q.reason[0])
		snprintf(q.reason, sizeof(q.reason), "user code only");
	return q;
}

void metrics_explain(struct result_row *row, const struct pmu_table *t, int smt)
{
	struct evaluation e = { .row = row, .t = t, .smt = smt, .group = -1 };
	const struct pmu_metric ipc = { .unit = "ratio", .formula = "instructions / cycles" };
	double instructions;

	row->n_metrics = 0;
	for (size_t i = 0; i < t->n_metrics; i++) {
		const struct pmu_metric *m = &t->metrics[i];
		struct result_metric *out;

		GROW(row->metrics, row->n_metrics, row->cap_metrics);
		out = &row->metrics[row->n_metrics++];
		memset(out, 0, sizeof(*out));
		snprintf(out->name, sizeof(out->name), "%s", m->name);
		snprintf(out->unit, sizeof(out->unit), "%s", m->unit);
		snprintf(out->formula, sizeof(out->formula), "%s", m->formula);
		out->value = evaluate(row, t, smt, m);
		out->notable = quantity_known(&out->value) &&
			((m->has_above && out->value.value > m->above) ||
			 (m->has_below && out->value.value < m->below));
	}
	if (look_up(&e, "instructions", &instructions))
		row->instructions = counter(&e, "instructions")->per_op;
	row->ipc = evaluate(row, t, smt, &ipc);
}
