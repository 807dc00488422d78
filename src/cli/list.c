/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reports/report.h"
#include "pmu/find.h"
#include "src/base/mem.h"
#include "src/cli/cli.h"
#include "src/cli/suite_plan.h"
#include "src/machine/machine.h"
#include "workloads/recipe.h"
#include "workloads/workload.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static const struct option_desc options[] = {
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

/* Everything is loaded for a moment, nothing is run. */
static void list_library(const struct workload *w, struct buf *out)
{
	struct workload_info info = { 0 };
	struct err err = { 0 };
	int rc = w->probe ? w->probe(&info, &err) : 0;

	if (rc < 0)
		buf_printf(out, "%-21s not here: %s (apt-get install %s)\n", "", err.msg, w->package);
	else if (w->library)
		buf_printf(out, "%-21s runs %s %s, %s (package %s)\n", "", w->library,
			   info.library_version, info.library_path, w->package);
}

static void list_variants(const struct workload *w, struct buf *out)
{
	if (!w->variant_name)
		return;
	buf_printf(out, ", %s %d-%d%s%s (default %d)", w->variant_name, w->variant_min,
		   w->variant_max, w->variant_unit ? " " : "",
		   w->variant_unit ? w->variant_unit : "", w->variant_default);
}

/* Of a text file, nothing is run. */
static void list_recipe(const char *file, struct buf *out)
{
	struct err err = { 0 };
	struct recipe r;
	char *missing, *program, *line;

	if (recipe_find(&r, NULL, file, &err) < 0) {
		buf_printf(out, "%s\n%-21s not to be run: %s\n", strrchr(file, '/') + 1, "", err.msg);
		return;
	}
	buf_printf(out, "%-21s %s\n%-21s score in %s%s, %s\n", r.name, r.summary, "",
		   r.score_unit, r.threads ? ", by threads" : "", r.file);
	missing = recipe_missing(&r, NULL);
	program = recipe_program(&r, NULL);
	line = recipe_line(&r.run);
	if (workload_find(r.name))
		buf_printf(out, "%-21s its name is taken: only its path runs it\n", "");
	if (missing)
		buf_printf(out, "%-21s not here: %s\n", "", missing);
	else
		buf_printf(out, "%-21s runs %s: %s\n", "", program ? program : "what set-up makes", line);
	free(missing);
	free(program);
	free(line);
	recipe_release(&r);
}

static void list_workloads(struct buf *out)
{
	char **files;

	for (int i = 0; workloads[i]; i++) {
		const struct workload *w = workloads[i];

		buf_printf(out, "%-21s %s\n%-21s score in %s", w->name, w->summary, "",
			   w->score_unit);
		list_variants(w, out);
		if (w->window_max)
			buf_printf(out, ", window %d-%d bits (default %d)", w->window_min,
				   w->window_max, w->window_default);
		buf_addc(out, '\n');
		list_library(w, out);
	}
	files = recipe_files();
	for (int i = 0; files[i]; i++) {
		list_recipe(files[i], out);
		free(files[i]);
	}
	free(files);
}

static void list_reports(struct buf *out)
{
	for (int i = 0; reports[i]; i++)
		buf_printf(out, "%-12s %s\n", reports[i]->name, reports[i]->summary);
}

/* The table called name, or this machine's. */
static int table_for(struct cli *cli, const char *name, struct pmu_table *t, struct err *err)
{
	struct machine *m;
	int rc;

	if (name)
		return pmu_find_named(t, cli->flight, name, err);
	m = xcalloc(1, sizeof(*m));
	machine_read(m, cli->flight);
	rc = pmu_find(t, cli->flight, m->arch, m->vendor, m->family, m->model_id, m->stepping,
		      err);
	free(m);
	return rc;
}

static void list_sources(const struct pmu_table *t, struct buf *out)
{
	buf_adds(out, "\nsources\n");
	for (size_t i = 0; i < t->n_sources; i++)
		buf_printf(out, "  %s: %s\n", t->sources[i].key, t->sources[i].text);
}

