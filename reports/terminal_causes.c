/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/terminal.h"
#include "src/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_CAUSE 0.005	/* shares below this get no line */

static const char *share_text(double low, double value, double high, const char *mark, char *out,
			      size_t size)
{
	if (low <= 0)
		snprintf(out, size, "up to %.0f %%", 100 * high);
	else if (high - low > 0.02)
		snprintf(out, size, "%s%.0f-%.0f %%", mark, 100 * low, 100 * high);
	else
		snprintf(out, size, "%s%.1f %%", mark, 100 * value);
	return out;
}

const char *terminal_cause_share(const struct result_cause *c, char *out, size_t size)
{
	return share_text(c->low, c->cost, c->high, c->origin == ORIGIN_MEASURED ? "" : "~", out,
			  size);
}

bool terminal_cause_stands_out(const struct result_cause *c)
{
	/* An interval that reaches down to nothing names no small cause. */
	return c->cost >= LEAST_CAUSE && (c->low > 0 || c->cost >= 0.02);
}

static void cause_line(const struct result_cause *c, int depth, const struct report_style *s,
		       struct buf *out)
{
	char share[32], first[64], line[400], place[80];

	terminal_cause_share(c, share, sizeof(share));
	snprintf(first, sizeof(first), "  %*s%-11s ", 2 * depth, "", share);
	snprintf(line, sizeof(line), "%s%s%s%s%s", c->name, c->place[0] ? ", mostly " : "",
		 report_name(c->place, 60, place, sizeof(place)),
		 c->evidence[0] ? ": " : "", c->evidence);
	terminal_fold(s, out, first, line);
}

/* How deep a cause lies; what it is part of stands before it. */
static int cause_depth(const struct result_row *row, size_t i)
{
	int depth = 1;

	for (int p = row->causes[i].parent; p >= 0; p = row->causes[p].parent)
		depth++;
	return depth;
}

void terminal_causes(const struct result_row *row, const char *label,
		     const struct report_style *s, struct buf *out)
{
	char head[96], share[32];
	double sum = 0, low = 0, high = 0, hidden = 0;
	bool own = false;	/* some were counted within the program's own time */
	size_t shown = 0;

	snprintf(head, sizeof(head), "why (%.64s)", label);
	terminal_heading(s, out, head);
	for (size_t i = 0; i < row->n_causes; i++) {
		const struct result_cause *c = &row->causes[i];

		if (c->parent != -1) {
			own |= c->parent == RESULT_WITHIN_PROGRAM;
			continue;
		}
		sum += c->cost;
		low += c->low;
		high += c->high;
		if (!terminal_cause_stands_out(c)) {
			hidden += c->cost;
			continue;
		}
		cause_line(c, 0, s, out);
		shown++;
	}
	if (!shown && !own)
		buf_adds(out, "  no cause stands out of the noise\n");
	share_text(1 - high, 1 - sum, 1 - low, "", share, sizeof(share));
	buf_printf(out, "  %-11s the program itself, on its core at its clock%s\n", share,
		   own ? ", and within it" : "");
	for (size_t i = 0; i < row->n_causes; i++)
		if (row->causes[i].parent != -1)
			cause_line(&row->causes[i], cause_depth(row, i), s, out);
	if (hidden > LEAST_CAUSE) {
		snprintf(share, sizeof(share), "%.1f %%", 100 * hidden);
		buf_printf(out, "  %-11s too small or too uncertain to name\n", share);
	}
	if (fabs(row->unexplained) > 0.01) {
		snprintf(share, sizeof(share), "%+.1f %%", 100 * row->unexplained);
		buf_printf(out, "  %-11s of the score not explained by the factors\n", share);
	}
}

