/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/terminal.h"
#include "src/base/units.h"

#include <stdio.h>
#include <string.h>

#define FEW_SAMPLES 50

static bool counts_runs(const struct result *r)
{
	return !strcmp(r->unit, "run");
}

void terminal_row_name(const struct result_row *row, const char *behind, char *out, size_t size)
{
	char label[64];

	snprintf(label, sizeof(label), "%.30s%s%.30s", row->variant, row->variant[0] ? " " : "",
		 row->label);
	report_name(label, (int)sizeof(label), out, size);
	snprintf(out + strlen(out), size - strlen(out), "%s", behind);
}

static const char *unit_of_work(const struct result *r)
{
	return !strcmp(r->unit, "B") ? "bytes/cycle" : counts_runs(r) ? "runs/cycle" : "ops/cycle";
}

static const char *origin_mark(const struct quantity *q)
{
	return q->origin == ORIGIN_ESTIMATED ? "~" : q->origin == ORIGIN_MODELLED ? "m" : "";
}

void terminal_cell(struct buf *out, const struct quantity *q, double scale, int digits, int width)
{
	char num[32], text[40];

	if (!quantity_known(q) || q->value <= 0) {
		buf_printf(out, " %*s", width, "-");
		return;
	}
	units_digits(num, sizeof(num), q->value * scale, digits);
	snprintf(text, sizeof(text), "%s%s", origin_mark(q), num);
	buf_printf(out, " %*s", width, text);
}

/* A run or a signature takes many cycles: the inverse reads better. */
static void work_cell(struct buf *out, const struct result *r, const struct quantity *q)
{
	char num[32], text[40];

	if (!strcmp(r->unit, "B") || !quantity_known(q) || q->value <= 0) {
		terminal_cell(out, q, 1, 3, 11);
		return;
	}
	snprintf(text, sizeof(text), "%s%s", origin_mark(q),
		 units_si(num, sizeof(num), 1 / q->value));
	buf_printf(out, " %11s", text);
}

void terminal_score(struct buf *out, const struct result *r, const struct quantity *q,
		    const struct report_style *s, int width)
{
	char num[32], text[64], err[32] = "";

	if (!quantity_known(q)) {
		buf_printf(out, " %*s", width, "not measured");
		return;
	}
	units_digits(num, sizeof(num), q->value, 4);
	if (q->high > q->low && q->value > 0)
		snprintf(err, sizeof(err), " %s%.1f %%", report_pm(s), 50 * (q->high - q->low) / q->value);
	snprintf(text, sizeof(text), "%s %s%s", num, r->score_unit, err);
	buf_printf(out, " %*s", width, text);
}

static void score_table(const struct result *r, const struct report_style *s, struct buf *out)
{
	char head[128];
	int names = 16;

	/* Long names take from the room of the score. */
	for (size_t i = 0; i < r->n_rows; i++) {
		char label[64];

		terminal_row_name(&r->rows[i], "", label, sizeof(label));
		if (names < (int)strlen(label))
			names = (int)strlen(label);
	}
	names = names > 22 ? 22 : names;
	snprintf(head, sizeof(head), "%-*s %*s %5s %6s %6s %11s %6s", names, "", 40 - names, "score",
		 "CPUs", "share", "GHz", !strcmp(r->unit, "B") ? "bytes/cycle" : counts_runs(r) ?
		 "cycles/run" : "cycles/op", "linear");
	terminal_heading(s, out, head);
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct result_row *row = &r->rows[i];
		char label[64];

		terminal_row_name(row, "", label, sizeof(label));
		buf_printf(out, "%-*.*s", names, names, label);
		terminal_score(out, r, &row->score, s, 40 - names);
		terminal_cell(out, &row->factors[FACTOR_CPUS], 1, 3, 5);
		terminal_cell(out, &row->factors[FACTOR_SHARE], 1, 3, 6);
		terminal_cell(out, &row->factors[FACTOR_CLOCK], 1e-9, 4, 6);
		work_cell(out, r, &row->factors[FACTOR_WORK]);
		if (row->scaling > 0)
			buf_printf(out, " %4.0f %%", 100 * row->scaling);
		buf_addc(out, '\n');
	}
}

