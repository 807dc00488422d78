/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/model.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/run/model_file.h"
#include "src/run/pass.h"
#include "src/run/sampling.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OUTPUT ((size_t)512 << 20)
#define LARGE_SHARE 0.05	/* functions from here on must be in the model, too */
#define STRAYED 0.10		/* of the time in functions the model never ran */

char **model_command(char *const *through, char *const *command)
{
	size_t n = 0, k = 0;
	char **argv;

	while (through[n])
		n++;
	while (command[k])
		k++;
	argv = xcalloc(n + k + 1, sizeof(*argv));
	memcpy(argv, through, n * sizeof(*argv));
	memcpy(argv + n, command, k * sizeof(*argv));
	return argv;
}

static void tool_args(const struct model *s, bool command, const char *out, char **argv)
{
	int i = 0;

	argv[i++] = xstrdup(s->tool);
	argv[i++] = xstrdup("--tool=cpuprof-model");
	argv[i++] = xstrdup("-q");
	argv[i++] = xstrdup("--vgdb=no");
	argv[i++] = xstrdup("--command-line-only=yes");
	argv[i++] = xstrdup("--log-file=/dev/null");
	argv[i++] = xstrdup(command ? "--trace-children=yes" : "--region=yes");
	argv[i++] = xasprintf("--entries=%u", s->entries);
	argv[i++] = xstrdup(s->sizes);
	argv[i++] = xasprintf("--out=%s", out);
	argv[i] = NULL;
}

/* One file of the tool, through the flight. */
static int read_one(struct counts *c, struct flight *f, const char *path, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = io_read_file(path, MAX_OUTPUT, &b, err);

	if (rc >= 0) {
		flight_put(f, "model counts", buf_str(&b), b.len);
		rc = counts_parse(c, buf_str(&b), b.len, err);
	}
	buf_release(&b);
	unlink(path);
	return rc < 0 ? rc : 0;
}

/* All files that the processes of a pass left. */
static int read_counts(struct counts *c, struct flight *f, const char *out, struct err *err)
{
	char *pattern = xasprintf("%s.*", out);
	glob_t g = { 0 };
	int64_t n = 0;
	int rc = 0;

	if (flight_replaying(f)) {
		n = flight_get_i64(f, "model files");
		for (int64_t i = 0; i < n && rc == 0; i++) {
			const void *data;
			size_t len;

			rc = flight_get(f, "model counts", &data, &len) ?
				counts_parse(c, data, len, err) :
				err_set(err, -ENODATA, "the flight ends within the model's counts");
		}
	} else {
		if (glob(pattern, 0, NULL, &g) == 0)
			n = (int64_t)g.gl_pathc;
		flight_put_i64(f, "model files", n);
		for (size_t i = 0; i < g.gl_pathc; i++) {
			if (rc == 0)
				rc = read_one(c, f, g.gl_pathv[i], err);
			unlink(g.gl_pathv[i]);
		}
		globfree(&g);
	}
	free(pattern);
	if (rc == 0 && n <= 0)
		rc = err_set(err, -ENODATA, "the model tool wrote no counts");
	return rc;
}

static void add_counter(struct result_row *row, const char *name, const struct quantity *q)
{
	struct result_counter *k;

	GROW(row->counters, row->n_counters, row->cap_counters);
	k = &row->counters[row->n_counters++];
	memset(k, 0, sizeof(*k));
	snprintf(k->name, sizeof(k->name), "%s", name);
	k->group = MODEL_GROUP;
	k->per_op = *q;
}

/* The roles that tables have for what is modelled. */
static const struct { const char *role; enum model_event event; bool conditional; } roles[] = {
	{ "instructions", MODEL_INSTRUCTIONS, false },
	{ "branches", MODEL_BRANCHES, false },
	{ "cond-branches", MODEL_BRANCHES, true },
	{ "branch-misses", MODEL_BRANCH_MISSES, false },
	{ "cond-branch-misses", MODEL_BRANCH_MISSES, true },
	{ "l1d-misses", MODEL_L1D_MISSES, false },
	{ "L1-dcache-load-misses", MODEL_L1D_MISSES, false },
	{ "l2-misses", MODEL_L2_MISSES, false },
	{ "llc-load-misses", MODEL_LLC_MISSES, false },
	{ "llc-misses", MODEL_LLC_MISSES, false },
	{ "dtlb-walks", MODEL_DTLB_WALKS, false },
	{ "l1i-misses", MODEL_L1I_MISSES, false },
};

static double total(const struct counts *c, enum model_event e, bool conditional)
{
	double sum = 0;

	for (size_t i = 0; i < c->n_insns; i++)
		if (!conditional || c->insns[i].kind == 'c')
			sum += (double)model_event_count(&c->insns[i], e);
	return sum;
}

/* Cycles for an operation, as far as CPU time and needles tell. */
static void add_cycles(struct result_row *row)
{
	const struct quantity *w = &row->factors[FACTOR_WORK];
	struct quantity q;

	if (!quantity_known(w) || w->value <= 0 || w->low <= 0)
		return;
	q = quantity_estimated(1 / w->value, 1 / w->high, 1 / w->low,
			       "CPU time by the clock needle");
	add_counter(row, "cycles", &q);
}

static void store(const struct model *s, const struct counts *c, double ops,
		  const struct pmu_table *t, struct result_row *row, const char *refused)
{
	const char *how = s->calibration.ok ? "calibrated here" : "assumed";

	if (!refused)
		add_cycles(row);
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		/* Executions are counted, what went wrong is modelled. */
		bool counted = roles[i].event <= MODEL_BRANCHES;
		double v = total(c, roles[i].event, roles[i].conditional) / ops;
		double off = counted ? 0 : s->range;
		struct quantity q = refused ? quantity_unavailable(refused) :
			quantity_modelled(v, v * (1 - fmin(1, off)), v * (1 + off), how);

		if (!t->name[0] || pmu_table_event(t, roles[i].role))
			add_counter(row, roles[i].role, &q);
	}
}

