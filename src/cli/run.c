/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/cli/run.h"
#include "reports/report.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/cli/place.h"
#include "src/explain/versus.h"
#include "src/machine/energy.h"
#include "src/result/bundle.h"
#include "src/run/counting.h"
#include "src/run/doctor.h"
#include "src/run/model.h"
#include "src/run/recipe_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_RATE 1999	/* prime, so that no loop of the machine keeps step */

void run_local_time(struct flight *f, const char *key, const char *fmt, char *out, size_t size)
{
	time_t t = (time_t)(flight_wall_ns(f) / 1000000000u);
	const void *data;
	size_t len;
	struct tm tm;

	out[0] = '\0';
	if (flight_replaying(f)) {
		if (flight_get(f, key, &data, &len) && len < size) {
			memcpy(out, data, len);
			out[len] = '\0';
		}
		return;
	}
	localtime_r(&t, &tm);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	strftime(out, size, fmt, &tm);
#pragma GCC diagnostic pop
	flight_put(f, key, out, strlen(out));
}

void run_describe_machine(struct result *r, const struct machine *m)
{
	char line[256];

	machine_line(m, line, sizeof(line));
	r->machine_line = xstrdup(line);
	result_fact(r, "vendor", "%s", m->vendor);
	result_fact(r, "model", "%s", m->model);
	result_fact(r, "microarchitecture", "%s", m->uarch[0] ? m->uarch : "unknown");
	result_fact(r, "family, model, stepping", "%d, %d, %d", m->family, m->model_id,
		    m->stepping);
	result_fact(r, "microcode", "%s", m->microcode[0] ? m->microcode : "unknown");
	result_fact(r, "architecture", "%s", m->arch);
	result_fact(r, "kernel", "%s", m->kernel);
	result_fact(r, "hypervisor", "%s", m->hypervisor[0] ? m->hypervisor : "none seen");
	result_fact(r, "CPUs online, usable", "%d, %d", m->cpus_online, m->n_allowed);
	result_fact(r, "threads per core", "%d", m->threads_per_core);
	result_fact(r, "NUMA nodes", "%d", m->numa_nodes);
	for (int i = 0; i < m->n_caches; i++)
		result_fact(r, "cache", "L%d%c, %llu bytes, shared by %d CPUs",
			    m->caches[i].level, m->caches[i].type,
			    (unsigned long long)m->caches[i].bytes, m->caches[i].shared_by);
	result_fact(r, "instruction sets", "%s", m->extensions);
	result_fact(r, "governor", "%s", m->governor[0] ? m->governor : "no cpufreq");
	result_fact(r, "turbo", "%s", m->turbo[0] ? m->turbo : "unknown");
	if (m->rated_mhz > 0)
		result_fact(r, "rated clock", "%.0f MHz", m->rated_mhz);
	if (m->max_mhz > 0)
		result_fact(r, "highest clock", "%.0f MHz", m->max_mhz);
	result_fact(r, "mitigations", "%s", m->mitigations);
	result_fact(r, "NMI watchdog", "%s", m->nmi_watchdog < 0 ? "unknown" :
		    m->nmi_watchdog ? "on" : "off");
	result_fact(r, "memory", "%llu KiB", (unsigned long long)m->mem_kb);
	if (m->quota_cpus > 0)
		result_fact(r, "CPU quota", "%.3f CPUs, %s", m->quota_cpus, m->cgroup);
}

/* Printed, or the first one kept for the caller. Returns code. */
static int failed(struct run_keep *keep, const struct err *err, int code)
{
	if (!keep)
		return cli_fail(err, code);
	if (!keep->err.code)
		keep->err = *err;
	return code;
}

static void print(const struct result *r, const struct run_options *o, int *code)
{
	const struct report *fmt = report_find(o->json ? "json" : "terminal");
	struct report_style style;
	struct buf out = BUF_INIT;

	cli_style(&style, 0);
	style.explain = o->explain;
	fmt->result(r, &style, &out);
	if (cli_print(buf_str(&out)) != EXIT_OK)
		*code = EXIT_FAILED;
	buf_release(&out);
}

