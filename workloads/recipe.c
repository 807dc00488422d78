/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/recipe.h"
#include "src/base/mem.h"
#include "workloads/recipe_words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct recipe_values recipe_shown = { "{threads}", "{dir}", "{here}" };

static void release_command(struct recipe_command *c)
{
	for (size_t i = 0; c->argv && c->argv[i]; i++)
		free(c->argv[i]);
	free(c->argv);
	free(c->input);
	free(c->output);
	memset(c, 0, sizeof(*c));
}

/* "< FILE" or "> FILE" at word i. */
static int redirect(const struct recipe_words *w, int i, struct recipe_command *c,
		    struct err *err)
{
	char **to = w->v[i].text[0] == '<' ? &c->input : &c->output;

	if (i + 1 == w->n || !w->v[i + 1].text[0])
		return recipe_bad(w, err, "'%s' wants a file behind it", w->v[i].text);
	if (*to)
		return recipe_bad(w, err, "'%s' stands here twice", w->v[i].text);
	*to = xstrdup(w->v[i + 1].text);
	return 0;
}

static int parse_command(const struct recipe_words *w, struct recipe_command *c,
			 struct err *err)
{
	static const char *const shell[] = { "|", "||", "&", "&&", ";", ">>", "2>", "2>&1", "&>" };
	size_t n = 0;
	int rc = 0;

	c->argv = xcalloc((size_t)w->n + 1, sizeof(*c->argv));
	c->line = w->line;
	for (int i = 1; i < w->n && rc == 0; i++) {
		const char *word = w->v[i].text;

		for (size_t k = 0; k < ARRAY_SIZE(shell) && rc == 0; k++)
			if (w->v[i].bare && !strcmp(word, shell[k]))
				rc = recipe_bad(w, err, "no shell reads this: '%s' goes into quotes "
						"when it is an argument", word);
		if (rc == 0 && w->v[i].bare && (!strcmp(word, "<") || !strcmp(word, ">")))
			rc = redirect(w, i++, c, err);
		else if (rc == 0)
			c->argv[n++] = xstrdup(word);
	}
	if (rc == 0 && (!n || !c->argv[0][0]))
		rc = recipe_bad(w, err, "%s wants a command", w->v[0].text);
	if (rc == 0 && strchr(c->argv[0], '/') && c->argv[0][0] != '/' &&
	    c->argv[0][0] != RECIPE_HERE && c->argv[0][0] != RECIPE_DIR)
		rc = recipe_bad(w, err, "'%s' is no full path: {here}/... is beside this file, {dir}/... "
				"in the scratch folder", c->argv[0]);
	if (rc < 0)
		release_command(c);
	return rc;
}

static bool command_has(const struct recipe_command *c, enum recipe_place place)
{
	const char text[2] = { (char)place };
	bool has = (c->input && recipe_has(c->input, text)) || (c->output && recipe_has(c->output, text));

	for (size_t i = 0; c->argv && c->argv[i]; i++)
		has |= recipe_has(c->argv[i], text);
	return has;
}

static int add_command(const struct recipe_words *w, struct recipe_commands *to, bool counted,
		       struct err *err)
{
	if (to->n == ARRAY_SIZE(to->v))
		return recipe_bad(w, err, "more than %d lines '%s'", RECIPE_COMMANDS, w->v[0].text);
	if (parse_command(w, &to->v[to->n], err) < 0)
		return err->code;
	to->n++;
	if (!counted && command_has(&to->v[to->n - 1], RECIPE_THREADS))
		return recipe_bad(w, err, "%s has no number of threads: {threads} is for run, verify and "
				  "env", w->v[0].text);
	return 0;
}

static int one_command(const struct recipe_words *w, struct recipe_command *c, struct err *err)
{
	if (c->argv)
		return recipe_bad(w, err, "'%s' stands here twice", w->v[0].text);
	return parse_command(w, c, err);
}

static int parse_env(struct recipe *r, const struct recipe_words *w, struct err *err)
{
	const char *eq = w->n == 2 ? strchr(w->v[1].text, '=') : NULL;

	if (!eq || eq == w->v[1].text || strcspn(w->v[1].text, "\1\2\3") < (size_t)(eq - w->v[1].text))
		return recipe_bad(w, err, "env wants NAME=VALUE");
	if (r->n_env == ARRAY_SIZE(r->env))
		return recipe_bad(w, err, "more than %zu lines 'env'", ARRAY_SIZE(r->env));
	r->env[r->n_env++] = xstrdup(w->v[1].text);
	r->threads |= recipe_has(w->v[1].text, "\1");
	return 0;
}

static int parse_needs(struct recipe *r, const struct recipe_words *w, struct err *err)
{
	if (recipe_wants(w, 2, "PROGRAM PACKAGE", err) < 0 || recipe_plain(w, err) < 0)
		return err->code;
	if (!w->v[1].text[0] || !w->v[2].text[0])
		return recipe_bad(w, err, "needs wants PROGRAM PACKAGE");
	if (r->n_needs == ARRAY_SIZE(r->needs))
		return recipe_bad(w, err, "more than %zu lines 'needs'", ARRAY_SIZE(r->needs));
	r->needs[r->n_needs].program = xstrdup(w->v[1].text);
	r->needs[r->n_needs++].package = xstrdup(w->v[2].text);
	return 0;
}