static void placement_lines(const struct result *r, const struct report_style *s,
			    struct buf *out)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct result_row *row = &r->rows[i];
		char first[64];

		/* The same for every variant: say it once. */
		if (strcmp(row->variant, r->rows[0].variant) || !row->placement[0])
			continue;
		snprintf(first, sizeof(first), "%s: ", row->label);
		terminal_fold(s, out, first, row->placement);
	}
}

static void time_line(const struct result *r, struct buf *out)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct quantity *q = &r->rows[i].score;
		char t[32], lo[32], hi[32];

		if (!counts_runs(r) || !quantity_known(q) || q->value <= 0)
			continue;
		units_time(t, sizeof(t), 1 / q->value);
		buf_printf(out, "%s%sone run takes %s", r->n_rows > 1 ? r->rows[i].label : "",
			   r->n_rows > 1 ? ": " : "", t);
		if (q->high > q->low && q->low > 0)
			buf_printf(out, " (%s to %s)", units_time(lo, sizeof(lo), 1 / q->high),
				   units_time(hi, sizeof(hi), 1 / q->low));
		else if (q->high > q->low)
			buf_printf(out, " (%s or more)", units_time(lo, sizeof(lo), 1 / q->high));
		buf_addc(out, '\n');
	}
}

/* "1 core: 61.2 W (idle 40.1 W), 0.561 MB/s a watt" */
static void energy_line(const struct result *r, const struct result_row *row,
			const struct report_style *s, struct buf *out)
{
	char first[64], line[300], w[32], per[32], idle[64] = "";

	if (!r->energy_source || !quantity_known(&row->watts))
		return;
	terminal_row_name(row, ": ", first, sizeof(first));
	if (r->idle_w > 0)
		snprintf(idle, sizeof(idle), ", of which %s W when idle",
			 units_digits(w, sizeof(w), r->idle_w, 3));
	snprintf(line, sizeof(line), "%s W%s, %s %s a watt (%.100s)",
		 units_digits(w, sizeof(w), row->watts.value, 4), idle,
		 units_digits(per, sizeof(per), row->per_joule.value, 4), r->score_unit,
		 r->energy_source);
	terminal_fold(s, out, first, line);
}

static void quiet_line(const struct result *r, const struct result_row *row,
		       const struct report_style *s, struct buf *out)
{
	char first[64], line[400], num[32];
	size_t n = 0;
	unsigned all = 0;

	if (row->n_reps == 0 || row->n_quiet == row->n_reps)
		return;
	for (size_t i = 0; i < row->n_reps; i++)
		all |= row->reps[i].marks;
	terminal_row_name(row, ": ", first, sizeof(first));
	if (quantity_known(&row->quiet))
		n = (size_t)snprintf(line, sizeof(line),
				     "%s %s in the %zu of %zu quiet repetitions; the others saw",
				     units_digits(num, sizeof(num), row->quiet.value, 4),
				     r->score_unit, row->n_quiet, row->n_reps);
	else
		n = (size_t)snprintf(line, sizeof(line), "all %zu repetitions were disturbed, by",
				     row->n_reps);
	for (unsigned m = 1, k = 0; m <= MARK_LAST; m <<= 1)
		if (all & m && n < sizeof(line))
			n += (size_t)snprintf(line + n, sizeof(line) - n, "%s %s", k++ ? "," : "",
					      result_mark_name((enum result_mark)m));
	terminal_fold(s, out, first, line);
}

/* Work before the last thread had started or after the first had ended. */
static void outside_line(const struct result_row *row, const struct report_style *s,
			 struct buf *out)
{
	char first[64], line[128];
	double sum = 0;

