/* SPDX-License-Identifier: MIT */
/* The study in tables: one for each group of workloads, causes below scores. */
#include "config.h"
#include "reports/terminal.h"
#include "src/base/mem.h"
#include "src/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 27
#define INDENT "     "
#define MOST_NAMES 3		/* of workloads, before a note */
#define LEAST_LOSS 0.005	/* of linear, that a factor is named for */
#define LEAST_HOT 0.1		/* of the samples, that a function is named for */

/* What became of a run without rows; NULL when it has some. */
static const char *without_rows(const struct suite_run *run)
{
	static const char *const text[SUITE_STATES] = {
		"not run yet", "its result is not there", "failed", "not here",
	};

	return run->result ? NULL : text[run->state];
}

static void hot_line(const struct result_row *row, const struct report_style *s, struct buf *out)
{
	const struct result_profile *p = &row->profile;
	char code[200], name[64];
	struct buf line = BUF_INIT;

	if (!p->event) {
		if (p->reason) {
			buf_printf(&line, "unavailable: %.300s", p->reason);
			terminal_fold(s, out, INDENT "hot: ", buf_str(&line));
		}
		buf_release(&line);
		return;
	}
	for (size_t i = 0; i < p->n_functions && i < 2; i++)
		if (p->functions[i].share >= LEAST_HOT)
			buf_printf(&line, "%s%.0f %% %s", line.len ? ", " : "",
				   100 * p->functions[i].share,
				   report_name(p->functions[i].name, 34, name, sizeof(name)));
	if (terminal_code_path(p, code, sizeof(code)))
		buf_printf(&line, "%scode path %s", line.len ? "; " : "", code);
	if (line.len)
		terminal_fold(s, out, INDENT "hot: ", buf_str(&line));
	buf_release(&line);
}

/* The two strongest causes; what is only part of another is left out. */
static void why_line(const struct result_row *row, const struct report_style *s, struct buf *out)
{
	const struct result_cause *first = NULL, *second = NULL;
	struct buf line = BUF_INIT;

	for (size_t i = 0; i < row->n_causes; i++) {
		const struct result_cause *c = &row->causes[i];

		if (c->parent >= 0 || !terminal_cause_stands_out(c))
			continue;
		if (!first || c->cost > first->cost) {
			second = first;
			first = c;
		} else if (!second || c->cost > second->cost) {
			second = c;
		}
	}
	for (int i = 0; i < 2; i++) {
		const struct result_cause *c = i ? second : first;
		char share[32], place[64];

		if (!c)
			continue;
		buf_printf(&line, "%s%s %s%s%s", i ? "; " : "",
			   terminal_cause_share(c, share, sizeof(share)), c->name,
			   c->place[0] ? ", mostly " : "",
			   report_name(c->place, 34, place, sizeof(place)));
	}
	terminal_fold(s, out, INDENT "why: ", line.len ? buf_str(&line) :
		      "no cause stands out of the noise");
	buf_release(&line);
}

struct loss { const char *name; double share; };

static int by_share(const void *a, const void *b)
{
	double x = ((const struct loss *)a)->share, y = ((const struct loss *)b)->share;

	return (x < y) - (x > y);
}

/* What more cores lost to, each factor from its own measurement. */
static void scaling_line(const struct result_row *row, const struct report_style *s,
			 struct buf *out)
{
	static const char *const name[FACTORS] = { "CPUs not given", "core share", "clock",
						   "work per cycle" };
	struct loss loss[FACTORS];
	struct buf line = BUF_INIT;
	int n = 0, unknown = 0;

	if (row->scaling <= 0)
		return;
	for (int f = 0; f < FACTORS; f++)
		if (row->scaling_factors[f] <= 0)
			unknown++;
		else if (1 - row->scaling_factors[f] >= LEAST_LOSS)
			loss[n++] = (struct loss){ name[f], 1 - row->scaling_factors[f] };
	qsort(loss, (size_t)n, sizeof(*loss), by_share);
	for (int i = 0; i < n; i++)
		buf_printf(&line, "%s%.1f %% to %s", i ? ", " : "", 100 * loss[i].share, loss[i].name);
	if (!n)
		buf_adds(&line, unknown ? "nothing that was measured" : "nothing");
	for (int f = 0; f < FACTORS; f++)
		if (row->scaling_factors[f] <= 0)
			buf_printf(&line, "; %s: not measured", name[f]);
		else if (row->scaling_factors[f] - 1 >= LEAST_LOSS)
			buf_printf(&line, "; %.1f %% more %s", 100 * (row->scaling_factors[f] - 1),
				   result_factor_name((enum result_factor)f));
	if (fabs(row->scaling_unexplained) >= LEAST_LOSS)
		buf_printf(&line, "; unexplained %+.1f %%", 100 * row->scaling_unexplained);
	terminal_fold(s, out, INDENT "lost: ", buf_str(&line));
	buf_release(&line);
}

