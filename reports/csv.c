/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/report.h"

#include <stdio.h>
#include <string.h>

/* RFC 4180: a field in quotes, quotes doubled. Names may hold anything. */
static void field(struct buf *out, const char *s)
{
	char safe[512];

	buf_addc(out, '"');
	for (const char *p = report_name(s, (int)sizeof(safe), safe, sizeof(safe)); *p; p++) {
		if (*p == '"')
			buf_addc(out, '"');
		buf_addc(out, *p);
	}
	buf_addc(out, '"');
}

/* An empty field where a number is not known. */
static void number(struct buf *out, double v, bool known)
{
	if (known)
		buf_printf(out, ",%.9g", v);
	else
		buf_addc(out, ',');
}

static void marks(struct buf *out, unsigned set)
{
	bool first = true;

	buf_addc(out, ',');
	for (unsigned m = 1; m <= MARK_LAST; m <<= 1)
		if (set & m) {
			buf_printf(out, "%s%s", first ? "" : " ", result_mark_name((enum result_mark)m));
			first = false;
		}
}

/* A line a repetition, for plotting and for statistics elsewhere. */
static void csv_result(const struct result *r, const struct report_style *s, struct buf *out)
{
	buf_adds(out, "variant,row,threads,repetition,score,cpus,core_share,clock_hz,ops_per_cycle,"
		 "wall_s,run_delay_s,steal_s,throttled_s,stopped_s,suspended_s,migrations,marks\n");
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct result_row *row = &r->rows[i];

		for (size_t k = 0; k < row->n_reps; k++) {
			const struct result_rep *rep = &row->reps[k];
			double delay = 0;
			bool known = true;

			for (size_t b = 0; b < rep->n_batches; b++) {
				delay += rep->batches[b].run_delay_s;
				known &= rep->batches[b].run_delay_s >= 0;
			}
			field(out, row->variant);
			buf_addc(out, ',');
			field(out, row->label);
			buf_printf(out, ",%d,%zu", row->threads, k + 1);
			number(out, rep->score * r->score_scale, true);
			for (int f = 0; f < FACTORS; f++)
				number(out, rep->factors[f], rep->factors[f] > 0);
			number(out, rep->wall_s, true);
			number(out, delay, known);
			number(out, rep->steal_s, rep->steal_s >= 0);
			number(out, rep->throttled_s, rep->throttled_s >= 0);
			number(out, rep->stopped_s, true);
			number(out, rep->suspended_s, rep->suspended_s >= 0);
			number(out, (double)rep->migrations, rep->migrations >= 0);
			marks(out, rep->marks);
			buf_addc(out, '\n');
		}
	}
}

static void csv_profile(const struct profile *p, const char *file,
			const struct report_style *s, struct buf *out)
{
	buf_adds(out, "event,share,error,samples,period,ranked,function,object,note\n");
	for (size_t i = 0; i < p->n_events; i++) {
		const struct profile_event *e = &p->events[i];

		for (size_t k = 0; k < e->n_functions; k++) {
			const struct profile_function *f = &e->functions[k];

			field(out, e->name);
			number(out, f->share, true);
			number(out, f->error, true);
			buf_printf(out, ",%llu,%llu,%d,", (unsigned long long)f->samples,
				   (unsigned long long)f->period, k < e->n_ranked);
			field(out, f->name);
			buf_addc(out, ',');
			field(out, f->path);
			buf_addc(out, ',');
			field(out, f->note);
			buf_addc(out, '\n');
		}
	}
}

extern const struct report report_csv;
const struct report report_csv = {
	.name = "csv",
	.summary = "a line for each repetition, or for each function of a recording",
	.result = csv_result,
	.profile = csv_profile,
};
