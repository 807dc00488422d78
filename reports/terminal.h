/*
 * terminal.h - inside the terminal format: the parts that fill a file each.
 */
#ifndef CPUPROF_REPORTS_TERMINAL_H
#define CPUPROF_REPORTS_TERMINAL_H

#include "reports/report.h"

void terminal_heading(const struct report_style *s, struct buf *out, const char *text);
void terminal_result(const struct result *r, const struct report_style *s, struct buf *out);
/* Text folded at the width, later lines indented. */
void terminal_fold(const struct report_style *s, struct buf *out, const char *first,
		   const char *text);

/* One line of the branches most often mispredicted. */
struct terminal_branch {
	const char *function, *text;
	uint64_t addr, taken, missed;
	double share;
};
#define TERMINAL_BRANCHES "most mispredicted branches (share of all; times seen, times wrong)"
void terminal_branch(const struct report_style *s, struct buf *out,
		     const struct terminal_branch *b);
/* " ", "~" or "m": measured, estimated, modelled. */
const char *terminal_origin(const struct quantity *q);
/* "gzip-6 2 cores" and what is to stand behind it. */
void terminal_row_name(const struct result_row *row, const char *behind, char *out, size_t size);
/* "~" in front of what was not measured; "-" for what is not known. */
void terminal_cell(struct buf *out, const struct quantity *q, double scale, int digits, int width);
/* A score with its unit and interval. */
void terminal_score(struct buf *out, const struct result *r, const struct quantity *q,
		    const struct report_style *s, int width);
/* Does class i of the instructions tell which code ran? */
bool terminal_is_code_path(const struct result_profile *p, size_t i);
/* Which code ran: what it is made of where the samples lie, not what CPUID offers.
 * False when it is not known. */
bool terminal_code_path(const struct result_profile *p, char *out, size_t size);
/* terminal_suite.c */
void terminal_suite(const struct suite *u, const struct report_style *s, struct buf *out);
/* terminal_counters.c: metrics and counts of a row, or why there are none. */
void terminal_counters(const struct result *r, const struct result_row *row,
		       const struct report_style *s, struct buf *out);
/* terminal_reference.c */
void terminal_reference(const struct reference *r, const struct report_style *s, struct buf *out);
/* terminal_sweep.c: many variants, each in a line. */
bool terminal_is_sweep(const struct result *r);
void terminal_sweep(const struct result *r, const struct report_style *s, struct buf *out);
/* terminal_causes.c: "19-21 %" of a cause, and whether it is worth a line. */
const char *terminal_cause_share(const struct result_cause *c, char *out, size_t size);
bool terminal_cause_stands_out(const struct result_cause *c);
/* Why a row's score is what it is. */
void terminal_causes(const struct result_row *row, const char *label,
		     const struct report_style *s, struct buf *out);
void terminal_sampled(const struct result_row *row, const char *label,
		      const struct report_style *s, struct buf *out);
/* In short: latencies, errors, whether the load was the limit. False for what is no
 * server. */
bool terminal_load(const struct result_row *row, char *out, size_t size);
/* What the load generator of a server saw; nothing for others. */
void terminal_server(const struct result_row *row, const struct report_style *s, struct buf *out);
void terminal_threads(const struct result_row *row, const char *label,
		      const struct report_style *s, struct buf *out);
/* Where the time went, when to more than one place: "libcrypto.so.3 34 %, kernel: network
 * 28 %". */
void terminal_parts(const struct result_profile *p, const struct report_style *s, struct buf *out);
/* A line, with a place in the source behind it, or below where there is no room. */
void terminal_placed(const char *line, const char *place, const struct report_style *s,
		     struct buf *out);
void terminal_insns(const struct result_profile *p, const struct report_style *s,
		    struct buf *out);

#endif
