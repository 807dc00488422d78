/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/counting.h"
#include "pmu/find.h"
#include "pmu/formula.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/perf/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Roles a formula uses, metrics within it taken apart. */
struct operands {
	const struct pmu_table *t;
	char role[COUNTERS_MAX * 2][32];
	int n;
	int depth;
};

static bool note_operand(void *arg, const char *name, double *value)
{
	struct operands *o = arg;
	const struct pmu_metric *m = pmu_table_metric(o->t, name);
	double ignored;

	*value = 3;
	if (pmu_table_constant(o->t, name, value))
		return true;
	if (m && o->depth < 8) {
		o->depth++;
		formula_eval(m->formula, note_operand, o, &ignored, NULL);
		o->depth--;
		return true;
	}
	if (!pmu_table_event(o->t, name))
		return true;	/* WIDTH, SMT */
	for (int i = 0; i < o->n; i++)
		if (!strcmp(o->role[i], name))
			return true;
	if (o->n < (int)ARRAY_SIZE(o->role))
		snprintf(o->role[o->n++], sizeof(o->role[0]), "%s", name);
	return true;
}

static bool group_has(const struct counting_group *g, const char *name)
{
	for (int i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].name, name))
			return true;
	return false;
}

static int general_used(const struct counting_group *g)
{
	int n = 0;

	for (int i = 0; i < g->n; i++)
		n += !g->v[i].fixed;
	return n;
}

static int add_role(struct counting_group *g, const struct pmu_table *t, const char *role)
{
	struct pmu_requests r = { .n = 0 };

	if (group_has(g, role))
		return 0;
	if (g->n == COUNTERS_MAX || pmu_requests_role(&r, role, t, NULL) < 0)
		return -E2BIG;
	g->v[g->n++] = r.v[0];
	return 0;
}

/* The time in which the cycles are counted; it needs no counter. */
static void add_task_clock(struct counting_group *g)
{
	g->v[g->n++] = (struct pmu_request){
		.name = "task-clock", .fixed = true, .group = -1,
		.attr = { .size = sizeof(struct perf_event_attr), .type = PERF_TYPE_SOFTWARE,
			  .config = PERF_COUNT_SW_TASK_CLOCK },
	};
}

/* All of these roles in g, leaders first; false (g untouched) when they do not
 * fit the counters. */
static bool fit_roles(struct counting_group *g, const struct pmu_table *t,
		      const struct operands *o, int general)
{
	struct counting_group all = { .n = 0 };

	/* A leader (slots before the PERF_METRICS) must come first. */
	for (int i = 0; i < o->n; i++) {
		const struct pmu_event *e = pmu_table_event(t, o->role[i]);

		if (e->leader[0] && add_role(&all, t, e->leader) < 0)
			return false;
	}
	for (int i = 0; i < g->n; i++)
		if (!group_has(&all, g->v[i].name)) {
			if (all.n == COUNTERS_MAX)
				return false;
			all.v[all.n++] = g->v[i];
		}
	for (int i = 0; i < o->n; i++)
		if (add_role(&all, t, o->role[i]) < 0)
			return false;
	if (add_role(&all, t, "instructions") < 0 || general_used(&all) > general)
		return false;
	*g = all;
	return true;
}

static bool counted_together(const struct counting *c, const struct operands *o)
{
	for (int g = 0; g < c->n_groups; g++) {
		bool all = true;

		for (int i = 0; i < o->n && all; i++)
			all = group_has(&c->groups[g], o->role[i]);
		if (all)
			return true;
	}
	return false;
}

static void plan_operands(struct counting *c, const struct operands *o, int general)
{
	if (o->n == 0 || counted_together(c, o))
		return;
	/* The identity group goes along with the scores: nothing joins it. */
	for (int g = COUNTING_IDENTITY + 1; g < c->n_groups; g++)
		if (fit_roles(&c->groups[g], &c->table, o, general))
			return;
	if (c->n_groups == COUNTING_GROUPS)
		return;
	c->groups[c->n_groups].n = 0;
	if (fit_roles(&c->groups[c->n_groups], &c->table, o, general)) {
		c->n_groups++;
		return;
	}
	/* Too many for any group: one by one, the metric is then an estimate. */
	for (int i = 0; i < o->n && o->n > 1; i++) {
		struct operands one = { .t = o->t, .n = 1 };

		memcpy(one.role[0], o->role[i], sizeof(one.role[0]));
		plan_operands(c, &one, general);
	}
}

static void plan_roles(struct counting *c, int general)
{
	const struct pmu_table *t = &c->table;

	for (size_t i = 0; i < t->n_metrics; i++) {
		struct operands o = { .t = t };
		double ignored;

		formula_eval(t->metrics[i].formula, note_operand, &o, &ignored, NULL);
		plan_operands(c, &o, general);
	}
}