	for (size_t i = 0; i < row->n_reps; i++)
		sum += row->reps[i].outside;
	if (!row->n_reps || row->threads < 2 || sum <= 0)
		return;
	terminal_row_name(row, ": ", first, sizeof(first));
	snprintf(line, sizeof(line), "%.1f %% of the work lay outside the time all threads worked "
		 "and is not counted", 100 * sum / (double)row->n_reps);
	terminal_fold(s, out, first, line);
}

/* What the library held, where it can be counted. */
static void memory_lines(const struct result *r, const struct report_style *s,
			 struct buf *out)
{
	uint64_t before = 0;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct result_row *row = &r->rows[i];
		char first[64], line[128], bytes[32];
		uint64_t most = result_row_memory(row);

		/* As much on more threads needs no line of its own. */
		if (!most || (i && most == before && !strcmp(row->variant, r->rows[i - 1].variant)))
			continue;
		before = most;
		terminal_row_name(row, ": ", first, sizeof(first));
		snprintf(line, sizeof(line), "the library held up to %s for each thread",
			 units_bytes(bytes, sizeof(bytes), (double)most));
		terminal_fold(s, out, first, line);
	}
}

static void library_line(const struct result *r, const struct report_style *s, struct buf *out)
{
	const char *path = result_target_value(r, "library path");
	const char *id = result_target_value(r, "library build-id");
	char line[1200];

	if (!path)
		return;
	snprintf(line, sizeof(line), "%.1000s, build-id %s", path, id ? id : "none");
	terminal_fold(s, out, "", line);
}

/* What commands ran, whose, and which version of it. */
static void command_line(const struct result *r, const struct report_style *s, struct buf *out)
{
	const char *command = result_target_value(r, "command");
	const char *program = result_target_value(r, "program");
	const char *version = result_target_value(r, "version");
	char line[1600];

	if (!command)
		return;
	terminal_fold(s, out, "runs ", command);
	if (!program && !version)
		return;
	snprintf(line, sizeof(line), "%.1000s%s%.200s", program ? program : "", program && version ?
		 ", " : "", version ? version : "");
	terminal_fold(s, out, "", line);
}

/* " CPUs 99.8 % x core share 100.1 % ..." of the factors that are known. */
static void factor_product(const struct result *r, const double *v, int decimals, struct buf *out)
{
	const char *times = "";

	for (int f = 0; f < FACTORS; f++)
		if (v[f] > 0) {
			buf_printf(out, "%s %s %.*f %%", times, f == FACTOR_WORK ? unit_of_work(r) :
				   result_factor_name((enum result_factor)f), decimals, 100 * v[f]);
			times = " x";
		}
}

/* The other side's library where it is not the same file. */
static void versus_library_line(const struct result *r, const struct report_style *s,
				struct buf *out)
{
	const char *a = result_target_value(r, "library path");
	const char *b = result_target_value(r, "B library path");
	const char *version = result_target_value(r, "B library version");
	const char *id = result_target_value(r, "B library build-id");
	char line[1300];

	if (!a || !b || !strcmp(a, b))
		return;
	snprintf(line, sizeof(line), "%.1000s, version %.64s, build-id %.64s", b,
		 version ? version : "unknown", id ? id : "none");
	terminal_fold(s, out, "B: ", line);
}

static void scaling_line(const struct result *r, const struct result_row *row,
			 const struct report_style *s, struct buf *out)
{
	struct buf line = BUF_INIT;
	char first[64];

	if (row->scaling <= 0)
		return;
	terminal_row_name(row, ": ", first, sizeof(first));
	buf_printf(&line, "%.1f %% of linear =", 100 * row->scaling);
	factor_product(r, row->scaling_factors, 1, &line);
	buf_printf(&line, ", unexplained %+.1f %%", 100 * row->scaling_unexplained);
	terminal_fold(s, out, first, buf_str(&line));
	buf_release(&line);
}

bool terminal_is_code_path(const struct result_profile *p, size_t i)
{
	const char *name = p->classes[i].name;

	return strcmp(name, "branches") && strcmp(name, "loads") && strcmp(name, "stores");
}

