/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/measure.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/explain/explain.h"
#include "src/explain/versus.h"
#include "src/machine/energy.h"
#include "src/run/pass.h"
#include "src/run/passes.h"
#include "src/run/recipe_run.h"
#include "src/run/share_cache.h"
#include "src/symbol/elf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SHARE_S 0.6		/* work of a score repetition */
#define VERSUS_SHARE_S 0.3	/* of an experiment's: more rounds beat longer ones */
#define MODEL_S 5.0		/* a model pass, for the estimate only */
#define SETUP_S 0.2		/* around each, for the estimate only */
#define NARROW 0.01		/* stop when the interval is within +-1 % */
#define MAX_REPS 200

static int n_rows(const struct measure *m)
{
	if (m->versus.label)
		return 2;
	if (m->recipe)
		return m->n_threads ? m->n_threads : 1;
	return m->workload ? m->n_variants * m->n_threads : 1;
}

double measure_model_s(const struct measure *m)
{
	/* What is a program of its own is not modelled. */
	return !m->workload || m->workload->become || m->workload->server ? 0 :
		MODEL_S * m->n_variants;
}

double measure_estimate_s(const struct measure *m)
{
	double rep = SHARE_S + SETUP_S, least;
	int rows = n_rows(m);
	double counting = m->counting && m->counting->n_groups > 1 ?
		rows * (m->counting->n_groups - 1) * COUNT_PASSES * (COUNT_SHARE_S + SETUP_S) : 0;

	if (m->model)
		counting += measure_model_s(m);

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
	passes_log(m, &r->rows[row], "score %.6g %s in %.3f s, %zu batches",
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
	char hex[41], key[32];

	elf_build_id_text(h->build_id, (int)h->build_id_len, hex);
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
	if (!m->workload->server)
		result_target(r, "work per batch", "%llu %s",
			      (unsigned long long)ready->ops_per_batch, m->workload->unit);
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

/* Rounds A B B A, or B A A B by lot so that nothing periodic keeps step, until the
 * interval of the ratio is within half a percent, or the time is up. Whole rounds
 * only: half a one would let drift back in. */
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
		passes_explain(m, r);
		if ((r->versus.ratio.high - r->versus.ratio.low) / 2 < 0.005 ||
		    used + used / (round + 1) > until_s)
			break;
	}
	return 0;
}

static void place_row(const struct measure *m, struct result_row *row)
{
	int cpus[MACHINE_MAX_CPUS], n = machine_choose_cpus(m->machine, row->threads, cpus);
	char text[512];

	machine_placement(m->machine, cpus, n, text, sizeof(text));
	free(row->placement);
	row->placement = m->workload ? xstrdup(text) : xstrdup("wherever the kernel puts it");
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
	rc = m->recipe ? recipe_begin(m, r, err) : m->workload && m->workload->server ?
		scratch_make(&m->scratch, m->flight, err) : 0;
	if (rc == 0)
		rc = m->versus.label ? versus_rounds(m, r, plans, total, err) :
			score_rounds(m, r, plans, rows, total - sampling, err);
	if (rc == 0)
		rc = passes_beside(m, r, plans, rows, err);
	if (m->recipe)
		rc = recipe_end(m, rc, err);
	scratch_remove(&m->scratch, m->flight);
	pass_forget_names(m);
	for (int i = 0; i < rows; i++)
		free(plans[i].identity);
	free(plans);
	passes_explain(m, r);
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
	passes_explain(m, r);
	return covered;
}
