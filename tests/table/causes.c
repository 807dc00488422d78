/* SPDX-License-Identifier: MIT */
/*
 * causes ROWS - from published counts to the causes that are named; the format is
 * explained in causes.rows. A failing case prints its line. The tables come
 * from $CPUPROF_DATA.
 */
#include "config.h"
#include "pmu/find.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/explain/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check { char what[8], value[32]; int line; };

struct test {
	char name[128], table[32];
	struct result r;
	struct check checks[16];
	size_t n_checks;
	double lost;
	int line, smt;
};

static int failed;

static void fail(const struct test *t, int line, const char *what, const char *id)
{
	const struct result_row *row = &t->r.rows[0];

	printf("causes.rows:%d: %s: %s %s; named are", line, t->name, what, id);
	for (size_t i = 0; i < row->n_causes; i++)
		printf("%s %s %.1f-%.1f %%", i ? "," : "", row->causes[i].name,
		       100 * row->causes[i].low, 100 * row->causes[i].high);
	printf("%s\n", row->n_causes ? "" : " none");
	failed++;
}

static const struct result_cause *named(const struct test *t, const struct pmu_table *table,
					const char *id)
{
	const struct result_row *row = &t->r.rows[0];

	for (size_t i = 0; i < table->n_causes; i++)
		for (size_t k = 0; k < row->n_causes; k++)
			if (!strcmp(table->causes[i].id, id) &&
			    !strcmp(table->causes[i].title, row->causes[k].name))
				return &row->causes[k];
	return NULL;
}

/* Is x c itself, or around it? */
static bool around(const struct result_row *row, const struct result_cause *x,
		   const struct result_cause *c)
{
	for (; c != x; c = &row->causes[c->parent])
		if (c->parent < 0)
			return false;
	return true;
}

static void judge(const struct test *t, const struct pmu_table *table, const struct check *c)
{
	const struct result_row *row = &t->r.rows[0];
	bool all = !strcmp(c->value, "all"), first = !strcmp(c->what, "first");
	const struct result_cause *found = named(t, table, c->value);

	if (!strcmp(c->what, "not")) {
		if (all ? row->n_causes > 0 : found != NULL)
			fail(t, c->line, "names", c->value);
		return;
	}
	if (!found) {
		fail(t, c->line, "does not name", c->value);
		return;
	}
	for (size_t i = 0; first && i < row->n_causes; i++)
		if (row->causes[i].cost > found->cost && !around(row, &row->causes[i], found) &&
		    !around(row, found, &row->causes[i]))
			fail(t, c->line, "does not put first", c->value);
	if (t->lost > 0 && (t->lost < 99.5 * found->low || t->lost > 100.5 * found->high))
		fail(t, c->line, "claims a range without the cost of", c->value);
}

static void finish(struct test *t)
{
	struct pmu_table table;
	struct err err = { 0 };
	struct explain_cpu cpu = { .table = &table, .smt = t->smt ? t->smt : 1 };

	if (!t->name[0])
		return;
	if (pmu_find_named(&table, NULL, t->table, &err) < 0) {
		printf("causes.rows:%d: %s\n", t->line, err.msg);
		failed++;
		return;
	}
	explain_result(&t->r, &cpu);
	for (size_t i = 0; i < t->n_checks; i++)
		judge(t, &table, &t->checks[i]);
	pmu_table_release(&table);
	result_release(&t->r);
}

/* A repetition of one second on a core of its own, and nothing counted yet. */
static void begin(struct test *t, const char *name, int line)
{
	struct result_rep *rep;

	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->line = line;
	result_init(&t->r);
	t->r.score_scale = 1;
	rep = result_add_rep(result_add_row(&t->r, "row", "", 1));
	rep->batches = xcalloc(1, sizeof(*rep->batches));
	rep->n_batches = 1;
	rep->batches[0] = (struct result_batch){ .wall_s = 1, .cpu_s = 1, .user_s = 1, .ops = 1 };
	rep->wall_s = 1;
}

static void count(struct test *t, const char *role, double v)
{
	struct result_row *row = &t->r.rows[0];
	struct result_counter *c;

	GROW(row->counters, row->n_counters, row->cap_counters);
	c = &row->counters[row->n_counters++];
	memset(c, 0, sizeof(*c));
	snprintf(c->name, sizeof(c->name), "%s", role);
	c->per_op = quantity_measured(v, v, v);
}

static void row_line(struct test *t, char *text, int line)
{
	char *value = text + strcspn(text, " "), *end;

	if (!*text || *text == '#')
		return;
	if (*value)
		*value++ = '\0';
	if (!strcmp(text, "case")) {
		finish(t);
		begin(t, value, line);
	} else if (!strcmp(text, "table")) {
		snprintf(t->table, sizeof(t->table), "%s", value);
	} else if (!strcmp(text, "smt")) {
		t->smt = atoi(value);
	} else if (!strcmp(text, "lost")) {
		t->lost = atof(value);
	} else if (!strcmp(text, "count")) {
		end = value + strcspn(value, " ");
		if (*end)
			*end++ = '\0';
		count(t, value, atof(end));
	} else if (strcmp(text, "source") && t->n_checks < ARRAY_SIZE(t->checks)) {
		struct check *c = &t->checks[t->n_checks++];

		snprintf(c->what, sizeof(c->what), "%s", text);
		snprintf(c->value, sizeof(c->value), "%s", value);
		c->line = line;
	}
}

int main(int argc, char **argv)
{
	struct buf text = BUF_INIT;
	struct err err = { 0 };
	struct test t = { .name = "" };
	int line = 0, cases = 0;

	if (argc != 2 || io_read_file(argv[1], 1 << 20, &text, &err) < 0) {
		printf("%s\n", argc == 2 ? err.msg : "usage: causes ROWS");
		return 1;
	}
	for (char *p = text.data, *next; p && *p; p = next) {
		next = strchr(p, '\n');
		if (next)
			*next++ = '\0';
		cases += !strncmp(p, "case ", 5);
		row_line(&t, p, ++line);
	}
	finish(&t);
	printf("%d cases, %d wrong\n", cases, failed);
	buf_release(&text);
	return failed || cases < 20;
}
