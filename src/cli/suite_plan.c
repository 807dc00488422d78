/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/cli/suite_plan.h"
#include "src/base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUICK_S 1.0	/* a row: no more than an interval needs */

static const struct group { const char *name, *title; } groups[] = {
	{ "openssl-public", "OpenSSL, public key" },
	{ "openssl-symmetric", "OpenSSL, symmetric" },
	{ "gzip", "gzip" },
	{ "brotli", "brotli" },
	{ "go-crypto", "Go, cryptography" },
	{ "go-text", "Go, compression and text" },
	{ "luajit", "LuaJIT" },
	{ "nginx", "NGINX over HTTPS" },
	{ "other", "Other workloads" },
};

/* One row a workload. Variants as on the command line, NULL: the default. */
static const struct row { const char *workload, *group, *variants, *quick; } rows[] = {
	{ "rsa-2048-sign", "openssl-public", NULL, NULL },
	{ "rsa-2048-verify", "openssl-public", NULL, NULL },
	{ "ecdsa-p256-sign", "openssl-public", NULL, NULL },
	{ "ecdsa-p256-verify", "openssl-public", NULL, NULL },
	{ "aes-128-gcm", "openssl-symmetric", "16-16384", "1024,16384" },
	{ "chacha20-poly1305", "openssl-symmetric", "16-16384", "1024,16384" },
	{ "chacha20-poly1305-tls", "openssl-symmetric", "16-16384", "16384" },
	{ "sha-256", "openssl-symmetric", "16-16384", "16384" },
	{ "gzip", "gzip", "1-9", "1,6,9" },
	{ "brotli", "brotli", "4-11", "4,7,9" },
	{ "go-ecdsa-p256-sign", "go-crypto", NULL, NULL },
	{ "go-ecdsa-p256-verify", "go-crypto", NULL, NULL },
	{ "go-rsa-2048-sign", "go-crypto", NULL, NULL },
	{ "go-rsa-2048-verify", "go-crypto", NULL, NULL },
	{ "go-aes-128-gcm", "go-crypto", "16-16384", "16384" },
	{ "go-chacha20-poly1305", "go-crypto", "16-16384", "16384" },
	{ "go-gzip", "go-text", "1-9", "6" },
	{ "go-regexp-easy", "go-text", NULL, NULL },
	{ "go-regexp-medium", "go-text", NULL, NULL },
	{ "go-regexp-hard", "go-text", NULL, NULL },
	{ "go-strings", "go-text", NULL, NULL },
	{ "luajit-binary-trees", "luajit", NULL, NULL },
	{ "luajit-fasta", "luajit", NULL, NULL },
	{ "luajit-fibonacci", "luajit", NULL, NULL },
	{ "luajit-mandelbrot", "luajit", NULL, NULL },
	{ "luajit-n-body", "luajit", NULL, NULL },
	{ "luajit-spectral", "luajit", NULL, NULL },
	{ "nginx-plain", "nginx", NULL, NULL },
	{ "nginx-gzip", "nginx", "1-9", "6" },
	{ "nginx-brotli", "nginx", "4-6", "4" },
	{ "nginx-handshake", "nginx", NULL, NULL },
};

static const struct row *row_of(const char *workload)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].workload, workload))
			return &rows[i];
	return NULL;
}

static bool belongs(const struct workload *w, const struct group *g)
{
	const struct row *row = row_of(w->name);

	return !strcmp(row ? row->group : "other", g->name);
}

static const char *variants_of(const char *workload, bool quick)
{
	const struct row *row = row_of(workload);

	return !row ? NULL : quick ? row->quick : row->variants;
}

static bool has_workloads(const struct group *g)
{
	for (int i = 0; workloads[i]; i++)
		if (belongs(workloads[i], g))
			return true;
	return false;
}

void suite_plan_names(struct buf *out)
{
	const char *comma = "";

	for (size_t g = 0; g < ARRAY_SIZE(groups); g++)
		if (has_workloads(&groups[g])) {
			buf_printf(out, "%s%s", comma, groups[g].name);
			comma = ", ";
		}
}

