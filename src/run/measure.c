/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/measure.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/explain/explain.h"
#include "src/explain/versus.h"
#include "src/machine/energy.h"
#include "src/run/model.h"
#include "src/run/pass.h"
#include "src/run/recipe_run.h"
#include "src/run/share_cache.h"
#include "src/run/threads.h"
#include "src/symbol/dso.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SHARE_S 0.6		/* work of a score repetition */
#define VERSUS_SHARE_S 0.3	/* of an experiment's: more rounds beat longer ones */
#define SAMPLE_S 2.0		/* work of a sampling pass */
#define TIMER_HZ 1000		/* of the worker's own timers; the kernel's tick bounds it */
#define COUNT_SHARE_S 0.3	/* work of a counting pass */
#define COUNT_PASSES 3		/* for each group: their spread is shown */
#define MODEL_S 5.0		/* a model pass, for the estimate only */
#define SETUP_S 0.2		/* around each, for the estimate only */
#define NARROW 0.01		/* stop when the interval is within +-1 % */
#define MAX_REPS 200

struct row_plan {
	struct measure_arm arm;
	int threads;
	struct counting_sum *identity;	/* of the score repetitions; owned */
	size_t n_identity, cap_identity;
	int narrow;		/* checks in a row that found it narrow enough */
	bool done;
};

static int n_rows(const struct measure *m)
{
	if (m->versus.label)
		return 2;
	if (m->recipe)
		return m->n_threads ? m->n_threads : 1;
	return m->workload ? m->n_variants * m->n_threads : 1;
}

double measure_estimate_s(const struct measure *m)
{
	double rep = SHARE_S + SETUP_S, least;
	int rows = n_rows(m);
	double counting = m->counting && m->counting->n_groups > 1 ?
		rows * (m->counting->n_groups - 1) * COUNT_PASSES * (COUNT_SHARE_S + SETUP_S) : 0;

	if (m->model && m->workload)
		counting += MODEL_S * m->n_variants;

	if (m->versus.label && !m->reps)
		return m->time_s > 0 ? m->time_s : MEASURE_VERSUS_S;
	if (!m->workload)
		return m->time_s > 0 ? m->time_s : rows * MEASURE_ROW_S;
	if (m->reps)
		return rows * (m->reps * rep + (m->rate_hz ? SAMPLE_S + 2 * SETUP_S : 0)) +
			counting;
	least = rows * (STATS_MIN_REPS * rep + (m->rate_hz ? SAMPLE_S + 2 * SETUP_S : 0));
	if (m->time_s > 0)
		return (m->time_s > least ? m->time_s : least) + counting;
	return rows * MEASURE_ROW_S + counting;
}

static void explain(const struct measure *m, struct result *r)
{
	const struct explain_cpu cpu = { .table = m->counting ? &m->counting->table : NULL,
					 .smt = m->machine->threads_per_core,
					 .cache_bytes = machine_last_cache(m->machine) };

	explain_result(r, &cpu);
}

/* What was done when, for the log of the bundle. */
static void __attribute__((format(printf, 3, 4)))
log_line(struct measure *m, const struct result_row *row, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_printf(&m->log, "%14.6f %s%s%s: %s\n", (double)flight_now_ns(m->flight) * 1e-9,
		   row->variant, row->variant[0] ? " " : "", row->label, text);
}

static int score_pass(struct measure *m, struct result *r, struct row_plan *plan, size_t row,
		      struct protocol_hello *hello, struct protocol_ready *ready,
		      struct err *err)
{
	struct pass p = { .arm = plan->arm, .threads = plan->threads, .score = true,
			  .share_s = m->versus.label ? VERSUS_SHARE_S : SHARE_S };
	struct counting_sum counts[COUNTING_GROUPS];
	struct result_rep rep = { 0 };
	bool again;
	int rc;