bool terminal_code_path(const struct result_profile *p, char *out, size_t size)
{
	size_t n = 0;

	snprintf(out, size, "scalar");
	for (size_t i = 0; i < p->n_classes && n + 48 < size; i++)
		if (p->classes[i].share >= 0.01 && terminal_is_code_path(p, i))
			n += (size_t)snprintf(out + n, size - n, "%s%s %.0f %%", n ? ", " : "",
					      p->classes[i].name, 100 * p->classes[i].share);
	return p->n_classes > 0;
}

static void functions(const struct result_row *row, const struct report_style *s,
		      struct buf *out)
{
	const struct result_profile *p = &row->profile;
	size_t limit = s->limit ? (size_t)s->limit : 8;
	int room = s->width - 42 < 30 ? 30 : s->width - 42;
	char head[200], label[64], name[256], dso[64], code[300];
	double rest = 1;

	if (!p->event && !p->reason)
		return;
	if (!p->event) {
		snprintf(head, sizeof(head), "hot functions (%s): none", row->label);
		terminal_heading(s, out, head);
		terminal_fold(s, out, "  ", p->reason);
		return;
	}
	terminal_row_name(row, "", label, sizeof(label));
	snprintf(head, sizeof(head), "hot functions (%s; %s at %.0f Hz, %llu samples)", label,
		 p->event, p->rate_hz, (unsigned long long)p->samples);
	terminal_heading(s, out, head);
	for (size_t i = 0; i < p->n_functions && i < limit; i++) {
		const struct result_function *f = &p->functions[i];

		rest -= f->share;
		buf_printf(out, "  %5.1f %% %s%-4.1f  %-*s %s%s%s\n", 100 * f->share, report_pm(s),
			   100 * f->error, room, report_name(f->name, room, name, sizeof(name)),
			   report_name(f->dso, 22, dso, sizeof(dso)), f->note[0] ? " *" : "",
			   f->code && !strcmp(f->code, "assembly") ? ", assembly" : "");
	}
	if (p->samples < FEW_SAMPLES)
		buf_printf(out, "  %llu samples are too few to tell shares apart\n",
			   (unsigned long long)p->samples);
	if (rest > 0.0005)
		buf_printf(out, "  %5.1f %%         others\n", 100 * rest);
	terminal_parts(p, s, out);
	if (terminal_code_path(p, code, sizeof(code)))
		terminal_fold(s, out, "  code path: ", code);
	if (p->unsampled_kernel > 0)
		buf_printf(out, "  kernel time is not sampled: ~%.1f %% by CPU accounting\n",
			   100 * p->unsampled_kernel);
	if (p->throttled)
		buf_printf(out, "  the kernel stopped sampling %llu times: shares lean to the rest\n",
			   (unsigned long long)p->throttled);
	if (p->lost)
		buf_printf(out, "  %llu samples were lost: shares lean to quiet moments\n",
			   (unsigned long long)p->lost);
	if (p->unknown_share > 0.02)
		buf_printf(out, "  %.1f %% of the time has no name\n", 100 * p->unknown_share);
}

static void instructions(const struct result_row *row, const struct report_style *s,
			 struct buf *out)
{
	const struct result_profile *p = &row->profile;
	char head[96], label[64];
	bool precise = p->event && strstr(p->event, ":p");

	if (!p->n_insns)
		return;
	buf_addc(out, '\n');
	terminal_row_name(row, "", label, sizeof(label));
	snprintf(head, sizeof(head), "hottest instructions (%s)", label);
	terminal_heading(s, out, head);
	terminal_insns(p, s, out);
	if (!precise)
		buf_printf(out, "  %s is not precise: the cost may lie a few instructions earlier\n",
			   p->event);
}

