/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/passes.h"
#include "src/base/mem.h"
#include "src/explain/explain.h"
#include "src/run/model.h"
#include "src/run/pass.h"
#include "src/run/threads.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMER_HZ 1000		/* of the worker's own timers; the kernel's tick bounds it */

void passes_explain(const struct measure *m, struct result *r)
{
	const struct explain_cpu cpu = { .table = m->counting ? &m->counting->table : NULL,
					 .smt = m->machine->threads_per_core,
					 .cache_bytes = machine_last_cache(m->machine) };

	explain_result(r, &cpu);
}

void passes_log(struct measure *m, const struct result_row *row, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_printf(&m->log, "%14.6f %s%s%s: %s\n", (double)flight_now_ns(m->flight) * 1e-9,
		   row->variant, row->variant[0] ? " " : "", row->label, text);
}

/* The worker's own timers, where perf is closed to us. */
static int timer_pass(struct measure *m, const struct row_plan *plan, const char *path,
		      char **note, struct err *err)
{
	struct protocol_hello hello;
	struct protocol_ready ready;
	struct result_rep ignored = { 0 };
	struct pass p = { .arm = plan->arm, .threads = plan->threads, .share_s = SAMPLE_S,
			  .timer_hz = m->rate_hz < TIMER_HZ ? m->rate_hz : TIMER_HZ,
			  .recording = path, .note = note };

	return pass_worker(m, &p, &ignored, &hello, &ready, err);
}

static int perf_pass(struct measure *m, const struct row_plan *plan,
		     const struct sampling_event *event, const char *path, struct sampling *s,
		     char **note, struct err *err)
{
	struct protocol_hello hello;
	struct protocol_ready ready;
	struct result_rep ignored = { 0 };
	struct pass p = { .arm = plan->arm, .threads = plan->threads, .share_s = SAMPLE_S,
			  .sampling = s, .event = event, .recording = path, .note = note };

	return m->workload ? pass_worker(m, &p, &ignored, &hello, &ready, err) :
		pass_command(m, &p, &ignored, err);
}

/* "DIR/gzip-6-2t.perf.data", "DIR/run.branch-misses.perf.data"; caller frees. */
static char *recording_path(const struct measure *m, const struct result_row *row,
			    const char *event)
{
	if (!m->workload && m->n_threads < 2)
		return xasprintf("%s/run%s.perf.data", m->dir, event);
	return xasprintf("%s/%s%s%dt%s.perf.data", m->dir, row->variant, row->variant[0] ? "-" : "",
			 row->threads, event);
}

/* What a sampling pass left in its file, into out. */
static int read_recording(struct measure *m, const char *path, const struct sampling *s,
			  struct result_profile *out, struct err *err)
{
	int rc = sampling_profile(path, m->flight, m->machine, out, err);

	out->rate_hz = s->rate_hz;
	out->file = xstrdup(strrchr(path, '/') + 1);
	if (rc == 0 && s->reason[0] && !out->reason)
		out->reason = xstrdup(s->reason);
	return rc;
}

static int sampling_pass(struct measure *m, struct result *r, const struct row_plan *plan,
			 size_t row, struct err *err)
{
	struct sampling s = { 0 };
	struct result_profile *out = &r->rows[row].profile;
	char *path = recording_path(m, &r->rows[row], ""), *note = NULL;
	struct err why = { 0 };
	int rc = perf_pass(m, plan, NULL, path, &s, &note, &why);
	/* Ran to its end, but a full disk cut the file. */
	int disk = rc == 0 ? why.code : 0;
	bool closed = rc < 0 && s.closed;

	if (closed) {
		out->reason = xstrdup(why.msg);
		/* Not to be sampled here is a reason, not a failed run. */
		rc = 0;
		if (!m->workload || m->workload->server)
			goto out;
		rc = timer_pass(m, plan, path, &note, &why);
	}
	if (rc == 0) {
		rc = read_recording(m, path, &s, out, &why);
		if (closed)
			out->rate_hz = m->rate_hz < TIMER_HZ ? m->rate_hz : TIMER_HZ;
	}
	if (rc < 0 || disk) {
		rc = rc < 0 ? rc : disk;
		err_set(err, rc, "%s", why.msg);
	}
	if (note)
		result_note(r, "%s%s%s: %s", r->rows[row].variant,
			    r->rows[row].variant[0] ? ", " : "", r->rows[row].label, note);
out:
	passes_log(m, &r->rows[row], "sampled %llu of %s%s%s", (unsigned long long)out->samples,
		 out->event ? out->event : "nothing", why.code ? ": " : "", why.msg);
	sampling_release(&s);
	free(note);
	free(path);
	return rc;
}

