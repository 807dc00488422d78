/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/terminal.h"
#include "src/base/units.h"

#include <stdio.h>
#include <string.h>

#define MOST_VARIANTS 2		/* so many are shown in full */
#define MOST_CAUSES 3		/* in a row's line */
#define COLUMNS 9		/* rows side by side in a table of metrics */

bool terminal_is_sweep(const struct result *r)
{
	size_t variants = r->n_rows > 0;

	for (size_t i = 1; i < r->n_rows; i++)
		variants += strcmp(r->rows[i].variant, r->rows[i - 1].variant) != 0;
	return variants > MOST_VARIANTS;
}

/* Of what lies within another, that other speaks. */
static bool worth_a_word(const struct result_cause *c)
{
	return c->parent < 0 && terminal_cause_stands_out(c);
}

/* How many of the row's causes cost more. */
static int rank(const struct result_row *row, const struct result_cause *c)
{
	int n = 0;

	for (size_t i = 0; i < row->n_causes; i++)
		n += worth_a_word(&row->causes[i]) && row->causes[i].cost > c->cost;
	return n;
}

/* "19-21 % a neighbour on this core, ~15-25 % branch mispredictions, mostly f" */
static void causes(const struct result_row *row, struct buf *out)
{
	char share[32], place[48];
	int shown = 0;

	for (size_t i = 0; i < row->n_causes; i++) {
		const struct result_cause *c = &row->causes[i];

		if (!worth_a_word(c) || rank(row, c) >= MOST_CAUSES)
			continue;
		terminal_cause_share(c, share, sizeof(share));
		buf_printf(out, "%s%s %s%s%s", shown++ ? ", " : "", share, c->name,
			   c->place[0] ? ", mostly " : "", report_name(c->place, 40, place, sizeof(place)));
	}
	if (!shown)
		buf_adds(out, "no cause stands out");
}

/* before: the row whose line stands above, NULL: none. */
static void row_line(const struct result *r, const struct result_row *row,
		     const struct result_row *before, const struct report_style *s, struct buf *out)
{
	const struct result_profile *p = &row->profile;
	struct buf line = BUF_INIT;
	char first[64], name[48], num[32], per[32];
	int path = -1;	/* the class most of the code is of */

	terminal_row_name(row, ": ", first, sizeof(first));
	causes(row, &line);
	for (size_t i = 0; i < p->n_functions && i < 2; i++)
		buf_printf(&line, "%s %.0f %% in %s", i ? "," : "; hot:", 100 * p->functions[i].share,
			   report_name(p->functions[i].name, 40, name, sizeof(name)));
	for (size_t i = 0; i < p->n_classes; i++)
		if (terminal_is_code_path(p, i) && (path < 0 || p->classes[i].share > p->classes[path].share))
			path = (int)i;
	if (path >= 0 && p->classes[path].share >= 0.05)
		buf_printf(&line, "; %.0f %% %s code", 100 * p->classes[path].share,
			   p->classes[path].name);
	if (result_row_memory(row) &&
	    (!before || result_row_memory(row) != result_row_memory(before)))
		buf_printf(&line, "; holds %s a thread",
			   units_bytes(num, sizeof(num), (double)result_row_memory(row)));
	if (quantity_known(&row->watts))
		buf_printf(&line, "; %s W, %s %s a watt",
			   units_digits(num, sizeof(num), row->watts.value, 3),
			   units_digits(per, sizeof(per), row->per_joule.value, 3),
			   r->score_unit);
	if (row->n_reps && !row->n_quiet)
		buf_adds(&line, "; never quiet");
	terminal_fold(s, out, first, buf_str(&line));
	buf_release(&line);
}

/* What all variants begin with: "gzip-" of gzip-1 to gzip-9. */
static size_t common(const struct result *r)
{
	const char *first = r->rows[0].variant;
	size_t n = strlen(first);

	for (size_t i = 1; i < r->n_rows; i++)
		while (n && strncmp(first, r->rows[i].variant, n))
			n--;
	return n;
}

static const struct result_metric *metric(const struct result_row *row, const char *name)
{
	for (size_t i = 0; i < row->n_metrics; i++)
		if (!strcmp(row->metrics[i].name, name) && quantity_known(&row->metrics[i].value))
			return &row->metrics[i];
	return NULL;
}

/* In five columns: from a hundredth on. */
static void metric_cell(double v, char *out, size_t size)
{
	if (v > 0 && v < 0.01)
		snprintf(out, size, "<0.01");
	else if (v < 1)
		snprintf(out, size, "%.2f", v);
	else
		units_digits(out, size, v, 3);
}

static void metric_line(const struct result *r, size_t from, size_t to, const char *name,
			struct buf *out)
{
	char first[40], text[40], num[32], cut[32];
	bool modelled = true;	/* all of them: then the name says so */

	for (size_t i = from; i < to; i++) {
		const struct result_metric *m = metric(&r->rows[i], name);

		modelled &= !m || m->value.origin == ORIGIN_MODELLED;
	}
	snprintf(first, sizeof(first), "%s%s", modelled ? "m " : "  ",
		 report_name(name, 22, cut, sizeof(cut)));
	buf_printf(out, "%-24s", first);
	for (size_t i = from; i < to; i++) {
		const struct result_metric *m = metric(&r->rows[i], name);

		snprintf(text, sizeof(text), "%s", "-");
		if (m) {
			metric_cell(m->value.value, num, sizeof(num));
			snprintf(text, sizeof(text), "%s%s", modelled ||
				 m->value.origin == ORIGIN_MEASURED ? "" : terminal_origin(&m->value),
				 num);
		}
		buf_printf(out, " %5s", text);
	}
	buf_addc(out, '\n');
}

/* Metrics down, rows across: so that one reads along what the variants change. */
static void metrics(const struct result *r, size_t from, const struct report_style *s,
		    struct buf *out)
{
	size_t to = from + COLUMNS < r->n_rows ? from + COLUMNS : r->n_rows, begin = common(r);
	struct buf head = BUF_INIT;
	bool modelled = false;

	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < r->rows[i].n_metrics; k++)
			modelled |= r->rows[i].metrics[k].value.origin == ORIGIN_MODELLED;
	buf_printf(&head, "%-24s", modelled ? "metrics (m: modelled)" : "metrics");
	for (size_t i = from; i < to; i++)
		buf_printf(&head, " %5.6s", r->rows[i].variant + begin);
	terminal_heading(s, out, buf_str(&head));
	buf_release(&head);
	buf_printf(out, "%-24s", "  threads");
	for (size_t i = from; i < to; i++)
		buf_printf(out, " %5d", r->rows[i].threads);
	buf_addc(out, '\n');
	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < r->rows[i].n_metrics; k++) {
			const char *name = r->rows[i].metrics[k].name;
			bool before = !metric(&r->rows[i], name);

			for (size_t j = from; j < i && !before; j++)
				before = metric(&r->rows[j], name) != NULL;
			if (!before)
				metric_line(r, from, to, name, out);
		}
}

void terminal_sweep(const struct result *r, const struct report_style *s, struct buf *out)
{
	bool any = false;

	buf_addc(out, '\n');
	terminal_heading(s, out, "why, a line each (-x: each in full)");
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i].n_reps)
			row_line(r, &r->rows[i], i ? &r->rows[i - 1] : NULL, s, out);
	for (size_t i = 0; i < r->n_rows; i++)
		any |= r->rows[i].n_metrics > 0;
	for (size_t from = 0; any && from < r->n_rows; from += COLUMNS) {
		buf_addc(out, '\n');
		metrics(r, from, s, out);
	}
}