static int list_events(struct cli *cli, const char *name, struct buf *out, struct err *err)
{
	struct pmu_table t;

	if (table_for(cli, name, &t, err) < 0)
		return err->code;
	buf_printf(out, "%s: %s, %d counters\n", t.name, t.title, t.counters);
	for (size_t i = 0; i < t.n_events; i++) {
		const struct pmu_event *e = &t.events[i];

		buf_printf(out, "  %-28s %s0x%06llx  %s:%s%s\n", e->role,
			   e->type == PERF_TYPE_RAW ? "raw   " :
			   e->type == PERF_TYPE_HARDWARE ? "hw    " : "cache ", (unsigned long long)e->code, e->source,
			   e->published, e->fixed ? "  (fixed)" : "");
	}
	list_sources(&t, out);
	pmu_table_release(&t);
	return 0;
}

static int list_metrics(struct cli *cli, const char *name, struct buf *out, struct err *err)
{
	struct pmu_table t;

	if (table_for(cli, name, &t, err) < 0)
		return err->code;
	buf_printf(out, "%s: %s\n", t.name, t.title);
	for (size_t i = 0; i < t.n_metrics; i++)
		buf_printf(out, "  %-28s %-9s %s\n", t.metrics[i].name, t.metrics[i].unit,
			   t.metrics[i].formula);
	list_sources(&t, out);
	pmu_table_release(&t);
	return 0;
}

static int list_cpus(struct cli *cli, struct buf *out, struct err *err)
{
	char **names = pmu_find_all(cli->flight, err);
	int rc = names ? 0 : err->code;

	for (size_t i = 0; names && names[i]; i++) {
		struct pmu_table t;

		if (rc == 0)
			rc = pmu_find_named(&t, cli->flight, names[i], err);
		if (rc == 0) {
			buf_printf(out, "%-14s %-8s %s, %zu events, %zu metrics\n", t.name, t.arch,
				   t.title, t.n_events, t.n_metrics);
			pmu_table_release(&t);
		}
		free(names[i]);
	}
	free(names);
	return rc;
}

static int run(const struct command *c, struct cli *cli)
{
	struct buf out = BUF_INIT;
	struct err err = { 0 };
	char unused;
	int code = EXIT_OK, first = cli_options(c, cli, 0, &unused, &code);
	const char *what, *cpu;
	int rc = 0;

	if (first < 0)
		return code;
	if (first + 2 < cli->argc) {
		err_set(&err, -EINVAL, "'%s' is one word too many", cli->argv[first + 2]);
		return cli_fail(&err, EXIT_USAGE);
	}
	what = first < cli->argc ? cli->argv[first] : "";
	cpu = first + 1 < cli->argc ? cli->argv[first + 1] : NULL;
	if (!strcmp(what, "workloads") && !cpu)
		list_workloads(&out);
	else if (!strcmp(what, "reports") && !cpu)
		list_reports(&out);
	else if (!strcmp(what, "groups") && !cpu)
		suite_plan_list(&out);
	else if (!strcmp(what, "published") && !cpu)
		return cli_published();
	else if (!strcmp(what, "cpus") && !cpu)
		rc = list_cpus(cli, &out, &err);
	else if (!strcmp(what, "events"))
		rc = list_events(cli, cpu, &out, &err);
	else if (!strcmp(what, "metrics"))
		rc = list_metrics(cli, cpu, &out, &err);
	else {
		err_set(&err, -EINVAL, "list wants one of: workloads, groups, published, reports, "
			"cpus, events [CPU], metrics [CPU]");
		return cli_fail(&err, EXIT_USAGE);
	}
	if (rc < 0) {
		buf_release(&out);
		return cli_fail(&err, EXIT_FAILED);
	}
	code = cli_print(buf_str(&out));
	buf_release(&out);
	return code;
}

extern const struct command command_list;
const struct command command_list = {
	.name = "list",
	.usage = "workloads|groups|published|reports|cpus|events|metrics [CPU]",
	.summary = "List workloads, their groups, reports, CPUs, events or metrics.",
	.details = "What was published in 2017 of three servers is listed with its source.\n"
		   "Events and metrics are those of this machine's CPU, or of one that\n"
		   "\"cpuprof list cpus\" names.",
	.options = options,
	.run = run,
};