/* Where the events behind a cause happen. Not to be sampled is a reason, not a
 * failure. */
static int cause_pass(struct measure *m, struct result *r, const struct row_plan *plan,
		      size_t row, const struct sampling_event *ev, struct err *err)
{
	struct result_profile *out = result_add_sampled(&r->rows[row], ev->name);
	char *dotted = xasprintf(".%s", ev->name);
	char *path = recording_path(m, &r->rows[row], dotted);
	struct sampling s = { 0 };
	struct err why = { 0 };
	int rc = perf_pass(m, plan, ev, path, &s, NULL, &why);

	if (rc < 0 && s.closed) {
		out->reason = xstrdup(why.msg);
		rc = 0;
	} else if (rc == 0) {
		rc = read_recording(m, path, &s, out, &why);
	}
	if (rc < 0)
		err_set(err, rc, "%s", why.msg);
	passes_log(m, &r->rows[row], "sampled %llu of %s%s%s", (unsigned long long)out->samples,
		 ev->name, why.code ? ": " : "", why.msg);
	sampling_release(&s);
	free(path);
	free(dotted);
	return rc;
}

/* A pass for each cause that counting has found and that can be sampled. */
static int cause_passes(struct measure *m, struct result *r, const struct row_plan *plan,
			size_t row, struct err *err)
{
	const struct pmu_table *t = &m->counting->table;
	int rc = 0;

	for (size_t i = 0; i < t->n_causes && rc == 0; i++) {
		struct sampling_event ev;
		bool found = false;

		for (size_t k = 0; k < r->rows[row].n_causes; k++)
			found |= !strcmp(r->rows[row].causes[k].name, t->causes[i].title);
		if (!found || !sampling_of_cause(&ev, t, &t->causes[i]))
			continue;
		if (m->progress)
			progress_step(m->progress, "sampling the causes");
		rc = cause_pass(m, r, plan, row, &ev, err);
	}
	return rc;
}

/* A run of the command in which each of its threads is counted by itself. */
static int thread_pass(struct measure *m, struct result *r, const struct row_plan *plan,
		       size_t row, struct err *err)
{
	char *path = recording_path(m, &r->rows[row], ".threads");
	struct sampling s = { 0 };
	struct result_rep ignored = { 0 };
	struct pass p = { .arm = plan->arm, .threads = plan->threads, .sampling = &s,
			  .by_thread = &m->counting->groups[COUNTING_IDENTITY], .recording = path };
	struct err why = { 0 };
	int rc = pass_command(m, &p, &ignored, &why);

	if (rc == 0)
		rc = threads_of_recording(&s, path, &r->rows[row], &why);
	if (rc > 0)
		result_note(r, "counts by thread: this kernel left none of %d threads", rc);
	if (rc < 0 && s.closed)
		result_note(r, "counts by thread: %s", why.msg);
	if (rc < 0 && s.closed)
		rc = 0;
	if (rc < 0)
		err_set(err, rc, "%s", why.msg);
	sampling_release(&s);
	free(path);
	return rc < 0 ? rc : 0;
}

static int thread_passes(struct measure *m, struct result *r, const struct row_plan *plans,
			 int rows, struct err *err)
{
	int rc = 0;

	for (int i = 0; i < rows && rc == 0; i++) {
		if (m->workload)
			threads_of_batches(&r->rows[i]);
		else if (m->dir)
			rc = thread_pass(m, r, &plans[i], (size_t)i, err);
	}
	return rc;
}

static int counting_pass(struct measure *m, const struct row_plan *plan, int g,
			 struct counting_sum *sum, struct err *err)
{
	struct protocol_hello hello;
	struct protocol_ready ready;
	struct result_rep ignored = { 0 };
	struct pass p = { .arm = plan->arm, .threads = plan->threads,
			  .share_s = COUNT_SHARE_S, .counts = sum, .n_counts = 1 };
	int rc;

