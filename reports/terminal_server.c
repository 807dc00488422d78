/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/terminal.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/base/units.h"

#include <stdio.h>
#include <stdlib.h>

/* Over the repetitions; room: for as many. */
static double median(const struct result_row *row, int percentile, double *room)
{
	for (size_t i = 0; i < row->n_reps; i++) {
		const struct result_served *s = &row->reps[i].served;

		room[i] = percentile < 0 ? s->load_busy : s->latency_s[percentile];
	}
	return stats_median(room, row->n_reps);
}

static size_t times_limited(const struct result_row *row)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n_reps; i++)
		n += (row->reps[i].marks & MARK_LOAD) != 0;
	return n;
}

/* In all repetitions. */
static double errors(const struct result_row *row)
{
	double sum = 0;

	for (size_t i = 0; i < row->n_reps; i++)
		sum += row->reps[i].served.errors;
	return sum;
}

static double busy_cpus(const struct result_row *row)
{
	return quantity_known(&row->factors[FACTOR_CPUS]) ? row->factors[FACTOR_CPUS].value : 0;
}

/* What the score is of when the load generator was in its way. */
static void limit_line(const struct result_row *row, double busy, const struct report_style *s,
		       struct buf *out)
{
	const struct result_served *v = &row->reps[0].served;
	char first[64], line[300];
	size_t limited = times_limited(row);

	if (!limited)
		return;
	terminal_row_name(row, ": ", first, sizeof(first));
	if (v->load_shares)
		snprintf(line, sizeof(line), "the load generator had no CPU of its own: the score is "
			 "that of both together");
	else
		snprintf(line, sizeof(line), "the load generator was the limit in %zu of %zu "
			 "repetitions (%.0f %% busy, the server %.0f %%): the server can do more than "
			 "this score", limited, row->n_reps, 100 * busy,
			 100 * busy_cpus(row) / row->threads);
	terminal_fold(s, out, first, line);
}

bool terminal_load(const struct result_row *row, char *out, size_t size)
{
	double *room, failed = errors(row);
	char half[32], most[32];

	if (!row->n_reps || row->reps[0].served.requests <= 0)
		return false;
	room = xcalloc(row->n_reps, sizeof(*room));
	units_time(half, sizeof(half), median(row, 0, room));
	units_time(most, sizeof(most), median(row, 3, room));
	free(room);
	snprintf(out, size, "50 %% in %s, 99 %% in %s, %.0f error%s%s", half, most, failed,
		 failed == 1 ? "" : "s", !times_limited(row) ? "" : row->reps[0].served.load_shares ?
		 "; no CPU of its own: the score is that of server and load together" :
		 "; it was the limit: the server can do more");
	return true;
}

void terminal_server(const struct result_row *row, const struct report_style *s, struct buf *out)
{
	double *room, busy, failed = errors(row), requests = 0;
	const struct result_served *v;
	char first[64], line[300], t[4][32];

	if (!row->n_reps || row->reps[0].served.requests <= 0)
		return;
	v = &row->reps[0].served;
	room = xcalloc(row->n_reps, sizeof(*room));
	busy = median(row, -1, room);
	for (int i = 0; i < 4; i++)
		units_time(t[i], sizeof(t[i]), median(row, i, room));
	for (size_t i = 0; i < row->n_reps; i++)
		requests += row->reps[i].served.requests;
	terminal_row_name(row, ": ", first, sizeof(first));
	snprintf(line, sizeof(line), "half of the requests took up to %s, 75 %% %s, 90 %% %s, 99 %% %s, "
		 "%u connections in a closed loop; %.0f requests, %.0f error%s", t[0], t[1], t[2], t[3],
		 v->connections, requests, failed, failed == 1 ? "" : "s");
	terminal_fold(s, out, first, line);
	limit_line(row, busy, s, out);
	free(room);
}