	do {
		p.counts = m->counting && m->counting->n_groups ? counts : NULL;
		p.n_counts = !p.counts ? 0 : m->once ? m->counting->n_groups : 1;
		for (int g = 0; g < p.n_counts; g++)
			counts[g] = (struct counting_sum){ .coverage = 1,
							   .group = &m->counting->groups[g] };
		rc = m->workload ? pass_worker(m, &p, &rep, hello, ready, err) :
			pass_command(m, &p, &rep, err);
		/* Before anything was kept of it, the pair may still be parted. */
		again = rc == 0 && p.counts && !m->once && row == 0 && !r->rows[row].n_reps &&
			counting_split_identity(m->counting, &counts[0]);
		if (rc < 0 || again)
			free(rep.batches);
		if (again)
			rep = (struct result_rep){ 0 };
	} while (again);
	if (rc < 0)
		return rc;
	if (p.arm.command && m->child_status)
		result_note(r, "%s: %s ended with %s %d", r->rows[row].label, p.arm.command[0],
			    WIFSIGNALED(m->child_status) ? "signal" : "status",
			    WIFSIGNALED(m->child_status) ? WTERMSIG(m->child_status) :
			    WEXITSTATUS(m->child_status));
	if (p.counts) {
		GROW(plan->identity, plan->n_identity, plan->cap_identity);
		plan->identity[plan->n_identity++] = counts[0];
	}
	for (int g = 0; g < p.n_counts && m->once; g++)
		counting_store(&r->rows[row], g, &counts[g], 1, m->flight);
	*result_add_rep(&r->rows[row]) = rep;
	explain_score(&r->rows[row].reps[r->rows[row].n_reps - 1]);
	log_line(m, &r->rows[row], "score %.6g %s in %.3f s, %zu batches",
		 r->rows[row].reps[r->rows[row].n_reps - 1].score * r->score_scale, r->score_unit,
		 rep.wall_s, rep.n_batches);
	return 0;
}

/* Is the interval of the median narrow enough, twice in a row? */
static bool narrow_enough(const struct result_row *row, struct row_plan *plan)
{
	double scores[MAX_REPS], low, high;
	size_t n = row->n_reps < MAX_REPS ? row->n_reps : MAX_REPS;

	for (size_t i = 0; i < n; i++)
		scores[i] = row->reps[i].score;
	if (stats_median_ci(scores, n, &low, &high) < 0 ||
	    (high - low) / 2 > NARROW * stats_median(scores, n)) {
		plan->narrow = 0;
		return false;
	}
	return ++plan->narrow >= 2;
}

/* The library a side ran; side is "" or "B ". */
static void describe_library(struct result *r, const char *side, const struct protocol_hello *h)
{
	char hex[41] = "", key[32];

	for (uint32_t i = 0; i < h->build_id_len && i < 20; i++)
		snprintf(hex + 2 * i, 3, "%02x", h->build_id[i]);
	snprintf(key, sizeof(key), "%slibrary path", side);
	result_target(r, key, "%s", h->library_path);
	snprintf(key, sizeof(key), "%slibrary version", side);
	result_target(r, key, "%s", h->library_version);
	snprintf(key, sizeof(key), "%slibrary build-id", side);
	result_target(r, key, "%s", hex[0] ? hex : "none");
}

/* "gzip -6, zlib 1.2.13, web corpus 4.0 MiB", "aes-128-gcm 1024 B, libcrypto 3.0.19". */
static char *make_title(const struct measure *m, const struct protocol_hello *h)
{
	const struct workload *w = m->workload;
	struct buf b = BUF_INIT;

	buf_adds(&b, w->name);
	if (m->n_variants == 1 && w->variant_unit)
		buf_printf(&b, " %d %s", m->variants[0], w->variant_unit);
	else if (m->n_variants == 1 && w->variant_name)
		buf_printf(&b, " -%d", m->variants[0]);
	if (w->library)
		buf_printf(&b, ", %s %s", w->library, h->library_version);
	if (w->window_max && m->window != w->window_default)
		buf_printf(&b, ", window of %d bits", m->window);
	if (h->input[0])
		buf_printf(&b, ", %s", h->input);
	return buf_detach(&b);
}

static void describe_target(const struct measure *m, struct result *r,
			    const struct protocol_hello *h, const struct protocol_ready *ready)
{
	if (!m->workload || r->n_target)
		return;
	if (h->library_path[0]) {
		result_target(r, "library", "%s", m->workload->library);
		describe_library(r, "", h);
	}
	if (h->input[0])
		result_target(r, "input", "%s", h->input);
	if (m->workload->window_max)
		result_target(r, "window", "%d bits", m->window);
	result_target(r, "work per batch", "%llu %s", (unsigned long long)ready->ops_per_batch,
		      m->workload->unit);
	free(r->title);
	r->title = make_title(m, h);
}

/* What the other side of an experiment ran: its library may be another one. */
static void describe_versus(const struct measure *m, struct result *r,
			    const struct protocol_hello *h)
{
	if (!m->workload || !h->library_path[0] || result_target_value(r, "B library path"))
		return;
	describe_library(r, "B ", h);
}

static void say_progress(struct measure *m, const struct result *r, size_t row)
{
	char what[64];

	if (!m->progress)
		return;
	snprintf(what, sizeof(what), "%s%s%s, repetition %zu", r->rows[row].variant,
		 r->rows[row].variant[0] ? ", " : "", r->rows[row].label,
		 r->rows[row].n_reps + 1);
	progress_step(m->progress, what);
}

