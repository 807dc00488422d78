/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/mem.h"
#include "src/cli/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_desc options[] = {
	RUN_COMMON_OPTIONS,
	RUN_OPTION("threads", 'T', OPTION_STRING, threads, "LIST",
		   "numbers of threads, \"all\" for one per CPU (default 1,all)"),
	RUN_OPTION("input", 'i', OPTION_STRING, input, "FILE",
		   "compress FILE instead of the built-in corpus"),
	RUN_OPTION("window", 0, OPTION_INT, window, "BITS",
		   "compress with a window of 2^BITS bytes"),
	RUN_OPTION("cipher", 0, OPTION_STRING, cipher, "NAME",
		   "of TLS, for a server: aes-128-gcm (default), aes-256-gcm, chacha20-poly1305"),
	RUN_OPTION("library", 0, OPTION_STRINGS, library, "NAME=PATH",
		   "run another build of a library, for instance zlib=./libz.so.1"),
	RUN_OPTION("versus-library", 0, OPTION_STRINGS, versus_library, "NAME=PATH",
		   "run against another build of a library in rounds A B B A"),
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static int parse_cipher(const char *name, const struct workload *w, int *out, struct err *err)
{
	char list[200];
	size_t n = 0;

	if (name && !w->ciphers)
		return err_set(err, -EINVAL, "%s has no --cipher", w->name);
	for (int i = 0; name && w->ciphers[i]; i++) {
		if (!strcmp(w->ciphers[i], name)) {
			*out = i;
			return 0;
		}
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", w->ciphers[i]);
	}
	return name ? err_set(err, -EINVAL, "'--cipher %s': want one of %s", name, list) : 0;
}

/* What the workload has not got would be passed over in silence. */
static int parse_target(const char *variants, const struct run_options *o, struct measure *m,
			struct err *err)
{
	const struct workload *w = m->workload;
	int n = workload_variants(w, variants, m->variants, (int)ARRAY_SIZE(m->variants), err);

	if (n < 0)
		return n;
	m->n_variants = n;
	m->input = o->input;
	m->window = o->window ? o->window : w->window_default;
	if (o->input && !w->takes_input)
		return err_set(err, -EINVAL, "%s takes no --input", w->name);
	if (o->window && !w->window_max)
		return err_set(err, -EINVAL, "%s has no --window", w->name);
	if (m->window < w->window_min || m->window > w->window_max)
		return err_set(err, -EINVAL, "--window of %s goes from %d to %d bits, not %d",
			       w->name, w->window_min, w->window_max, m->window);
	return parse_cipher(o->cipher, w, &m->cipher, err);
}

int run_parse_threads(const char *text, int cpus, struct measure *m, struct err *err)
{
	char *copy = xstrdup(text ? text : "1,all"), *save = NULL;
	int rc = 0;

	for (char *p = strtok_r(copy, ",", &save); p && rc == 0; p = strtok_r(NULL, ",", &save)) {
		char *end;
		long n = !strcmp(p, "all") ? cpus : strtol(p, &end, 10);

		if (strcmp(p, "all") && (*end || n < 1))
			rc = err_set(err, -EINVAL, "'--threads %s': want numbers or \"all\"", text);
		else if (n > cpus)
			rc = err_set(err, -EINVAL, "'--threads %ld': only %d CPU%s may be used here",
				     n, cpus, cpus == 1 ? "" : "s");
		else if (m->n_threads == (int)ARRAY_SIZE(m->threads))
			rc = err_set(err, -EINVAL, "'--threads' takes at most %d numbers",
				     (int)ARRAY_SIZE(m->threads));
		else if (!m->n_threads || m->threads[m->n_threads - 1] != (int)n)
			m->threads[m->n_threads++] = (int)n;
	}
	if (rc == 0 && !m->n_threads)
		rc = err_set(err, -EINVAL, "'--threads' wants at least one number");
	free(copy);
	return rc;
}