void suite_plan_list(struct buf *out)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		if (!has_workloads(&groups[g]))
			continue;
		buf_printf(out, "%-21s %s\n", groups[g].name, groups[g].title);
		for (int i = 0; workloads[i]; i++) {
			const char *all = variants_of(workloads[i]->name, false);
			const char *quick = variants_of(workloads[i]->name, true);

			if (!belongs(workloads[i], &groups[g]))
				continue;
			buf_printf(out, "%-21s   %s%s%s", "", workloads[i]->name, all ? ":" : "",
				   all ? all : "");
			if (quick)
				buf_printf(out, " (--quick: %s)", quick);
			buf_addc(out, '\n');
		}
	}
}

/* Is name in the comma-separated list? */
static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, name, n) && (p[n] == ',' || !p[n]))
			return true;
	}
	return false;
}

static int check_list(const char *option, const char *list, struct err *err)
{
	for (const char *p = list; p; p = strchr(p, ',')) {
		size_t n, g = 0;

		p += *p == ',';
		n = strcspn(p, ",");
		while (g < ARRAY_SIZE(groups) && (strlen(groups[g].name) != n ||
						  strncmp(groups[g].name, p, n) ||
						  !has_workloads(&groups[g])))
			g++;
		if (g == ARRAY_SIZE(groups)) {
			struct buf names = BUF_INIT;

			suite_plan_names(&names);
			err_set(err, -EINVAL, "'--%s %s': no group '%.*s'; there are %s", option, list,
				(int)n, p, buf_str(&names));
			buf_release(&names);
			return err->code;
		}
	}
	return 0;
}

int suite_plan_measure(const struct suite *s, const struct suite_run *run, int cpus,
		       struct measure *m, struct err *err)
{
	const struct workload *w = workload_find(run->workload);
	double row_s = s->time_s > 0 ? s->time_s : s->quick ? QUICK_S : 0;
	int n;

	if (!w)
		return err_set(err, -ENOENT, "this cpuprof has no workload '%s'", run->workload);
	n = workload_variants(w, variants_of(w->name, s->quick), m->variants,
			      (int)ARRAY_SIZE(m->variants), err);
	if (n < 0)
		return n;
	m->workload = w;
	m->n_variants = n;
	m->window = w->window_default;
	m->threads[m->n_threads++] = 1;
	if (cpus > 1)
		m->threads[m->n_threads++] = cpus;
	m->reps = s->reps;
	m->time_s = row_s * m->n_variants * m->n_threads;
	return 0;
}

/* The same run by itself. */
static char *command(const struct suite *s, const struct suite_run *run, const struct measure *m)
{
	const char *variants = variants_of(run->workload, s->quick);
	struct buf b = BUF_INIT;

	buf_printf(&b, "cpuprof %s%s%s --threads 1", run->workload, variants ? ":" : "",
		   variants ? variants : "");
	if (m->n_threads > 1)
		buf_printf(&b, ",%d", m->threads[1]);
	buf_adds(&b, " --counters");
	buf_adds(&b, s->no_model ? " --no-model" : "");
	buf_adds(&b, s->no_sampling ? " --no-sampling" : "");
	buf_adds(&b, s->energy ? " --energy" : "");
	if (s->reps)
		buf_printf(&b, " --reps %d", s->reps);
	else if (m->time_s > 0)
		buf_printf(&b, " --time %g", m->time_s);
	return buf_detach(&b);
}

int suite_plan(struct suite *s, int cpus, struct err *err)
{
	if (check_list("only", s->only, err) < 0 || check_list("skip", s->skip, err) < 0)
		return err->code;
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		if ((s->only && !listed(s->only, groups[g].name)) || listed(s->skip, groups[g].name))
			continue;
		for (int i = 0; workloads[i]; i++) {
			struct measure m = { .workload = NULL };
			struct suite_run *run;

			if (!belongs(workloads[i], &groups[g]))
				continue;
			run = suite_add(s, groups[g].name, groups[g].title, workloads[i]->name,
					workloads[i]->name);
			if (suite_plan_measure(s, run, cpus, &m, err) < 0)
				return err->code;
			free(run->command);
			run->command = command(s, run, &m);
		}
	}
	if (!s->n_runs)
		return err_set(err, -EINVAL, "--only and --skip leave nothing to run");
	return 0;
}