/* Time in functions that the model never ran: it took another way through the
 * program. *name: the largest of them. */
static double strayed(const struct result_profile *sampled, const struct profile_event *modelled,
		      const char **name)
{
	double sum = 0;

	*name = NULL;
	for (size_t i = 0; i < sampled->n_functions; i++) {
		const struct result_function *f = &sampled->functions[i];
		bool there = f->dso[0] == '[';	/* the kernel is not modelled at all */

		for (size_t k = 0; k < modelled->n_functions && !there; k++)
			there = !strcmp(modelled->functions[k].name, f->name) &&
				!strcmp(modelled->functions[k].dso, f->dso);
		if (there || f->share < LARGE_SHARE)
			continue;
		sum += f->share;
		*name = *name ? *name : f->name;
	}
	return sum;
}

static void copy_profiles(const struct profile *p, struct result_row *row, const char *file)
{
	static const enum model_event shown[] = { MODEL_BRANCH_MISSES, MODEL_L1D_MISSES };

	for (size_t k = 0; k < ARRAY_SIZE(shown); k++)
		for (size_t e = 0; e < p->n_events; e++) {
			const char *name = model_event_name(shown[k]);
			struct result_profile *out;

			if (strncmp(p->events[e].name, name, strlen(name)) ||
			    p->events[e].name[strlen(name)] != ':')
				continue;
			out = result_add_sampled(row, name);
			sampling_copy_event(&p->events[e], out);
			out->file = xstrdup(file);
		}
}

/* The counts as a recording, read back, into the row. */
static int keep(const struct model *s, struct measure *m, const struct counts *c, double ops,
		const struct pmu_table *t, struct result *r, struct result_row *row,
		const char *path, char *const *argv, struct err *err)
{
	const struct profile_options o = { .insns = true, .exact = true, .flight = m->flight,
					   .hostname = m->machine->hostname,
					   .release = m->machine->kernel };
	const char *name = NULL;
	char why[160];
	struct profile p;
	double away = 0;
	int rc = model_write(path, c, m->machine, m->flight, argv, err);

	if (rc == 0)
		rc = profile_read(&p, path, &o, err);
	if (rc < 0)
		return rc;
	if (p.n_events && row->profile.n_functions)
		away = strayed(&row->profile, &p.events[0], &name);
	if (away > STRAYED) {
		snprintf(why, sizeof(why), "the model ran another code path: %.40s, %.0f %% of the "
			 "time, never ran in it", name, 100 * away);
		store(s, c, ops, t, row, why);
		result_note(r, "%s: %s (it has AVX2, and no AVX-512, SHA or ADX)", row->label, why);
	} else {
		store(s, c, ops, t, row, NULL);
		copy_profiles(&p, row, strrchr(path, '/') + 1);
	}
	profile_release(&p);
	return 0;
}

/* Runs the work inside the tool; ops: what was done while it counted. */
static int run(const struct model *s, struct measure *m, const struct measure_arm *arm,
	       const char *out, char **argv, double *ops, struct err *err)
{
	struct protocol_hello hello;
	struct protocol_ready ready;
	struct result_rep rep = { 0 };
	struct pass p = { .arm = *arm, .threads = 1, .share_s = 0.1, .through = argv };
	int rc;

	tool_args(s, !m->workload, out, argv);
	rc = m->workload ? pass_worker(m, &p, &rep, &hello, &ready, err) :
		pass_command(m, &p, &rep, err);
	if (rc == 0 && !m->workload && m->child_status && WIFSIGNALED(m->child_status))
		rc = err_set(err, -EIO, "the command was killed by signal %d under the model tool",
			     WTERMSIG(m->child_status));
	*ops = 0;
	for (size_t i = 0; i < rep.n_batches; i++)
		*ops += (double)rep.batches[i].ops;
	free(rep.batches);
	if (rc == 0 && *ops <= 0)
		rc = err_set(err, -ENODATA, "no work was done under the model tool");
	return rc;
}

int model_pass(const struct model *s, struct measure *m, const struct measure_arm *arm,
	       const struct pmu_table *table, struct result *r, size_t row, struct err *err)
{
	struct result_row *to = &r->rows[row];
	char *out = xasprintf("%s/%s%s%dt.model", m->dir, to->variant, to->variant[0] ? "-" : "",
			      m->workload ? to->threads : 1);
	char *path = xasprintf("%s.perf.data", out);
	char *argv[MODEL_ARGS] = { NULL };
	struct counts c = { .n_maps = 0 };
	int status = m->child_status, rc;
	double ops;

	if (m->progress)
		progress_step(m->progress, "under the model");
	rc = run(s, m, arm, out, argv, &ops, err);
	if (rc != -EINTR) {
		struct err more = { 0 };
		int got = read_counts(&c, m->flight, out, &more);

		if (rc == 0 && got < 0) {
			rc = got;
			*err = more;
		}
	}
	/* A worker has one for the work and one that waits. */
	if (rc == 0 && !m->workload && c.threads > 1)
		result_note(r, "%s: the model ran its %u threads one after another", to->label,
			    c.threads);
	if (rc == 0)
		rc = keep(s, m, &c, ops, table, r, to, path, argv, err);
	m->child_status = status;
	counts_release(&c);
	for (int i = 0; argv[i]; i++)
		free(argv[i]);
	free(out);
	free(path);
	return rc;
}