/* Is a single event counted with the scores anyway? */
static bool in_identity(const struct counting *c, const struct pmu_request *q)
{
	const struct counting_group *g = &c->groups[COUNTING_IDENTITY];

	for (int i = 0; q->group < 0 && i < g->n; i++)
		if (!strcmp(g->v[i].name, q->name))
			return true;
	return false;
}

/* The user's groups as they are, single events packed. */
static int pack_requests(struct counting *c, const struct pmu_requests *r, int general,
			 struct err *err)
{
	int last_group = -1, first = c->n_groups;

	for (size_t i = 0; i < r->n; i++) {
		struct counting_group *g = c->n_groups ? &c->groups[c->n_groups - 1] : NULL;
		bool same = g && r->v[i].group == last_group && c->n_groups > first;

		if (in_identity(c, &r->v[i]))
			continue;
		if (!same || g->n == COUNTERS_MAX ||
		    (r->v[i].group < 0 && general_used(g) >= general)) {
			if (c->n_groups == COUNTING_GROUPS)
				return err_set(err, -E2BIG, "'-e' asks for more than %d groups",
					       COUNTING_GROUPS);
			if (same && r->v[i].group >= 0)
				return err_set(err, -E2BIG, "a group of '-e' has more than %d events",
					       COUNTERS_MAX);
			g = &c->groups[c->n_groups++];
			g->n = 0;
		}
		g->v[g->n++] = r->v[i];
		last_group = r->v[i].group;
	}
	return 0;
}

/* What -e names. */
static int plan_events(struct counting *c, struct flight *f, const char *events, int general,
		       struct err *err)
{
	struct pmu_requests *r = xcalloc(1, sizeof(*r));
	int rc = pmu_requests_parse(r, events, c->table.name[0] ? &c->table : NULL, f, err);

	rc = rc < 0 ? err->code : pack_requests(c, r, general, err);
	free(r);
	return rc;
}

/* Codes the Arm PMU says it implements: Linux opens others of the common range
 * all the same, and they count 0. False when there is no such folder. */
static bool arm_codes(struct flight *f, bool *implemented, size_t n)
{
	static const char *const pmus[] = { "armv8_pmuv3", "armv8_pmuv3_0", "armv8_cortex_a72",
					    "armv8_neoverse_n1", "armv8_neoverse_v1" };
	struct buf b = BUF_INIT;
	char *save = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(pmus) && !b.len; i++) {
		char dir[96];

		snprintf(dir, sizeof(dir), "/sys/bus/event_source/devices/%s/events", pmus[i]);
		flight_read_folder(f, dir, &b);
	}
	if (!b.len)
		return false;
	for (char *p = strtok_r(b.data, "\n", &save); p; p = strtok_r(NULL, "\n", &save)) {
		char *eq = strstr(p, "event=");
		unsigned long code = eq ? strtoul(eq + 6, NULL, 0) : n;

		if (code < n)
			implemented[code] = true;
	}
	buf_release(&b);
	return true;
}

static void drop_absent(struct counting *c, struct flight *f, const struct machine *m)
{
	bool implemented[0x40] = { false };

	if (strcmp(m->arch, "aarch64") || !arm_codes(f, implemented, ARRAY_SIZE(implemented)))
		return;
	for (int g = 0; g < c->n_groups; g++)
		for (int i = 0; i < c->groups[g].n; i++) {
			struct perf_event_attr *a = &c->groups[g].v[i].attr;

			/* No such type: the kernel says ENOENT instead of 0. */
			if (a->type == PERF_TYPE_RAW && a->config < ARRAY_SIZE(implemented) &&
			    !implemented[a->config])
				a->type = UINT32_MAX;
		}
}

int counting_plan(struct counting *c, struct flight *f, const struct machine *m, bool roles,
		  const char *events, struct err *err)
{
	struct err why = { 0 };
	int general, rc;

	memset(c, 0, sizeof(*c));
	rc = pmu_find(&c->table, f, m->arch, m->vendor, m->family, m->model_id, m->stepping,
		      &why);
	if (rc < 0 && rc != -ENOENT) {
		*err = why;
		return rc;
	}
	general = c->table.counters ? c->table.counters : 4;
	if (m->nmi_watchdog == 1 && general > 1)
		general--;	/* the watchdog holds one */
	c->n_groups = 1;
	if (rc == 0) {
		add_role(&c->groups[COUNTING_IDENTITY], &c->table, "cycles");
		add_role(&c->groups[COUNTING_IDENTITY], &c->table, "instructions");
		add_task_clock(&c->groups[COUNTING_IDENTITY]);
		if (roles)
			plan_roles(c, general);
	}
	rc = events ? plan_events(c, f, events, general, err) : 0;
	drop_absent(c, f, m);
	return rc;
}