static void save(const struct result *r, const struct run_options *o, const struct place *p,
		 const char *log, struct run_keep *keep, int *code)
{
	struct report_style plain = { .width = 80 };
	struct buf text = BUF_INIT;
	struct err err = { 0 };

	if (p->failed.code)
		*code = failed(keep, &p->failed, EXIT_FAILED);
	if (p->keep) {
		report_find("terminal")->result(r, &plain, &text);
		if (bundle_save(p->dir, r, buf_str(&text), log, &err) < 0) {
			/* The disk that cut the recording off has been named. */
			if (!r->failure || err.code != -ENOSPC)
				failed(keep, &err, EXIT_FAILED);
			*code = EXIT_FAILED;
		} else if (!o->quiet && !keep)
			fprintf(stderr, "saved in %s    next: cpuprof report %s\n", p->dir, p->dir);
	}
	if (keep)
		keep->unsaved = p->failed.code || err.code;
	buf_release(&text);
}

static void check_needles(struct result *r, struct flight *f, const struct machine *m)
{
	struct needle_check c;

	doctor_needles(f, m->n_allowed ? m->allowed[m->n_allowed - 1] : -1, 0.1, true, &c);
	if (!c.ok) {
		r->needle_reason = xstrdup(c.reason);
		result_note(r, "no clock and no core share: %s", c.reason);
	}
}

static int exit_code(const struct result *r, const struct measure *m, int rc)
{
	if (rc < 0)
		return rc == -ENODATA ? EXIT_NOT_HERE : EXIT_FAILED;
	if (r->interrupted)
		return 128 + SIGINT;
	if (m->command && m->child_status) {
		if (WIFEXITED(m->child_status))
			return WEXITSTATUS(m->child_status);
		return 128 + WTERMSIG(m->child_status);
	}
	return EXIT_OK;
}

bool run_versus_env(const char *text, struct measure_arm *arm)
{
	const char *eq = strchr(text, '=');

	if (!eq || eq == text || (text[0] >= '0' && text[0] <= '9') ||
	    strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") <
	    (size_t)(eq - text))
		return false;
	arm->env = text;
	arm->label = text;
	return true;
}

static bool is_number(const char *text)
{
	char *end;

	strtod(text, &end);
	return end != text && !*end;
}

/* What would have to be passed over in silence. */
static int check_options(const struct run_options *o, const struct measure *m, struct err *err)
{
	if (o->no_save && o->output)
		return err_set(err, -EINVAL, "--output and --no-save exclude each other");
	if (o->no_sampling && o->rate)
		return err_set(err, -EINVAL, "--rate and --no-sampling exclude each other");
	if (o->once && (o->reps > 1 || o->rate || o->per_thread || m->versus.label))
		return err_set(err, -EINVAL, "--once is one run: --reps, --rate, --per-thread and "
			       "--versus do not apply");
	if (o->model && (o->no_model || o->once || m->versus.label))
		return err_set(err, -EINVAL, "--model does not go with --no-model, --once or --versus");
	if (o->energy && o->meter)
		return err_set(err, -EINVAL, "--energy and --meter exclude each other");
	if (o->meter_ahead && !is_number(o->meter_ahead))
		return err_set(err, -EINVAL, "'--meter-ahead %s' is no number of seconds", o->meter_ahead);
	if (m->versus.label && o->rate)
		return err_set(err, -EINVAL, "an experiment takes no samples: --rate does not apply");
	return 0;
}

/* How long a command takes is not known before it ran. */
static void say_runs(const struct measure *m, double estimate)
{
	int sides = m->versus.label ? 2 : m->n_threads ? m->n_threads : 1;

	if (m->reps)
		fprintf(stderr, "this takes %d runs of the command%s\n", sides * m->reps,
			!m->rate_hz ? "" : sides > 1 ? ", and one of each sampled" : ", and one sampled");
	else
		fprintf(stderr, "this takes about %.0f seconds, or %d runs of the command when those "
			"take longer\n", estimate, m->versus.label ? 4 * VERSUS_MIN_ROUNDS :
			sides * STATS_MIN_REPS);
}

/* The target's name, title and units: of a workload, a recipe or a command. */
static void describe_score(struct result *r, const struct measure *m)
{
	const struct workload *w = m->workload;
	const struct recipe *recipe = m->recipe ? m->recipe->recipe : NULL;

	r->workload = xstrdup(w ? w->name : recipe ? recipe->name : "exec");
	r->unit = xstrdup(w ? w->unit : recipe ? recipe->unit : "run");
	r->score_unit = xstrdup(w ? w->score_unit : recipe ? recipe->score_unit : "runs/s");
	r->score_scale = w ? w->score_scale : recipe ? recipe->score_scale : 1;
	if (recipe) {
		free(r->title);
		r->title = xasprintf("%s: %s", recipe->name, recipe->summary);
	}
}

