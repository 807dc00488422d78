/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/terminal.h"
#include "src/base/units.h"

#include <stdio.h>
#include <string.h>

/* The anchor stands in every group: once is enough in a list. A number goes before
 * the reason why another pass had none. */
static bool shown_before(const struct result_row *row, size_t i)
{
	bool known = quantity_known(&row->counters[i].per_op);

	for (size_t k = 0; k < row->n_counters; k++) {
		bool other = quantity_known(&row->counters[k].per_op);

		if (k != i && !strcmp(row->counters[k].name, row->counters[i].name) &&
		    (other == known ? k < i : other))
			return true;
	}
	return false;
}

/* ", modelled 1.04 (+3 %)" where an event was counted and modelled. */
static void beside_model(const struct result_row *row, const struct result_counter *c, char *out,
			 size_t size)
{
	char num[32];

	out[0] = '\0';
	for (size_t k = 0; k < row->n_counters && c->per_op.origin != ORIGIN_MODELLED; k++) {
		const struct quantity *q = &row->counters[k].per_op;

		if (strcmp(row->counters[k].name, c->name) || q->origin != ORIGIN_MODELLED ||
		    c->per_op.value <= 0)
			continue;
		snprintf(out, size, ", modelled %s (%+.0f %%)", units_digits(num, sizeof(num), q->value, 4),
			 100 * (q->value / c->per_op.value - 1));
		return;
	}
}

static bool listed_unavailable(const struct result_row *row, size_t i)
{
	return !quantity_known(&row->counters[i].per_op) && !shown_before(row, i);
}

/* Reasons, each once, behind the names of all that it holds for. */
static void unavailable_counters(const struct result_row *row, const struct report_style *s,
				 struct buf *out)
{
	for (size_t i = 0; i < row->n_counters; i++) {
		const char *reason = row->counters[i].per_op.reason;
		char first[64], name[64];
		struct buf names = BUF_INIT;
		size_t same = 0;
		bool said = false;

		for (size_t k = 0; k < row->n_counters; k++) {
			if (!listed_unavailable(row, k) || strcmp(row->counters[k].per_op.reason, reason))
				continue;
			said |= k < i;
			buf_printf(&names, "%s%s", same++ ? ", " : "",
				   report_name(row->counters[k].name, 26, name, sizeof(name)));
		}
		if (listed_unavailable(row, i) && !said && same == 1) {
			snprintf(first, sizeof(first), "  %-26.26s ", buf_str(&names));
			terminal_fold(s, out, first, reason);
		} else if (listed_unavailable(row, i) && !said) {
			terminal_fold(s, out, "  ", buf_str(&names));
			terminal_fold(s, out, "      ", reason);
		}
		buf_release(&names);
	}
}

/* "branch-misses   2.000 for each byte", and how it was come by, if not plainly. */
static void counter_line(const struct result *r, const struct result_row *row,
			 const struct result_counter *c, const struct report_style *s,
			 struct buf *out)
{
	char num[32], name[64], coverage[40] = "", model[64], line[128], more[400];

	if (c->per_op.coverage > 0 && c->per_op.coverage < 0.999)
		snprintf(coverage, sizeof(coverage), " from %.0f %% of the time",
			 100 * c->per_op.coverage);
	beside_model(row, c, model, sizeof(model));
	snprintf(line, sizeof(line), "  %-26.26s %s%11s for each %.30s",
		 report_name(c->name, 26, name, sizeof(name)), terminal_origin(&c->per_op),
		 units_digits(num, sizeof(num), c->per_op.value, 4),
		 !strcmp(r->unit, "B") ? "byte" : r->unit);
	snprintf(more, sizeof(more), "%s%s%s%s", c->per_op.reason[0] ? ", " : "", c->per_op.reason,
		 coverage, model);
	if (strlen(line) + strlen(more) <= (size_t)s->width) {
		buf_printf(out, "%s%s\n", line, more);
		return;
	}
	buf_printf(out, "%s\n", line);
	terminal_fold(s, out, "      ", more + 2);
}

void terminal_counters(const struct result *r, const struct result_row *row,
		       const struct report_style *s, struct buf *out)
{
	char head[96], label[64], num[32], name[64];
	size_t unavailable = 0;

	if (!row->n_counters)
		return;
	terminal_row_name(row, "", label, sizeof(label));
	snprintf(head, sizeof(head), "counted (%s)", label);
	buf_addc(out, '\n');
	terminal_heading(s, out, head);
	for (size_t i = 0; i < row->n_metrics; i++) {
		const struct result_metric *m = &row->metrics[i];

		if (!quantity_known(&m->value))
			continue;
		buf_printf(out, "  %-26s %s%11s%s%s%s\n",
			   report_name(m->name, 26, name, sizeof(name)),
			   terminal_origin(&m->value),
			   units_digits(num, sizeof(num), m->value.value, 4),
			   strcmp(m->unit, "ratio") ? " " : "", !strcmp(m->unit, "percent") ? "%" : !strcmp(m->unit, "ratio") ? "" :
			   !strcmp(m->unit, "perkinsn") ? "per 1000 instructions" : m->unit,
			   m->notable ? "  <--" : "");
		if (m->value.origin == ORIGIN_ESTIMATED && m->value.reason[0])
			terminal_fold(s, out, "      ", m->value.reason);
		if (s->explain)
			terminal_fold(s, out, "      = ", m->formula);
	}
	for (size_t i = 0; i < row->n_counters; i++) {
		const struct result_counter *c = &row->counters[i];

		if (shown_before(row, i))
			continue;
		if (!quantity_known(&c->per_op)) {
			unavailable++;
			continue;
		}
		counter_line(r, row, c, s, out);
	}
	if (unavailable)
		unavailable_counters(row, s, out);
}
