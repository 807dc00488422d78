/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/terminal.h"

#include <stdio.h>
#include <string.h>

#define PLACE_AT 46	/* column of a place in the source, behind an instruction */

/* Texts may come from files and flights nobody vouches for. */
static void add_clean(struct buf *out, const char *text, size_t len)
{
	size_t at = out->len;

	buf_add(out, text, len);
	for (; at < out->len; at++)
		if ((unsigned char)out->data[at] < 0x20 || out->data[at] == 0x7f)
			out->data[at] = '?';
}

void terminal_heading(const struct report_style *s, struct buf *out, const char *text)
{
	buf_adds(out, s->color ? "\033[1m" : "");
	add_clean(out, text, strlen(text));
	buf_adds(out, s->color ? "\033[0m\n" : "\n");
}

void terminal_fold(const struct report_style *s, struct buf *out, const char *first,
		   const char *text)
{
	size_t indent = strlen(first), col = indent;

	add_clean(out, first, indent);
	while (*text) {
		size_t word = strcspn(text, " \n");

		if (col > indent && col + 1 + word > (size_t)s->width) {
			buf_printf(out, "\n%*s", (int)indent, "");
			col = indent;
		} else if (col > indent) {
			buf_addc(out, ' ');
			col++;
		}
		add_clean(out, text, word);
		col += word;
		text += word;
		text += strspn(text, " \n");
	}
	buf_addc(out, '\n');
}

const char *terminal_origin(const struct quantity *q)
{
	return q->origin == ORIGIN_ESTIMATED ? "~" : q->origin == ORIGIN_MODELLED ? "m" : " ";
}

void terminal_branch(const struct report_style *s, struct buf *out,
		     const struct terminal_branch *b)
{
	char function[128], text[128], line[320];

	snprintf(line, sizeof(line), "%.60s  %.120s",
		 report_name(b->function, 30, function, sizeof(function)),
		 report_name(b->text, s->width - 56, text, sizeof(text)));
	buf_printf(out, "  %5.1f %% %7llu %7llu %8llx  %s\n", 100 * b->share,
		   (unsigned long long)b->taken, (unsigned long long)b->missed,
		   (unsigned long long)b->addr, line);
}

void terminal_placed(const char *line, const char *place, const struct report_style *s,
		     struct buf *out)
{
	int column = (int)strlen(line);
	char name[200];

	buf_adds(out, line);
	if (place && place[0]) {
		if (column < PLACE_AT)
			buf_printf(out, "%*s", PLACE_AT - column, "");
		else if (column + 2 + (int)strlen(place) <= s->width)
			buf_addc(out, ' ');
		else
			buf_printf(out, "\n%*s", PLACE_AT, "");
		buf_printf(out, " %s", report_name(place, s->width - PLACE_AT - 1, name, sizeof(name)));
	}
	buf_addc(out, '\n');
}

void terminal_parts(const struct result_profile *p, const struct report_style *s, struct buf *out)
{
	struct buf line = BUF_INIT;
	char name[48];

	if (p->n_parts < 2 || p->parts[1].share < 0.05)
		return;
	for (size_t i = 0; i < p->n_parts && p->parts[i].share >= 0.01; i++)
		buf_printf(&line, "%s%s %.0f %%", i ? ", " : "",
			   report_name(p->parts[i].name, 40, name, sizeof(name)),
			   100 * p->parts[i].share);
	terminal_fold(s, out, "  in: ", buf_str(&line));
	buf_release(&line);
}

static void terminal_event(const struct profile_event *e, const struct report_style *s,
			   struct buf *out)
{
	size_t limit = s->limit ? (size_t)s->limit : 30;
	char head[200], name[256], line[400];
	int room = s->width - 46 < 24 ? 24 : s->width - 46;

	snprintf(head, sizeof(head), "%.100s: %llu samples, period %llu", e->name,
		 (unsigned long long)e->samples, (unsigned long long)e->period);
	terminal_heading(s, out, head);
	buf_printf(out, "  share           samples  %-*s object\n", room, "function");
	for (size_t i = 0; i < e->n_ranked && i < limit; i++) {
		const struct profile_function *f = &e->functions[i];
		char dso[64];

		buf_printf(out, "%6.2f %% %s%-5.2f %8llu  %-*s %s%s\n", 100 * f->share,
			   report_pm(s), 100 * f->error, (unsigned long long)f->samples, room,
			   report_name(f->name, room, name, sizeof(name)),
			   report_name(f->dso, 19, dso, sizeof(dso)), f->note[0] ? " *" : "");
	}
	if (e->n_ranked > limit)
		buf_printf(out, "  and %zu more (--limit)\n", e->n_ranked - limit);
	if (e->n_functions > e->n_ranked)
		buf_printf(out, "  and %zu below their own sampling error, not ranked\n",
			   e->n_functions - e->n_ranked);
	for (size_t i = 0; i < e->n_insns; i++) {
		const struct profile_insn *in = &e->insns[i];
		const char *dso = e->functions[in->function].dso;

		if (i == 0)
			terminal_heading(s, out, "hottest instructions");
		if (i == 0 || in->function != e->insns[i - 1].function)
			buf_printf(out, "  %s (%s)\n",
				   report_name(e->functions[in->function].name, s->width - 24,
					       name, sizeof(name)), dso);
		snprintf(line, sizeof(line), "  %6.1f %%  %10llx  %s", 100 * in->share,
			 (unsigned long long)in->addr, in->text[0] ? in->text : "(no code at hand)");
		terminal_placed(line, in->place, s, out);
	}
}