void terminal_threads(const struct result_row *row, const char *label,
		      const struct report_style *s, struct buf *out)
{
	size_t limit = s->limit ? (size_t)s->limit : 16;
	char head[128], num[32], name[64];

	if (!row->n_per_thread)
		return;
	snprintf(name, sizeof(name), "threads (%.40s)", label);
	snprintf(head, sizeof(head), "%-30s %9s  %7s %7s %13s", name, "CPU time", "GHz", "IPC",
		 "instructions");
	buf_addc(out, '\n');
	terminal_heading(s, out, head);
	for (size_t i = 0; i < row->n_per_thread && i < limit; i++) {
		const struct result_thread *t = &row->per_thread[i];
		bool counted = t->cycles > 0 && !t->uncounted;

		buf_printf(out, "  %-20s %7u %9.3f s", report_name(t->comm, 20, name, sizeof(name)),
			   t->tid, t->cpu_s);
		if (counted && t->counted_s > 0)
			buf_printf(out, " %s%6.3f", t->scaled ? "~" : " ",
				   t->cycles / t->counted_s * 1e-9);
		else
			buf_printf(out, " %7s", "-");
		if (counted && t->instructions > 0)
			buf_printf(out, " %7.3f %13s\n", t->instructions / t->cycles,
				   units_si(num, sizeof(num), t->instructions));
		else
			buf_printf(out, " %7s %13s\n", "-", "-");
	}
	if (row->n_per_thread > limit)
		buf_printf(out, "  and %zu more\n", row->n_per_thread - limit);
}

void terminal_insns(const struct result_profile *p, const struct report_style *s,
		    struct buf *out)
{
	char name[256], line[320];

	for (size_t i = 0; i < p->n_insns; i++) {
		const struct result_insn *in = &p->insns[i];

		if (i == 0 || in->function != p->insns[i - 1].function)
			buf_printf(out, "  %s\n", report_name(p->functions[in->function].name,
							      s->width - 4, name, sizeof(name)));
		snprintf(line, sizeof(line), "  %5.1f %%  %8llx  %s", 100 * in->share,
			 (unsigned long long)in->addr,
			 in->text[0] ? report_name(in->text, s->width - 22, name, sizeof(name)) :
			 "(no code at hand)");
		terminal_placed(line, in->place, s, out);
	}
}

void terminal_sampled(const struct result_row *row, const char *label,
		      const struct report_style *s, struct buf *out)
{
	char head[200], name[128], dso[64];

	for (size_t k = 0; k < row->n_sampled; k++) {
		const struct result_profile *p = &row->sampled[k].profile;

		bool modelled = p->event && strstr(p->event, ":model");

		if (modelled)
			snprintf(head, sizeof(head), "where %s happen (%.64s; modelled)",
				 row->sampled[k].role, label);
		else
			snprintf(head, sizeof(head), "where %s happen (%.64s; %s, %llu samples)",
				 row->sampled[k].role, label, p->event ? p->event : "not sampled",
				 (unsigned long long)p->samples);
		buf_addc(out, '\n');
		terminal_heading(s, out, head);
		if (p->reason)
			terminal_fold(s, out, "  note: ", p->reason);
		for (size_t i = 0; i < p->n_functions && i < 5; i++) {
			char error[16] = "";

			if (!modelled)
				snprintf(error, sizeof(error), "%s%-4.1f", report_pm(s),
					 100 * p->functions[i].error);
			buf_printf(out, "  %5.1f %% %-5s  %-38s %s\n",
				   100 * p->functions[i].share, error,
				   report_name(p->functions[i].name, 38, name, sizeof(name)),
				   report_name(p->functions[i].dso, 22, dso, sizeof(dso)));
		}
		terminal_insns(p, s, out);
		if (p->n_branches)
			terminal_heading(s, out, TERMINAL_BRANCHES);
		for (size_t i = 0; i < p->n_branches; i++)
			terminal_branch(s, out, &(struct terminal_branch){
				p->branches[i].function, p->branches[i].text, p->branches[i].addr,
				p->branches[i].taken, p->branches[i].missed, p->branches[i].share });
	}
}