void counting_release(struct counting *c)
{
	pmu_table_release(&c->table);
	memset(c, 0, sizeof(*c));
}

bool counting_split_identity(struct counting *c, const struct counting_sum *s)
{
	struct counting_group *g = &c->groups[COUNTING_IDENTITY], *alone;

	if (s->coverage >= COUNTING_WHOLE || c->n_groups == COUNTING_GROUPS)
		return false;
	for (int i = 0; i < g->n; i++) {
		if (strcmp(g->v[i].name, "instructions"))
			continue;
		alone = &c->groups[c->n_groups++];
		alone->v[0] = g->v[i];
		alone->n = 1;
		g->n--;
		memmove(&g->v[i], &g->v[i + 1], (size_t)(g->n - i) * sizeof(*g->v));
		return true;
	}
	return false;
}

bool counting_split(struct counting *c, int g, const struct counting_sum *s)
{
	struct counting_group *from = &c->groups[g], kept = { .n = 0 }, moved = { .n = 0 };
	int refused = 0, opened = 0, left;
	bool lost = s->coverage < COUNTING_WHOLE;

	for (int i = 0; i < from->n; i++) {
		if (from->v[i].leader[0])	/* counts nothing without it */
			return false;
		refused += s->state[i] == -E2BIG;
		opened += s->state[i] > 0 || s->state[i] == -EBUSY;
		lost |= s->state[i] == -EBUSY;
	}
	if (c->n_groups == COUNTING_GROUPS || (!refused && (!lost || opened < 2)))
		return false;
	left = (opened + 1) / 2;
	for (int i = 0; i < from->n; i++) {
		bool move = s->state[i] == -E2BIG;

		if (!refused && (s->state[i] > 0 || s->state[i] == -EBUSY))
			move = left-- <= 0;
		if (move)
			moved.v[moved.n++] = from->v[i];
		else
			kept.v[kept.n++] = from->v[i];
	}
	*from = kept;
	c->groups[c->n_groups++] = moved;
	return true;
}

/* Why an event was not counted in any of the passes. */
static const char *uncounted(const struct pmu_request *e, int state,
			     const struct event_limits *limits)
{
	if (e->attr.type == UINT32_MAX)
		return "the PMU here does not count this";
	if (state == -EBUSY)
		return "the counters were taken by another user";
	if (state == -E2BIG)
		return "does not fit the counters here in a group with the others";
	return state < 0 ? event_errno_text(state, limits) : "not counted";
}

void counting_store(struct result_row *row, int group, const struct counting_sum *sums,
		    size_t n, struct flight *f)
{
	const struct counting_group *g = n ? sums[0].group : NULL;
	struct event_limits limits;
	double *v = xcalloc(n + 1, sizeof(*v));

	event_limits_read(f, &limits);
	for (int i = 0; g && i < g->n; i++) {
		struct result_counter *k;
		double low, high, m, coverage = 1;
		size_t used = 0;

		GROW(row->counters, row->n_counters, row->cap_counters);
		k = &row->counters[row->n_counters++];
		memset(k, 0, sizeof(*k));
		snprintf(k->name, sizeof(k->name), "%s", g->v[i].name);
		k->group = group;
		for (size_t p = 0; p < n; p++)
			if (sums[p].state[i] > 0 && sums[p].ops > 0) {
				v[used++] = sums[p].total[i] / sums[p].ops;
				if (sums[p].coverage < coverage)
					coverage = sums[p].coverage;
			}
		if (!used) {
			/* Where others count, it is not the PMU that is missing. */
			bool others = row->n_counters > 1 &&
				quantity_known(&row->counters[0].per_op);

			k->per_op = quantity_unavailable(
				sums[0].state[i] == -ENOENT && others ?
				"the PMU here does not count this" :
				uncounted(&g->v[i], sums[0].state[i], &limits));
			continue;
		}
		m = stats_median(v, used);
		low = stats_quantile(v, used, 0);
		high = stats_quantile(v, used, 1);
		k->per_op = coverage >= COUNTING_WHOLE ? quantity_measured(m, low, high) :
			quantity_estimated(m, low, high, "multiplexed, scaled");
		k->per_op.coverage = coverage;
		if (sums[0].state[i] == COUNTER_USER)
			snprintf(k->per_op.reason, sizeof(k->per_op.reason), "user code only");
	}
	free(v);
}