/* What the document says of the run before anything was measured. */
static void describe_run(struct result *r, struct cli *cli, const struct measure *m)
{
	char created[64];

	run_local_time(cli->flight, "created", "%Y-%m-%dT%H:%M:%S%z", created, sizeof(created));
	r->version = xstrdup(PACKAGE_VERSION);
	r->command = xstrdup(cli->line);
	r->title = xstrdup(cli->line);
	r->created = xstrdup(created);
	describe_score(r, m);
	run_describe_machine(r, m->machine);
}

/* Groups of events into m->counting. Exit code; EXIT_OK when all is well. */
static int plan_counting(const struct run_options *o, struct measure *m,
			 struct counting *counting, struct result *r, const char *no_pmu,
			 struct run_keep *keep)
{
	bool roles = o->counters && !no_pmu[0];
	struct err err = { 0 };

	if (o->counters && no_pmu[0])
		result_note(r, "cycles, instructions and other hardware counters are not "
			    "measured here: %s; see cpuprof doctor", no_pmu);
	if (!roles && !o->events && !o->per_thread && !m->model)
		return EXIT_OK;
	/* Without any group it was not -e but a table that is broken. */
	if (counting_plan(counting, m->flight, m->machine, roles, o->events, &err) < 0)
		return failed(keep, &err, counting->n_groups ? EXIT_USAGE : EXIT_FAILED);
	if (roles && !counting->table.name[0])
		result_note(r, "no event table for this CPU was found: no roles and no metrics");
	if (roles && m->machine->nmi_watchdog == 1)
		result_note(r, "the NMI watchdog holds one of the counters (sysctl kernel.nmi_watchdog=0 "
			    "frees it): groups are one event smaller");
	/* The table is for what is modelled; nothing is to be counted. */
	if (no_pmu[0] && !o->events && !o->per_thread)
		counting->n_groups = 0;
	if (m->model)
		model_costs(m->model, &counting->table);
	m->counting = counting;
	return EXIT_OK;
}

/* Models where they were asked for, or where counters were and there are none. A
 * command is only put through them when asked: it takes twenty times as long. */
static void plan_model(const struct run_options *o, struct measure *m, struct model *model,
		       struct result *r, const char *no_pmu)
{
	bool wanted = o->model || (o->counters && no_pmu[0] && m->workload && !m->versus.label);
	struct err err = { 0 };

	if (!wanted || o->no_model)
		return;
	if (model_prepare(model, m->flight, m->machine, &err) < 0) {
		result_note(r, "branches and caches are not modelled: %s", err.msg);
		return;
	}
	if (!model->calibration.ok)
		result_note(r, "models of assumed size, since timing this CPU failed: %s",
			    model->calibration.reason);
	else
		result_note(r, "modelled (m): predictor tables of %u entries fit what timing shows of "
			    "this CPU's, to %.0f points of its rate at worst; a misprediction takes "
			    "%.0f to %.0f cycles here. Rates are good to about %.0f %% of themselves",
			    model->entries, 100 * model->worst,
			    fmin(model->calibration.miss_cycles, model->calibration.rare_miss_cycles),
			    fmax(model->calibration.miss_cycles, model->calibration.rare_miss_cycles),
			    100 * model->range);
	m->model = model;
}

/* The source of joules, or the reason why there is none. */
static void plan_energy(const struct run_options *o, struct measure *m, struct energy *e,
			struct result *r)
{
	if (!o->energy)
		return;
	energy_open(e, m->flight, &r->idle_w);
	if (!e->source[0]) {
		result_note(r, "energy: unavailable: %s", e->reason);
		return;
	}
	r->energy_source = xstrdup(e->source);
	m->energy = e;
}

/* The meter's log, read when the measuring has ended. */
static void read_log(const struct run_options *o, struct measure *m, struct result *r)
{
	struct energy_log log = { .n = 0 };
	struct buf b = BUF_INIT;
	struct err err = { 0 };

	if (!o->meter)
		return;
	if (flight_read_text(m->flight, o->meter, &b) < 0)
		result_note(r, "energy: unavailable: cannot read '%s'", o->meter);
	else if (energy_log_parse(&log, buf_str(&b), b.len, o->meter, &err) < 0)
		result_note(r, "energy: unavailable: %s", err.msg);
	else {
		size_t covered = measure_meter(m, r, &log, o->meter_ahead ? strtod(o->meter_ahead, NULL) : 0);

		if (covered)
			r->energy_source = xasprintf("meter, %s", o->meter);
		else
			result_note(r, "energy: unavailable: '%s' covers none of the repetitions; is its "
				    "clock right (--meter-ahead)?", o->meter);
	}
	energy_log_release(&log);
	buf_release(&b);
}