static void versus(const struct result *r, const struct report_style *s, struct buf *out)
{
	const struct result_versus *v = &r->versus;
	struct buf split = BUF_INIT;
	char line[400], head[200];

	snprintf(head, sizeof(head), "B (%.120s) against A: %s", v->label, v->verdict);
	terminal_heading(s, out, head);
	if (!quantity_known(&v->ratio)) {
		buf_printf(out, "  %zu rounds A B B A: too few for a test\n", v->rounds);
		return;
	}
	snprintf(line, sizeof(line), "B runs at %.2f %% of A (98 %% interval %.2f to %.2f), "
		 "p = %.2g, %zu rounds A B B A", 100 * v->ratio.value, 100 * v->ratio.low,
		 100 * v->ratio.high, v->p, v->rounds);
	terminal_fold(s, out, "  ", line);
	snprintf(line, sizeof(line), "a round varies by %.2f %%, without the needles as "
		 "covariates by %.2f %% (then %.2f %% of A)", 100 * v->spread,
		 100 * v->raw_spread, 100 * v->raw_ratio);
	terminal_fold(s, out, "  ", line);
	buf_adds(&split, "split:");
	factor_product(r, v->split, 2, &split);
	terminal_fold(s, out, "  ", buf_str(&split));
	buf_release(&split);
}

static void rows_in_full(const struct result *r, const struct report_style *s, struct buf *out)
{
	char label[64];

	for (size_t i = 0; i < r->n_rows; i++)
		outside_line(&r->rows[i], s, out);
	memory_lines(r, s, out);
	for (size_t i = 0; i < r->n_rows; i++)
		quiet_line(r, &r->rows[i], s, out);
	for (size_t i = 0; i < r->n_rows; i++) {
		terminal_server(&r->rows[i], s, out);
		energy_line(r, &r->rows[i], s, out);
	}
	if (r->versus.label) {
		buf_addc(out, '\n');
		versus(r, s, out);
	}
	for (size_t i = 0; i < r->n_rows; i++) {
		if (!r->rows[i].n_reps)
			continue;
		buf_addc(out, '\n');
		terminal_row_name(&r->rows[i], "", label, sizeof(label));
		terminal_causes(&r->rows[i], label, s, out);
	}
	for (size_t i = 0; i < r->n_rows; i++)
		terminal_counters(r, &r->rows[i], s, out);
	for (size_t i = 0; i < r->n_rows; i++) {
		terminal_row_name(&r->rows[i], "", label, sizeof(label));
		terminal_threads(&r->rows[i], label, s, out);
		terminal_sampled(&r->rows[i], label, s, out);
	}
	/* One profile speaks for a variant: the one on the fewest threads. */
	for (size_t i = 0; i < r->n_rows; i++) {
		if (i && !strcmp(r->rows[i].variant, r->rows[i - 1].variant))
			continue;
		buf_addc(out, '\n');
		functions(&r->rows[i], s, out);
		if (r->n_rows <= 2)
			instructions(&r->rows[i], s, out);
	}
}

void terminal_result(const struct result *r, const struct report_style *s, struct buf *out)
{
	char line[512];

	snprintf(line, sizeof(line), "%s", r->title);
	terminal_fold(s, out, "", line);
	library_line(r, s, out);
	command_line(r, s, out);
	versus_library_line(r, s, out);
	terminal_fold(s, out, "", r->machine_line);
	buf_addc(out, '\n');
	score_table(r, s, out);
	placement_lines(r, s, out);
	time_line(r, out);
	for (size_t i = 0; i < r->n_rows; i++)
		scaling_line(r, &r->rows[i], s, out);
	if (terminal_is_sweep(r) && !s->explain)
		terminal_sweep(r, s, out);
	else
		rows_in_full(r, s, out);
	if (r->n_notes)
		buf_addc(out, '\n');
	for (size_t i = 0; i < r->n_notes; i++)
		terminal_fold(s, out, "note: ", r->notes[i]);
	if (r->interrupted)
		buf_adds(out, "interrupted: this is what was measured until then\n");
	if (r->failure)
		terminal_fold(s, out, "failed: ", r->failure);
}