/* The PATH of NAME=PATH for the workload's library into *path. */
static int parse_library(const struct option_list *list, const struct workload *w,
			 const char **path, struct err *err)
{
	for (int i = 0; i < list->n; i++) {
		const char *eq = strchr(list->v[i], '=');
		size_t n = eq ? (size_t)(eq - list->v[i]) : 0;

		if (!eq || !eq[1])
			return err_set(err, -EINVAL, "'%s': want NAME=PATH", list->v[i]);
		if (!w->library || strlen(w->library) != n || strncmp(w->library, list->v[i], n))
			return err_set(err, -EINVAL, "%s does not use a library '%.*s'%s%s",
				       w->name, (int)n, list->v[i], w->library ? ", but " : "",
				       w->library ? w->library : "");
		*path = eq + 1;
	}
	return 0;
}

/* The other side of an experiment: everything as in m but for what is named. */
static int parse_versus(const struct run_options *o, struct measure *m, struct err *err)
{
	struct measure_arm arm = { .variant = m->variants[0], .library = m->library };
	const struct workload *w = m->workload;
	size_t n = strlen(w->name);

	if (!o->versus && !o->versus_library.n)
		return 0;
	if (m->n_variants > 1)
		return err_set(err, -EINVAL, "an experiment wants one %s, not a list",
			       w->variant_name);
	if (m->n_threads > 1 && o->threads)
		return err_set(err, -EINVAL, "an experiment wants one number of threads, not a list");
	if (o->versus && o->versus_library.n)
		return err_set(err, -EINVAL, "--versus and --versus-library exclude each other");
	if (parse_library(&o->versus_library, w, &arm.library, err) < 0)
		return err->code;
	if (o->versus_library.n)
		arm.label = o->versus_library.v[o->versus_library.n - 1];
	if (o->versus && !strncmp(o->versus, w->name, n) && o->versus[n] == ':') {
		int other[ARRAY_SIZE(m->variants)];
		int others = workload_variants(w, o->versus + n + 1, other,
					       (int)ARRAY_SIZE(other), err);

		if (others < 0)
			return err->code;
		if (others > 1)
			return err_set(err, -EINVAL, "'--versus %s': an experiment wants one %s, "
				       "not a list", o->versus, w->variant_name);
		arm.variant = other[0];
		arm.label = o->versus;
	} else if (o->versus && !run_versus_env(o->versus, &arm)) {
		return err_set(err, -EINVAL, "'--versus %s': want VAR=VALUE%s%s%s%s", o->versus,
			       w->variant_name ? " or " : "", w->variant_name ? w->name : "",
			       w->variant_name ? ":" : "", w->variant_name ? w->variant_name : "");
	}
	m->versus = arm;
	if (!o->threads)
		m->n_threads = 1;
	return 0;
}

static int run(const struct command *c, struct cli *cli)
{
	struct run_options o = { 0 };
	struct measure m = { 0 };
	struct err err = { 0 };
	char *name = xstrdup(cli->argv[0]), *colon = strchr(name, ':');
	struct machine *machine = xcalloc(1, sizeof(*machine));
	const char *flip = getenv("CPUPROF_TEST_FLIP");
	int code = EXIT_OK, first;

	if (colon)
		*colon++ = '\0';
	m.workload = workload_find(name);
	first = cli_options(c, cli, 0, &o, &code);
	if (first < 0)
		goto out;
	if (first < cli->argc) {
		err_set(&err, -EINVAL, "'%s' is one word too many", cli->argv[first]);
		code = cli_fail(&err, EXIT_USAGE);
		goto out;
	}
	m.flip_byte = flip ? atoi(flip) : 0;
	machine_read(machine, cli->flight);
	if (parse_target(colon, &o, &m, &err) < 0 ||
	    run_parse_threads(o.threads, machine->n_allowed, &m, &err) < 0 ||
	    parse_library(&o.library, m.workload, &m.library, &err) < 0 ||
	    parse_versus(&o, &m, &err) < 0)
		code = cli_fail(&err, EXIT_USAGE);
	else
		code = run_and_report(cli, &o, &m);
out:
	free(machine);
	free(name);
	return code;
}

int cli_run_workload(struct cli *cli)
{
	return run(&command_workload, cli);
}

const struct command command_workload = {
	.name = "WORKLOAD[:VARIANT]",
	.usage = "[options]",
	.summary = "Run a workload and report its score with the causes.",
	.details = "\"cpuprof list workloads\" shows what there is. A variant is a number, a list or\n"
		   "a range: gzip:6, brotli:4-11, aes-128-gcm:16,1024,16384.",
	.options = options,
	.run = run,
};