/* A server's. */
static void load_line(const struct result_row *row, const struct report_style *s, struct buf *out)
{
	char text[300];

	if (terminal_load(row, text, sizeof(text)))
		terminal_fold(s, out, INDENT "load: ", text);
}

static void power_line(const struct result *r, const struct result_row *row,
		       const struct report_style *s, struct buf *out)
{
	char line[128], w[32], per[32];

	if (!r->energy_source || !quantity_known(&row->watts))
		return;
	snprintf(line, sizeof(line), "%s W, %s %s a watt",
		 units_digits(w, sizeof(w), row->watts.value, 3),
		 units_digits(per, sizeof(per), row->per_joule.value, 3), r->score_unit);
	terminal_fold(s, out, INDENT "power: ", line);
}

static void row_lines(const struct suite_run *run, const struct result_row *row, bool first,
		      const struct report_style *s, struct buf *out)
{
	const char *variant = row->variant;
	char label[128], name[96];
	size_t n = strlen(run->workload);

	/* "gzip-6" is gzip:6 on the command line. */
	if (!strncmp(variant, run->workload, n) && variant[n] == '-')
		variant += n + 1;
	snprintf(label, sizeof(label), "%.40s%s%.30s", run->workload, variant[0] ? ":" : "", variant);
	buf_printf(out, "%-*s %3d", NAMES, first ? report_name(label, NAMES, name, sizeof(name)) : "",
		   row->threads);
	terminal_score(out, run->result, &row->score, s, 26);
	terminal_cell(out, &row->factors[FACTOR_CLOCK], 1e-9, 4, 6);
	terminal_cell(out, &row->factors[FACTOR_SHARE], 1, 3, 6);
	if (row->scaling > 0)
		buf_printf(out, " %4.0f %%", 100 * row->scaling);
	buf_addc(out, '\n');
	if (!quantity_known(&row->score) && row->score.reason[0]) {
		snprintf(label, sizeof(label), "unavailable: %.80s", row->score.reason);
		terminal_fold(s, out, INDENT "score: ", label);
	}
	if (first)
		hot_line(row, s, out);
	scaling_line(row, s, out);
	why_line(row, s, out);
	load_line(row, s, out);
	power_line(run->result, row, s, out);
}

static void run_lines(const struct suite_run *run, const struct report_style *s, struct buf *out)
{
	const char *none = without_rows(run);
	const struct result *r = run->result;
	const char *why = run->unread ? run->unread : run->reason;
	char name[64];

	if (none) {
		buf_printf(out, "%-*s %s%s\n", NAMES, report_name(run->workload, NAMES, name,
								  sizeof(name)), none, why ? ":" : "");
		if (why)
			terminal_fold(s, out, INDENT, why);
		return;
	}
	for (size_t i = 0; i < r->n_rows; i++) {
		bool known = false;

		/* Rows of a variant stand together, fewest cores first. */
		for (size_t k = 0; k < i; k++)
			known |= !strcmp(r->rows[k].variant, r->rows[i].variant);
		if (known)
			continue;
		for (size_t k = i; k < r->n_rows; k++)
			if (!strcmp(r->rows[k].variant, r->rows[i].variant))
				row_lines(run, &r->rows[k], k == i, s, out);
	}
}

/* "zlib 1.2.13", each library of the group once. */
static void library_lines(const struct suite *u, size_t from, const struct report_style *s,
			  struct buf *out)
{
	struct buf b = BUF_INIT;

