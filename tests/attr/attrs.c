/* SPDX-License-Identifier: MIT */
/*
 * What would be asked of the kernel on CPUs we do not have: every table's
 * groups, event by event, as --counters would open them. Compared with a golden
 * file, so that a changed bit is a reviewed difference.
 */
#include "config.h"
#include "pmu/find.h"
#include "src/base/mem.h"
#include "src/run/counting.h"
#include "src/run/sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine that only this table fits. */
static void machine_of(const struct pmu_table *t, struct machine *m)
{
	const struct pmu_match *k = &t->matches[0];

	memset(m, 0, sizeof(*m));
	snprintf(m->arch, sizeof(m->arch), "%s", t->arch);
	snprintf(m->vendor, sizeof(m->vendor), "%s", strcmp(k->vendor, "*") ? k->vendor : "nobody");
	m->family = k->family < 0 ? 1 : k->family;
	m->model_id = k->model_low < 0 ? 1 : k->model_low;
	m->stepping = k->stepping_low < 0 ? 0 : k->stepping_low;
}

/* What is sampled to find where a cause is, as asked for first. */
static void print_sampled(const struct pmu_table *t)
{
	for (size_t i = 0; i < t->n_causes; i++) {
		struct perf_event_attr a;
		struct sampling_event ev;
		struct sampling_step step = { 0 };

		if (!sampling_of_cause(&ev, t, &t->causes[i]))
			continue;
		step.precise = strcmp(t->arch, "x86_64") ? 0 : ev.precise;
		sampling_attr(&a, &ev, &step, ev.stack, false, 1999);
		printf(" for %s\n  %-28s type %u config 0x%llx precise %d freq %llu sample_type 0x%llx "
		       "branches 0x%llx inherit %d clock %d\n", t->causes[i].id, ev.name, a.type,
		       (unsigned long long)a.config, a.precise_ip, (unsigned long long)a.sample_freq,
		       (unsigned long long)a.sample_type, (unsigned long long)a.branch_sample_type,
		       a.inherit, a.clockid);
	}
}

static int print_table(const char *name)
{
	struct machine *m = xcalloc(1, sizeof(*m));
	struct counting *c = xcalloc(1, sizeof(*c));
	struct pmu_table t;
	struct err err = { 0 };
	int rc = pmu_find_named(&t, NULL, name, &err);

	if (rc == 0) {
		machine_of(&t, m);
		rc = counting_plan(c, NULL, m, true, NULL, &err);
		if (rc == 0 && strcmp(c->table.name, t.name))
			rc = err_set(&err, -1, "'%s' is shadowed by '%s'", t.name, c->table.name);
	}
	if (rc < 0) {
		printf("%s: %s\n", name, err.msg);
		return 1;
	}
	printf("%s, %d counters\n", t.name, t.counters);
	for (int g = 0; g < c->n_groups; g++) {
		printf(" group %d%s\n", g, g == COUNTING_IDENTITY ? " (with the scores)" : "");
		for (int i = 0; i < c->groups[g].n; i++) {
			const struct pmu_request *q = &c->groups[g].v[i];

			printf("  %-28s type %u config 0x%llx config1 0x%llx exclude %d%d precise %d%s\n",
			       q->name, q->attr.type, (unsigned long long)q->attr.config,
			       (unsigned long long)q->attr.config1, q->attr.exclude_user,
			       q->attr.exclude_kernel, q->attr.precise_ip, q->fixed ? " fixed" : "");
		}
	}
	print_sampled(&t);
	pmu_table_release(&t);
	counting_release(c);
	free(c);
	free(m);
	return 0;
}

int main(void)
{
	struct err err = { 0 };
	char **names = pmu_find_all(NULL, &err);
	int bad = 0;

	if (!names) {
		printf("%s\n", err.msg);
		return 1;
	}
	for (size_t i = 0; names[i]; i++) {
		bad |= print_table(names[i]);
		free(names[i]);
	}
	free(names);
	return bad;
}
