/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/explain/explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct result_metric *metric(const struct result_row *row, const char *name)
{
	for (size_t i = 0; i < row->n_metrics; i++)
		if (!strcmp(row->metrics[i].name, name) &&
		    quantity_known(&row->metrics[i].value))
			return &row->metrics[i];
	return NULL;
}

static const struct pmu_cause *cause_of_id(const struct pmu_table *t, const char *id)
{
	for (size_t i = 0; i < t->n_causes; i++)
		if (!strcmp(t->causes[i].id, id))
			return &t->causes[i];
	return NULL;
}

/* The nearest cause around c that was named. */
static int parent_of(const struct result_row *row, const struct pmu_table *t,
		     const struct pmu_cause *c)
{
	for (c = cause_of_id(t, c->parent); c; c = cause_of_id(t, c->parent))
		for (size_t i = 0; i < row->n_causes; i++)
			if (!strcmp(row->causes[i].name, c->title))
				return (int)i;
	return RESULT_WITHIN_PROGRAM;
}

/* Roles for sampling may be the precise form of what is counted or modelled. */
static bool same_role(const char *a, const char *b)
{
	size_t n = strlen(b);

	return !strncmp(a, b, n) && (!a[n] || !strcmp(a + n, "-precise"));
}

const struct result_profile *explain_sampled(const struct result_row *row, const char *role)
{
	for (size_t i = 0; i < row->n_sampled; i++)
		if (same_role(role, row->sampled[i].role) && row->sampled[i].profile.n_functions)
			return &row->sampled[i].profile;
	return NULL;
}

static void say_evidence(struct result_cause *c, const struct result_row *row,
			 const struct pmu_cause *rule)
{
	const struct result_metric *m = metric(row, rule->evidence);
	const struct result_profile *p = explain_sampled(row, rule->sample);
	size_t n = 0;

	if (m && !strcmp(m->unit, "perkinsn"))
		n = (size_t)snprintf(c->evidence, sizeof(c->evidence),
				     "%.1f per 1000 instructions", m->value.value);
	else if (m)
		n = (size_t)snprintf(c->evidence, sizeof(c->evidence), "%s is %.*f%s",
				     rule->evidence, !strcmp(m->unit, "ratio") ? 2 : 1, m->value.value,
				     !strcmp(m->unit, "percent") ? " %" : "");
	if (c->origin == ORIGIN_MODELLED)
		n += (size_t)snprintf(c->evidence + n, sizeof(c->evidence) - n, "%smodelled",
				      n ? ", " : "");
	/* The place is named when it is more than its own sampling error. */
	if (!p || p->functions[0].share <= p->functions[0].error)
		return;
	snprintf(c->place, sizeof(c->place), "%.79s", p->functions[0].name);
	snprintf(c->evidence + n, sizeof(c->evidence) - n, "%s%.0f %% of them there",
		 n ? "; " : "", 100 * p->functions[0].share);
}

void explain_counted(struct result_row *row, const struct pmu_table *t, double rest)
{
	for (size_t i = 0; i < t->n_causes; i++) {
		const struct pmu_cause *rule = &t->causes[i];
		const struct result_metric *low = metric(row, rule->low);
		const struct result_metric *high = metric(row, rule->high);
		const struct pmu_metric *limit = pmu_table_metric(t, rule->high);
		struct result_cause *c;

		if (!low || !high || high->value.value <= 0 ||
		    (limit->has_above && !high->notable))
			continue;
		/* More of them than the cycles can hold: then it is all of them. */
		c = result_add_cause(row, rule->title, rest *
				     fmin(100, (low->value.value + high->value.value) / 2) / 100,
				     parent_of(row, t, rule), strcmp(rule->low, rule->high) ?
				     ORIGIN_ESTIMATED : high->value.origin);
		/* What is modelled has a range of its own. */
		c->low = rest * fmin(100, low->value.low) / 100;
		c->high = rest * fmin(100, high->value.high) / 100;
		if (high->value.origin == ORIGIN_MODELLED)
			c->origin = ORIGIN_MODELLED;
		say_evidence(c, row, rule);
	}
}