	for (size_t i = from; i < u->n_runs; i++) {
		const struct result *r = u->runs[i].result;
		const char *library, *version;
		char text[128];

		if (!r || strcmp(u->runs[i].group, u->runs[from].group))
			continue;
		library = result_target_value(r, "library");
		version = result_target_value(r, "library version");
		if (!library)
			continue;
		snprintf(text, sizeof(text), "%.60s %.60s", library, version ? version : "of unknown version");
		if (!strstr(buf_str(&b), text))
			buf_printf(&b, "%s%s", b.len ? ", " : "", text);
	}
	if (b.len)
		terminal_fold(s, out, "", buf_str(&b));
	buf_release(&b);
}

static void group_table(const struct suite *u, size_t from, const struct report_style *s,
			struct buf *out)
{
	char head[128];

	snprintf(head, sizeof(head), "%-*.*s %3s %26s %6s %6s %6s", NAMES, NAMES,
		 u->runs[from].title[0] ? u->runs[from].title : u->runs[from].group, "on", "score",
		 "GHz", "share", "linear");
	buf_addc(out, '\n');
	terminal_heading(s, out, head);
	library_lines(u, from, s, out);
	for (size_t i = from; i < u->n_runs; i++)
		if (!strcmp(u->runs[i].group, u->runs[from].group))
			run_lines(&u->runs[i], s, out);
}

static bool is_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.';
}

/* But for numbers: calibration reads a little different each time, and the runs' own
 * reports have all of them. */
static bool same_note(const char *a, const char *b)
{
	for (;;) {
		while (is_number(*a))
			a++;
		while (is_number(*b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

static bool has_note(const struct suite_run *run, const char *note)
{
	for (size_t k = 0; run->result && k < run->result->n_notes; k++)
		if (same_note(run->result->notes[k], note))
			return true;
	return false;
}

/* "gzip, brotli and 3 more: ", of the runs that have it; nothing when most have. */
static void whose(const struct suite *u, const char *note, struct buf *line)
{
	size_t n = 0, shown = 0;
	bool exact = true;

	for (size_t i = 0; i < u->n_runs; i++) {
		const struct result *r = u->runs[i].result;

		n += has_note(&u->runs[i], note);
		for (size_t k = 0; r && k < r->n_notes; k++)
			exact &= !same_note(r->notes[k], note) || !strcmp(r->notes[k], note);
	}
	if (n > MOST_NAMES && 2 * n > u->n_runs) {
		buf_adds(line, exact ? "" : "(numbers of the first) ");
		return;
	}
	for (size_t i = 0; i < u->n_runs && shown < MOST_NAMES; i++)
		if (has_note(&u->runs[i], note))
			buf_printf(line, "%s%s", shown++ ? ", " : "", u->runs[i].workload);
	if (n > shown)
		buf_printf(line, " and %zu more", n - shown);
	buf_printf(line, "%s: ", exact ? "" : " (numbers of the first)");
}

static void note_lines(const struct suite *u, const struct report_style *s, struct buf *out)
{
	const char **seen = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < u->n_runs; i++) {
		const struct result *r = u->runs[i].result;

		for (size_t k = 0; r && k < r->n_notes; k++) {
			struct buf line = BUF_INIT;
			size_t at = 0;

			while (at < n && !same_note(seen[at], r->notes[k]))
				at++;
			if (at < n)
				continue;
			GROW(seen, n, cap);
			seen[n++] = r->notes[k];
			if (n == 1)
				buf_addc(out, '\n');
			whose(u, r->notes[k], &line);
			buf_adds(&line, r->notes[k]);
			terminal_fold(s, out, "note: ", buf_str(&line));
			buf_release(&line);
		}
	}
	free(seen);
}

static bool seen_before(const struct suite *u, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(u->runs[k].group, u->runs[i].group))
			return true;
	return false;
}

void terminal_suite(const struct suite *u, const struct report_style *s, struct buf *out)
{
	size_t done = 0;
	char line[256];

	for (size_t i = 0; i < u->n_runs; i++)
		done += u->runs[i].state == SUITE_DONE;
	snprintf(line, sizeof(line), "suite%s of %.40s: %zu of %zu runs done",
		 u->quick ? " --quick" : "", u->created, done, u->n_runs);
	terminal_fold(s, out, "", line);
	terminal_fold(s, out, "", u->machine_line);
	for (size_t i = 0; i < u->n_runs; i++)
		if (!seen_before(u, i))
			group_table(u, i, s, out);
	note_lines(u, s, out);
	if (u->interrupted)
		buf_adds(out, "interrupted: this is what was measured until then\n");
}