static void say_time(const struct measure *m, double estimate)
{
	if (!m->workload)
		say_runs(m, estimate);
	else
		fprintf(stderr, "this takes about %.0f seconds%s\n", estimate,
			m->time_s > 0 && m->time_s < estimate ?
			" (the least there is an interval for)" : "");
}

/* Measures, prints and saves; whatever was measured before something broke is
 * worth that. */
static int measure_and_print(struct cli *cli, const struct run_options *o, struct measure *m,
			     struct place *place, struct result *r, struct run_keep *keep)
{
	bool quiet = o->quiet || keep || flight_replaying(cli->flight);
	double estimate = measure_estimate_s(m);
	struct progress progress;
	struct err err = { 0 };
	int rc, code;

	if (!quiet)
		say_time(m, estimate);
	progress_init(&progress, estimate, !quiet);
	m->progress = keep ? keep->progress : &progress;
	cli_catch_signals();
	check_needles(r, cli->flight, m->machine);
	m->needles = !r->needle_reason;
	rc = measure_run(m, r, &err);
	progress_clear(m->progress);
	read_log(o, m, r);
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i].profile.event && r->rows[i].profile.reason)
			result_note(r, "%s", r->rows[i].profile.reason);
	code = exit_code(r, m, rc);
	if (rc < 0)
		failed(keep, &err, code);
	if (r->n_rows && r->rows[0].n_reps) {
		if (!keep)
			print(r, o, &code);
		save(r, o, place, buf_str(&m->log), keep, &code);
	} else {
		place->keep = false;
	}
	if (r->interrupted && !keep && !(r->n_rows && r->rows[0].n_reps))
		fprintf(stderr, "cpuprof: interrupted before anything was measured\n");
	return code;
}

static int run(struct cli *cli, const struct run_options *o, struct measure *m,
	       struct result *r, struct run_keep *keep)
{
	struct machine *machine = xcalloc(1, sizeof(*machine));
	struct counting *counting = xcalloc(1, sizeof(*counting));
	struct model *model = xcalloc(1, sizeof(*model));
	struct energy energy = { .n = 0 };
	const char *no_pmu;
	struct place place = { .dir = NULL };
	struct err err = { 0 };
	char stamp[32];
	int code;

	if (check_options(o, m, &err) < 0) {
		code = failed(keep, &err, EXIT_USAGE);
		goto out;
	}
	machine_read(machine, cli->flight);
	m->flight = cli->flight;
	m->machine = machine;
	m->stop = cli->stop;
	m->fd_limit = cli->fd_limit;
	m->time_s = o->time_s;
	m->reps = o->once ? 1 : o->reps;
	m->once = o->once;
	m->per_thread = o->per_thread;
	describe_run(r, cli, m);
	run_local_time(cli->flight, "stamp", "%Y%m%d-%H%M%S", stamp, sizeof(stamp));
	no_pmu = o->counters || o->events || o->per_thread || o->model ?
		doctor_counters_reason(m->flight) : "";
	plan_energy(o, m, &energy, r);
	plan_model(o, m, model, r, no_pmu);
	code = plan_counting(o, m, counting, r, no_pmu, keep);
	if (code != EXIT_OK)
		goto out;
	/* A replay measures nothing: it is kept only where it is asked to be. */
	place_make(&place, o->output, !o->no_save && (!flight_replaying(cli->flight) || o->output),
		   stamp, r->workload);
	m->dir = place.dir;
	m->rate_hz = o->no_sampling || o->once || m->versus.label || !place.dir ? 0 :
		o->rate ? o->rate : DEFAULT_RATE;
	code = measure_and_print(cli, o, m, &place, r, keep);
out:
	place_release(&place);
	counting_release(counting);
	free(counting);
	free(model);
	energy_close(&energy);
	buf_release(&m->log);
	free(machine);
	return code;
}

int run_and_report(struct cli *cli, const struct run_options *o, struct measure *m)
{
	struct result r;
	int code;

	result_init(&r);
	code = run(cli, o, m, &r, NULL);
	result_release(&r);
	return code;
}

int run_and_keep(struct cli *cli, const struct run_options *o, struct measure *m,
		 struct run_keep *keep)
{
	return run(cli, o, m, keep->result, keep);
}
