/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/mem.h"
#include "src/cli/run.h"
#include "src/run/recipe_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option_desc options[] = {
	RUN_COMMON_OPTIONS,
	RUN_OPTION("threads", 'T', OPTION_STRING, threads, "LIST",
		   "numbers of threads, \"all\" for one per CPU (default 1,all)"),
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

/* What the file has not got would be passed over in silence. */
static int parse(struct cli *cli, const struct recipe *r, const struct run_options *o,
		 struct measure *m, struct err *err)
{
	struct machine *machine;
	int rc = 0;

	if (o->threads && !r->threads)
		return err_set(err, -EINVAL, "%s takes no --threads: it says nowhere {threads}",
			       r->file);
	if (o->versus && !run_versus_env(o->versus, &m->versus))
		return err_set(err, -EINVAL, "'--versus %s': want VAR=VALUE", o->versus);
	if (!r->threads)
		return 0;
	machine = xcalloc(1, sizeof(*machine));
	machine_read(machine, cli->flight);
	rc = run_parse_threads(o->threads, machine->n_allowed, m, err);
	free(machine);
	if (rc == 0 && o->versus && o->threads && m->n_threads > 1)
		rc = err_set(err, -EINVAL, "an experiment wants one number of threads, not a list");
	if (o->versus && !o->threads)
		m->n_threads = 1;
	return rc;
}

static int run_recipe(const struct command *c, struct cli *cli, const struct recipe *r)
{
	struct recipe_run recipe = { .recipe = r };
	const char *flip = getenv("CPUPROF_TEST_FLIP");
	struct measure m = { .recipe = &recipe, .flip_byte = flip ? atoi(flip) : 0 };
	struct run_options o = { 0 };
	struct err err = { 0 };
	int code = EXIT_OK, first = cli_options(c, cli, 0, &o, &code);
	char *missing;

	if (first < 0)
		return code;
	if (first < cli->argc) {
		err_set(&err, -EINVAL, "'%s' is one word too many", cli->argv[first]);
		return cli_fail(&err, EXIT_USAGE);
	}
	if (parse(cli, r, &o, &m, &err) < 0)
		return cli_fail(&err, EXIT_USAGE);
	missing = recipe_missing(r, cli->flight);
	if (!missing)
		return run_and_report(cli, &o, &m);
	err_set(&err, -ENODATA, "%s", missing);
	free(missing);
	return cli_fail(&err, EXIT_NOT_HERE);
}

int cli_run_recipe(struct cli *cli, int *code)
{
	struct err err = { 0 };
	struct recipe r;
	int rc = recipe_find(&r, cli->flight, cli->argv[0], &err);

	if (rc < 0 && !err.code && strchr(cli->argv[0], ':')) {
		char *name = xstrdup(cli->argv[0]);

		*strchr(name, ':') = '\0';
		rc = recipe_find(&r, cli->flight, name, &err);
		free(name);
		if (rc == 0) {
			err_set(&err, -EINVAL, "%s has no variants", r.name);
			recipe_release(&r);
			*code = cli_fail(&err, EXIT_USAGE);
			return 0;
		}
	}
	if (rc < 0 && !err.code)
		return -ENOENT;
	if (rc < 0) {
		*code = cli_fail(&err, EXIT_FAILED);
	} else {
		*code = run_recipe(&command_recipe, cli, &r);
		recipe_release(&r);
	}
	return 0;
}

const struct command command_recipe = {
	.name = "FILE.workload",
	.usage = "[options]",
	.summary = "Run a workload that a text file describes and report its score with the causes.",
	.details = "A name without a slash is looked for; \"cpuprof list workloads\" shows what there\n"
		   "is. The format is in cpuprof(1).",
	.options = options,
};