/* Why some names are marked or missing, once for each file. */
static void terminal_notes(const struct profile_event *e, const struct report_style *s,
			   struct buf *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < e->n_ranked && shown < 8; i++) {
		const struct profile_function *f = &e->functions[i];
		bool first = f->note[0] != '\0';
		char line[512];

		for (size_t k = 0; k < i && first; k++)
			first = e->functions[k].path != f->path;
		if (!first)
			continue;
		snprintf(line, sizeof(line), "%.300s: %s", f->path, f->note);
		terminal_fold(s, out, "  * ", line);
		shown++;
	}
}

static void terminal_profile(const struct profile *p, const char *file,
			     const struct report_style *s, struct buf *out)
{
	char line[600];

	snprintf(line, sizeof(line), "%.200s%s%.200s%s%.100s", file,
		 p->cmdline ? ": " : "", p->cmdline ? p->cmdline : "",
		 p->cpudesc ? ", " : "", p->cpudesc ? p->cpudesc : "");
	terminal_fold(s, out, "", line);
	if (p->n_events == 0)
		buf_adds(out, "no samples\n");
	for (size_t i = 0; i < p->n_events; i++) {
		buf_addc(out, '\n');
		terminal_event(&p->events[i], s, out);
		terminal_notes(&p->events[i], s, out);
		if (p->events[i].unknown_share > 0.02)
			buf_printf(out, "  %.1f %% of the time has no name\n",
				   100 * p->events[i].unknown_share);
	}
	if (p->n_branches) {
		buf_addc(out, '\n');
		terminal_heading(s, out, TERMINAL_BRANCHES);
		for (size_t i = 0; i < p->n_branches; i++)
			terminal_branch(s, out, &(struct terminal_branch){
				p->branches[i].function, p->branches[i].text, p->branches[i].addr,
				p->branches[i].taken, p->branches[i].missed, p->branches[i].share });
		buf_printf(out, "  %.1f %% of the %llu branches in the stacks were mispredicted\n",
			   100 * (double)p->branches_missed / (double)p->branches_seen,
			   (unsigned long long)p->branches_seen);
	}
	if (p->throttled)
		buf_printf(out, "throttled: the kernel stopped sampling %llu times\n",
			   (unsigned long long)p->throttled);
	if (p->lost)
		buf_printf(out, "lost: the kernel dropped %llu records or samples\n",
			   (unsigned long long)p->lost);
	if (p->bad)
		buf_printf(out, "%llu records could not be decoded\n", (unsigned long long)p->bad);
	if (p->orphans)
		buf_printf(out, "%llu samples belong to no event of this file\n",
			   (unsigned long long)p->orphans);
	for (const char *w = p->warnings; w && *w; w = strchr(w, '\n') + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(w, "\n"), w);
		terminal_fold(s, out, "warning: ", line);
	}
}

static void terminal_doctor(const struct doctor *d, const struct report_style *s,
			    struct buf *out)
{
	static const char *const sign[] = {
		[DOCTOR_YES] = "yes", [DOCTOR_PARTLY] = "partly", [DOCTOR_NO] = "no",
		[DOCTOR_INFO] = "",
	};
	static const char *const color[] = {
		[DOCTOR_YES] = "\033[32m", [DOCTOR_PARTLY] = "\033[33m",
		[DOCTOR_NO] = "\033[31m", [DOCTOR_INFO] = "",
	};

	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_line *l = &d->lines[i];
		bool same = i && !strcmp(d->lines[i - 1].group, l->group);
		/* The same reason as the line before needs saying once. */
		bool repeats = same && l->verdict != DOCTOR_INFO &&
			!strcmp(d->lines[i - 1].value, l->value);
		char first[64], text[640];

		if (!same)
			terminal_heading(s, out, l->group);
		snprintf(first, sizeof(first), "  %-18s%-7s ", l->name,
			 s->color ? "" : sign[l->verdict]);
		snprintf(text, sizeof(text), "%s%s%s%s", repeats ? "(the same)" : l->value,
			 l->unlock[0] && !repeats ? " [" : "",
			 l->unlock[0] && !repeats ? l->unlock : "",
			 l->unlock[0] && !repeats ? "]" : "");
		if (s->color) {
			buf_printf(out, "  %-18s%s%-7s\033[0m ", l->name, color[l->verdict],
				   sign[l->verdict]);
			first[0] = '\0';
			{
				struct buf b = BUF_INIT;

				terminal_fold(s, &b, "                            ", text);
				buf_adds(out, buf_str(&b) + 28);
				buf_release(&b);
			}
		} else {
			terminal_fold(s, out, first, text);
		}
	}
}

extern const struct report report_terminal;
const struct report report_terminal = {
	.name = "terminal",
	.summary = "text for people, 80 columns",
	.result = terminal_result,
	.profile = terminal_profile,
	.suite = terminal_suite,
	.reference = terminal_reference,
	.doctor = terminal_doctor,
};