/* Rounds over all rows, so that the machine's drift meets them alike. */
static int score_rounds(struct measure *m, struct result *r, struct row_plan *plans, int rows,
			double until_s, struct err *err)
{
	struct protocol_hello hello = { 0 };
	struct protocol_ready ready = { 0 };
	uint64_t start = flight_now_ns(m->flight);
	int left = rows, rc, max = m->reps ? m->reps : MAX_REPS;

	for (int round = 0; left > 0 && round < max; round++) {
		for (int i = 0; i < rows; i++) {
			double used;

			if (plans[i].done)
				continue;
			say_progress(m, r, (size_t)i);
			rc = score_pass(m, r, &plans[i], (size_t)i, &hello, &ready, err);
			if (rc < 0)
				return rc;
			describe_target(m, r, &hello, &ready);
			used = (double)(flight_now_ns(m->flight) - start) * 1e-9;
			if (m->reps)
				plans[i].done = round + 1 >= m->reps;
			else if (round + 1 >= STATS_MIN_REPS)
				plans[i].done = narrow_enough(&r->rows[i], &plans[i]) ||
					used + used / (round + 1) > until_s;
			left -= plans[i].done;
		}
	}
	return 0;
}

/* Rounds A B B A, or B A A B by lot so that nothing periodic keeps step, until the interval of the ratio is within half a percent, or
 * the time is up. Whole rounds only: half a one would let drift back in. */
static int versus_rounds(struct measure *m, struct result *r, struct row_plan *plans,
			 double until_s, struct err *err)
{
	static const int order[4] = { 0, 1, 1, 0 };
	struct protocol_hello hello = { 0 };
	struct protocol_ready ready = { 0 };
	uint64_t start = flight_now_ns(m->flight);
	int rc, max = m->reps ? (m->reps + 1) / 2 : MAX_REPS;
	struct rng lots;

	rng_init(&lots, 1);	/* the same every time: a replay draws them again */
	r->versus.label = xstrdup(m->versus.label);
	for (int round = 0; round < max; round++) {
		size_t first = rng_below(&lots, 2);
		double used;

		for (int i = 0; i < 4; i++) {
			size_t row = (size_t)order[i] ^ first;

			say_progress(m, r, row);
			rc = score_pass(m, r, &plans[row], row, &hello, &ready, err);
			if (rc < 0)
				return rc;
			describe_target(m, r, &hello, &ready);
			if (row == 1)
				describe_versus(m, r, &hello);
		}
		used = (double)(flight_now_ns(m->flight) - start) * 1e-9;
		if (m->reps || round + 1 < VERSUS_MIN_ROUNDS)
			continue;
		explain(m, r);
		if ((r->versus.ratio.high - r->versus.ratio.low) / 2 < 0.005 ||
		    used + used / (round + 1) > until_s)
			break;
	}
	return 0;
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
		rc = m->workload ? timer_pass(m, plan, path, &note, &why) : 0;
		if (!m->workload)
			goto out;
	}
	if (rc == 0) {
		rc = sampling_profile(path, m->flight, m->machine, out, &why);
		out->rate_hz = !closed ? s.rate_hz : m->rate_hz < TIMER_HZ ? m->rate_hz : TIMER_HZ;
		out->file = xstrdup(strrchr(path, '/') + 1);
	}
	if (rc == 0 && s.reason[0] && !out->reason)
		out->reason = xstrdup(s.reason);
	if (rc < 0 || disk) {
		rc = rc < 0 ? rc : disk;
		err_set(err, rc, "%s", why.msg);
	}
	if (note)
		result_note(r, "%s%s%s: %s", r->rows[row].variant,
			    r->rows[row].variant[0] ? ", " : "", r->rows[row].label, note);
out:
	log_line(m, &r->rows[row], "sampled %llu of %s%s%s", (unsigned long long)out->samples,
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
		rc = sampling_profile(path, m->flight, m->machine, out, &why);
		out->rate_hz = s.rate_hz;
		out->file = xstrdup(strrchr(path, '/') + 1);
		if (s.reason[0])
			out->reason = xstrdup(s.reason);
	}
	if (rc < 0)
		err_set(err, rc, "%s", why.msg);
	log_line(m, &r->rows[row], "sampled %llu of %s%s%s", (unsigned long long)out->samples,
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

static void place_row(const struct measure *m, struct result_row *row)
{
	int cpus[MACHINE_MAX_CPUS], n = machine_choose_cpus(m->machine, row->threads, cpus);
	char text[512];

	machine_placement(m->machine, cpus, n, text, sizeof(text));
	free(row->placement);
	row->placement = m->workload ? xstrdup(text) : xstrdup("wherever the kernel puts it");
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
	explain(m, r);
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
		log_line(m, &r->rows[i], "modelled%s%s", rc < 0 ? ": " : "", rc < 0 ? why.msg : "");
		if (rc == -EINTR) {
			*err = why;
			return rc;
		}
		if (rc < 0)
			result_note(r, "%s: nothing modelled: %s", r->rows[i].label, why.msg);
	}
	return 0;
}