	*sum = (struct counting_sum){ .group = &m->counting->groups[g], .coverage = 1 };
	if (m->progress)
		progress_step(m->progress, "counting");
	rc = m->workload ? pass_worker(m, &p, &ignored, &hello, &ready, err) :
		pass_command(m, &p, &ignored, err);
	free(ignored.batches);
	return rc;
}

/* Somebody else has the counters of the scores' own pair: smaller groups will
 * not help. */
static bool all_taken(const struct row_plan *plan)
{
	const struct counting_sum *s = plan->n_identity ?
		&plan->identity[plan->n_identity - 1] : NULL;

	for (int i = 0; s && i < s->group->n; i++)
		if (s->group->v[i].attr.type != PERF_TYPE_SOFTWARE && s->state[i] != -EBUSY)
			return false;
	return s && s->group->n;
}

/* Passes of their own for each further group of events; a group that shows not
 * to fit the counters there are becomes two. */
static int counting_passes(struct measure *m, struct result *r, const struct row_plan *plan,
			   size_t row, struct err *err)
{
	struct counting *c = m->counting;
	int rc = 0;

	if (m->once)
		return 0;
	counting_store(&r->rows[row], COUNTING_IDENTITY, plan->identity, plan->n_identity,
		       m->flight);
	for (int g = COUNTING_IDENTITY + 1; g < c->n_groups && rc == 0; g++) {
		struct counting_sum sums[COUNT_PASSES];
		char first[96];
		int n = 0, events = c->groups[g].n;

		snprintf(first, sizeof(first), "%s", c->groups[g].v[0].name);
		while (n < COUNT_PASSES && rc == 0) {
			rc = counting_pass(m, plan, g, &sums[n++], err);
			if (rc == 0 && n == 1 && !all_taken(plan) &&
			    counting_split(c, g, &sums[0]))
				n = 0;
		}
		if (rc == 0 && c->groups[g].n < events)
			result_note(r, "the %d events of a group (%s, ...) do not fit the counters "
				    "here together: counted in separate passes", events, first);
		if (rc == 0)
			counting_store(&r->rows[row], g, sums, COUNT_PASSES, m->flight);
	}
	return rc;
}

/* The row of each variant with the fewest threads goes through the models. What
 * fails there costs a note. */
static int model_passes(struct measure *m, struct result *r, const struct row_plan *plans,
			int rows, struct err *err)
{
	passes_explain(m, r);
	for (int i = 0; i < rows; i++) {
		struct err why = { 0 };
		bool fewest = true;
		int rc;

		for (int k = 0; k < rows; k++)
			fewest &= strcmp(r->rows[k].variant, r->rows[i].variant) ||
				r->rows[k].threads >= r->rows[i].threads;
		if (!fewest)
			continue;
		rc = model_pass(m->model, m, &plans[i].arm, &m->counting->table, r, (size_t)i, &why);
		passes_log(m, &r->rows[i], "modelled%s%s", rc < 0 ? ": " : "", rc < 0 ? why.msg : "");
		if (rc == -EINTR) {
			*err = why;
			return rc;
		}
		if (rc < 0)
			result_note(r, "%s: nothing modelled: %s", r->rows[i].label, why.msg);
	}
	return 0;
}

int passes_beside(struct measure *m, struct result *r, const struct row_plan *plans, int rows,
		  struct err *err)
{
	int rc = 0;

	for (int i = 0; i < rows && rc == 0 && m->rate_hz; i++) {
		if (m->progress)
			progress_step(m->progress, "sampling");
		rc = sampling_pass(m, r, &plans[i], (size_t)i, err);
	}
	for (int i = 0; i < rows && rc == 0 && m->counting && m->counting->n_groups; i++)
		rc = counting_passes(m, r, &plans[i], (size_t)i, err);
	if (m->model && rc == 0 && m->dir)
		rc = model_passes(m, r, plans, rows, err);
	if (m->counting && m->counting->n_groups && m->rate_hz && rc == 0 && !m->once) {
		passes_explain(m, r);
		for (int i = 0; i < rows && rc == 0; i++)
			rc = cause_passes(m, r, &plans[i], (size_t)i, err);
	}
	if (m->per_thread && rc == 0)
		rc = thread_passes(m, r, plans, rows, err);
	return rc;
}