static int parse_line(struct recipe *r, const struct recipe_words *w, struct err *err)
{
	const char *what = w->v[0].text;

	if (!strcmp(what, "setup"))
		return add_command(w, &r->setup, false, err);
	if (!strcmp(what, "teardown"))
		return add_command(w, &r->teardown, false, err);
	if (!strcmp(what, "verify"))
		return add_command(w, &r->verify, true, err);
	if (!strcmp(what, "run"))
		return one_command(w, &r->run, err);
	if (!strcmp(what, "version"))
		return one_command(w, &r->version, err);
	if (!strcmp(what, "env"))
		return parse_env(r, w, err);
	if (!strcmp(what, "needs"))
		return parse_needs(r, w, err);
	if (!strcmp(what, "work"))
		return recipe_parse_work(r, w, err);
	if (!strcmp(what, "work-file"))
		return recipe_parse_work_file(r, w, err);
	if (!strcmp(what, "score"))
		return recipe_parse_score(r, w, err);
	if (!strcmp(what, "seconds"))
		return recipe_parse_seconds(r, w, err);
	if (!strcmp(what, "expect-exit") || !strcmp(what, "expect-output-sha256"))
		return recipe_parse_expected(r, w, err);
	if (strcmp(what, "summary"))
		return recipe_bad(w, err, "'%s' is no directive", what);
	if (r->summary)
		return recipe_bad(w, err, "'summary' stands here twice");
	if (recipe_wants(w, 1, "\"TEXT\"", err) < 0 || recipe_plain(w, err) < 0)
		return err->code;
	r->summary = xstrdup(w->v[1].text);
	return 0;
}

/* What only the whole file shows. */
static int check(struct recipe *r, struct recipe_words *w, struct err *err)
{
	bool work = r->work > 0 || r->work_file;

	w->line = r->pattern_line;
	if (!r->run.argv)
		return err_set(err, -EINVAL, "%.300s: a workload wants a run line", r->file);
	if (r->score == RECIPE_RATE && work)
		return recipe_bad(w, err, "work and score exclude each other: the score is what the "
				  "command prints");
	if (r->score == RECIPE_SECONDS && !work)
		return recipe_bad(w, err, "seconds wants work or work-file: the score is work by time");
	w->line = r->version.line;
	if (command_has(&r->version, RECIPE_THREADS) || r->version.output)
		return recipe_bad(w, err, "version has neither {threads} nor an output file");
	r->threads |= command_has(&r->run, RECIPE_THREADS);
	for (size_t i = 0; i < r->verify.n; i++) {
		w->line = r->verify.v[i].line;
		if (command_has(&r->verify.v[i], RECIPE_THREADS) && !r->threads)
			return recipe_bad(w, err, "{threads} stands in verify, but neither in run nor in env");
	}
	if (!work && !r->pattern)
		recipe_count_runs(r);
	if (!r->summary)
		r->summary = xstrdup("(without a summary)");
	return 0;
}

/* "xz" of ".../xz.workload"; it names folders, too. */
static char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *name = xstrndup(slash ? slash + 1 : file, 60);
	size_t n = strlen(name), s = strlen(RECIPE_SUFFIX);

	if (n > s && !strcmp(name + n - s, RECIPE_SUFFIX))
		name[n - s] = '\0';
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !(p > name && strchr("._+-", *p)))
			*p = '_';
	return name;
}

int recipe_parse(struct recipe *r, const char *text, size_t len, const char *file,
		 const char *here, struct err *err)
{
	struct recipe_words *w = xcalloc(1, sizeof(*w));
	int rc = 0;

	memset(r, 0, sizeof(*r));
	r->file = xstrdup(file);
	r->here = xstrdup(here);
	r->name = name_of(file);
	w->file = r->file;
	while (len && rc == 0) {
		const char *nl = memchr(text, '\n', len);
		size_t n = nl ? (size_t)(nl - text) : len;

		w->line++;
		rc = recipe_split(w, text, n, err);
		if (rc == 0 && w->n)
			rc = parse_line(r, w, err);
		text += nl ? n + 1 : n;
		len -= nl ? n + 1 : n;
	}
	if (rc == 0)
		rc = check(r, w, err);
	free(w);
	if (rc < 0)
		recipe_release(r);
	return rc < 0 ? rc : 0;
}

static void release_commands(struct recipe_commands *c)
{
	for (size_t i = 0; i < c->n; i++)
		release_command(&c->v[i]);
	c->n = 0;
}

void recipe_release(struct recipe *r)
{
	release_commands(&r->setup);
	release_commands(&r->verify);
	release_commands(&r->teardown);
	release_command(&r->run);
	release_command(&r->version);
	for (size_t i = 0; i < r->n_env; i++)
		free(r->env[i]);
	for (size_t i = 0; i < r->n_needs; i++) {
		free(r->needs[i].program);
		free(r->needs[i].package);
	}
	free(r->file);
	free(r->here);
	free(r->name);
	free(r->summary);
	free(r->work_file);
	free(r->pattern);
	memset(r, 0, sizeof(*r));
}