/* "gzip-6", "1024B". */
static void name_variant(const struct workload *w, int v, char *out, size_t size)
{
	if (w->variant_unit)
		snprintf(out, size, "%d%s", v, w->variant_unit);
	else
		snprintf(out, size, "%s-%d", w->name, v);
}

static int plan_rows(const struct measure *m, struct result *r, struct row_plan *plans)
{
	int n = 0;

	if (m->versus.label) {
		int threads = m->n_threads ? m->threads[0] : m->machine->n_allowed;

		result_add_row(r, "A", "", threads);
		result_add_row(r, "B", "", threads);
		plans[0] = (struct row_plan){ .arm = { .variant = m->variants[0],
						       .library = m->library,
						       .command = m->command },
					      .threads = threads };
		plans[1] = (struct row_plan){ .arm = m->versus, .threads = threads };
		return 2;
	}
	for (; m->recipe && n < m->n_threads; n++) {
		char label[32];

		/* Threads of its own choosing, not cores that it is kept on. */
		snprintf(label, sizeof(label), "%d thread%s", m->threads[n],
			 m->threads[n] == 1 ? "" : "s");
		result_add_row(r, label, "", m->threads[n]);
		plans[n].threads = m->threads[n];
	}
	if (n)
		return n;
	if (!m->workload) {
		result_add_row(r, "run", "", m->machine->n_allowed);
		plans[n].arm.command = m->command;
		plans[n++].threads = m->machine->n_allowed;
		return n;
	}
	for (int v = 0; v < m->n_variants; v++)
		for (int t = 0; t < m->n_threads; t++) {
			char label[32], variant[32] = "";

			snprintf(label, sizeof(label), "%d core%s", m->threads[t],
				 m->threads[t] == 1 ? "" : "s");
			if (m->n_variants > 1)
				name_variant(m->workload, m->variants[v], variant, sizeof(variant));
			result_add_row(r, label, variant, m->threads[t]);
			plans[n].arm.variant = m->variants[v];
			plans[n].arm.library = m->library;
			plans[n++].threads = m->threads[t];
		}
	return n;
}

int measure_run(struct measure *m, struct result *r, struct err *err)
{
	struct row_plan *plans = xcalloc((size_t)n_rows(m), sizeof(*plans));
	int rows = plan_rows(m, r, plans), rc;
	double total = measure_estimate_s(m);
	double sampling = !m->rate_hz ? 0 : m->workload ? rows * (SAMPLE_S + 2 * SETUP_S) :
		total / (STATS_MIN_REPS + 1);

	for (int i = 0; i < rows; i++)
		place_row(m, &r->rows[i]);
	share_cache_load(r, m->flight, m->machine);
	rc = m->recipe ? recipe_begin(m, r, err) : 0;
	if (rc == 0)
		rc = m->versus.label ? versus_rounds(m, r, plans, total, err) :
			score_rounds(m, r, plans, rows, total - sampling, err);
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
		explain(m, r);
		for (int i = 0; i < rows && rc == 0; i++)
			rc = cause_passes(m, r, &plans[i], (size_t)i, err);
	}
	if (m->per_thread && rc == 0)
		rc = thread_passes(m, r, plans, rows, err);
	if (m->recipe)
		rc = recipe_end(m, rc, err);
	pass_forget_names(m);
	for (int i = 0; i < rows; i++)
		free(plans[i].identity);
	free(plans);
	explain(m, r);
	if (!flight_replaying(m->flight))
		share_cache_save(r, m->machine);
	if (rc == -EINTR) {
		r->interrupted = true;
		return 0;
	}
	if (rc < 0)
		r->failure = xstrdup(err->msg);
	return rc;
}

size_t measure_meter(struct measure *m, struct result *r, const struct energy_log *log,
		     double ahead_s)
{
	size_t covered = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < r->rows[i].n_reps; k++) {
			struct result_rep *rep = &r->rows[i].reps[k];
			double at = rep->began_s + ahead_s;
			double j = energy_log_between(log, at, at + rep->wall_s);

			rep->energy_j = j > 0 ? j : 0;
			covered += j > 0;
		}
	explain(m, r);
	return covered;
}
