/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/recipe_run.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/run/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_VERSION ((size_t)1 << 20)

static struct recipe_values values(const struct recipe_run *run, const char *threads)
{
	return (struct recipe_values){ threads, run->scratch.dir, run->recipe->here };
}

/* A word that names a file: its path; a relative one lies in the scratch folder. */
static char *path_of(const struct recipe_run *run, const char *word, const char *threads)
{
	struct recipe_values v = values(run, threads);
	char *file = recipe_fill(word, &v), *path;

	if (file[0] == '/')
		return file;
	path = xasprintf("%s/%s", run->scratch.dir, file);
	free(file);
	return path;
}

/* Through the flight: opened, or why not. */
static int open_file(struct flight *f, const char *path, int flags, int *fd, struct err *err)
{
	int64_t rc;

	if (flight_replaying(f)) {
		rc = flight_get_i64(f, "workload open");
		rc = rc < 0 && rc >= -4095 ? rc : 0;
	} else {
		*fd = io_open_above(path, flags, 0666);
		rc = *fd < 0 ? *fd : 0;
		*fd = *fd < 0 ? 0 : *fd;
		flight_put_i64(f, "workload open", rc);
	}
	return rc < 0 ? err_set(err, (int)rc, "cannot open '%s': %s", path, strerror((int)-rc)) : 0;
}

static char **fill_env(const struct recipe_run *run, const char *threads)
{
	struct recipe_values v = values(run, threads);
	char **env = xcalloc(run->recipe->n_env + 1, sizeof(*env));

	for (size_t i = 0; i < run->recipe->n_env; i++)
		env[i] = recipe_fill(run->recipe->env[i], &v);
	return env;
}

/* keep: a file for the standard output of a command that names none, or NULL. */
static int open_call(struct measure *m, const struct recipe_command *c, int threads,
		     const char *keep, struct recipe_call *call, struct err *err)
{
	const struct recipe_run *run = m->recipe;
	const char *output = c->output ? c->output : keep;
	char number[16];
	struct recipe_values v;
	int rc = 0;

	memset(call, 0, sizeof(*call));
	snprintf(number, sizeof(number), "%d", threads);
	v = values(run, number);
	call->argv = recipe_argv(c, &v);
	call->env = fill_env(run, number);
	if (c->input) {
		char *path = path_of(run, c->input, number);

		rc = open_file(m->flight, path, O_RDONLY, &call->in, err);
		free(path);
	}
	if (output && rc == 0) {
		call->output = path_of(run, output, number);
		rc = open_file(m->flight, call->output, O_WRONLY | O_CREAT | O_TRUNC, &call->out, err);
	}
	if (rc < 0) {
		recipe_close(call);
		err_prefix(err, "%s:%d", run->recipe->file, c->line);
	}
	return rc;
}

static void set_how(const struct recipe_run *run, const struct recipe_call *c,
		    struct child_how *how)
{
	how->envs = c->env;
	how->folder = run->scratch.dir;
	how->in = c->in;
	how->out = c->out;
}

int recipe_open(struct measure *m, int threads, struct recipe_call *c, struct child_how *how,
		struct err *err)
{
	const struct recipe *r = m->recipe->recipe;
	int rc = open_call(m, &r->run, threads, r->pattern || r->sha256[0] ? ".cpuprof-output" : NULL,
			   c, err);

	if (rc == 0)
		set_how(m->recipe, c, how);
	return rc;
}

static void free_list(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

void recipe_close(struct recipe_call *c)
{
	free_list(c->argv);
	free_list(c->env);
	free(c->output);
	if (c->in > 0)
		close(c->in);
	if (c->out > 0)
		close(c->out);
	memset(c, 0, sizeof(*c));
}

int recipe_wrong_status(struct measure *m, int line, const char *what, const char *command,
			int status, int want, struct err *err)
{
	const struct recipe_run *run = m->recipe;
	const char *full = scratch_full(m->flight, &run->scratch) ? ": no space left in the scratch folder" :
		"";

	if (WIFSIGNALED(status))
		return err_set(err, -EIO, "%s:%d: %s: '%s' was killed by signal %d (%s)%s",
			       run->recipe->file, line, what, command, WTERMSIG(status),
			       strsignal(WTERMSIG(status)), full);
	return err_set(err, -EIO, "%s:%d: %s: '%s' ended with status %d, not %d%s", run->recipe->file,
		       line, what, command, WEXITSTATUS(status), want, full);
}

int recipe_aside(struct measure *m, const struct recipe_command *c, int threads,
		     const char *what, const char *keep, bool stopping, struct err *err)
{
	struct child_how how = { .fd_limit = m->fd_limit };
	struct child_usage usage;
	struct recipe_call call;
	struct child child;
	int rc = open_call(m, c, threads, keep, &call, err);

	if (rc < 0)
		return rc;
	set_how(m->recipe, &call, &how);
	rc = child_start(&child, m->flight, m->stop, call.argv, &how, err);
	/* What asked cpuprof to stop is not meant for what puts things away. */
	if (stopping)
		child.passed_on = *m->stop;
	if (rc == 0) {
		rc = child_release(&child, err);
		child_wait(&child, rc < 0, &usage);
	}
	if (rc < 0)
		err_prefix(err, "%s:%d: %s: '%s'", m->recipe->recipe->file, c->line, what,
			   call.argv[0]);
	else if (!stopping && pass_interrupted(m))
		rc = -EINTR;
	else if (usage.status)
		rc = recipe_wrong_status(m, c->line, what, call.argv[0], usage.status, 0, err);
	recipe_close(&call);
	return rc;
}

/* The first line of what version printed; caller frees. */
static char *first_line(struct measure *m)
{
	struct flight *f = m->flight;
	char *path = xasprintf("%s/.cpuprof-output", m->recipe->scratch.dir), *line = NULL;
	struct buf b = BUF_INIT;
	const void *data;
	size_t len;

	if (flight_replaying(f)) {
		if (flight_get(f, "workload version", &data, &len))
			buf_add(&b, data, len < 200 ? len : 200);
	} else {
		io_read_file(path, MAX_VERSION, &b, NULL);
		len = strcspn(buf_str(&b), "\n");
		flight_put(f, "workload version", buf_str(&b), len < 200 ? len : 200);
	}
	len = strcspn(buf_str(&b), "\n");
	line = xstrndup(buf_str(&b), len < 200 ? len : 200);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	buf_release(&b);
	free(path);
	return line;
}

static int say_version(struct measure *m, struct result *result, struct err *err)
{
	const struct recipe *r = m->recipe->recipe;
	char *line;
	int rc;

	if (!r->version.argv)
		return 0;
	rc = recipe_aside(m, &r->version, 1, "version", ".cpuprof-output", false, err);
	if (rc < 0)
		return rc;
	line = first_line(m);
	if (line[0])
		result_target(result, "version", "%s", line);
	free(line);
	return 0;
}

/* The bytes of the work's file, through the flight. */
static int read_work(struct measure *m, struct err *err)
{
	struct recipe_run *run = m->recipe;
	char *path = path_of(run, run->recipe->work_file, "");
	struct stat st;
	int64_t size;

	if (flight_replaying(m->flight)) {
		size = flight_get_i64(m->flight, "workload size");
	} else {
		size = stat(path, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? st.st_size : -EINVAL;
		flight_put_i64(m->flight, "workload size", size);
	}
	run->work = size > 0 ? (double)size : 0;
	if (size < -4095)
		size = -EINVAL;
	if (size < 0)
		err_set(err, (int)size, "%s: the work, '%s', cannot be read: %s", run->recipe->file,
			path, size == -EINVAL ? "it is not a regular file" : strerror((int)-size));
	else if (size == 0)
		size = err_set(err, -EINVAL, "%s: the work, '%s', is empty", run->recipe->file, path);
	free(path);
	return size < 0 ? (int)size : 0;
}

static void describe(struct measure *m, struct result *result)
{
	const struct recipe *r = m->recipe->recipe;
	char *line = recipe_line(&r->run), *program = recipe_program(r, m->flight);

	result_target(result, "workload file", "%s", r->file);
	result_target(result, "command", "%s", line);
	if (program)
		result_target(result, "program", "%s", program);
	if (r->pattern) {
		result_target(result, "score pattern", "%s", r->pattern);
		result_note(result, "the score is what the command says of itself; factors, counters and "
			    "causes are those of its whole run, start and end included");
	}
	free(program);
	free(line);
}

int recipe_begin(struct measure *m, struct result *result, struct err *err)
{
	struct recipe_run *run = m->recipe;
	const struct recipe *r = run->recipe;
	int threads = m->n_threads ? m->threads[m->n_threads - 1] : 1, rc = 0;

	describe(m, result);
	rc = scratch_make(&run->scratch, m->flight, err);
	if (rc < 0)
		return rc;
	rc = say_version(m, result, err);
	run->set_up = rc == 0;
	for (size_t i = 0; i < r->setup.n && rc == 0; i++) {
		if (m->progress)
			progress_step(m->progress, "set-up");
		rc = recipe_aside(m, &r->setup.v[i], threads, "set-up", NULL, false, err);
	}
	run->work = r->work;
	if (rc == 0 && r->work_file)
		rc = read_work(m, err);
	if (rc == 0 && run->work > 0 && strcmp(r->unit, "run"))
		result_target(result, "work per run", "%.12g %s", run->work, r->unit);
	return rc;
}

int recipe_end(struct measure *m, int rc, struct err *err)
{
	struct recipe_run *run = m->recipe;
	const struct recipe *r = run->recipe;
	int threads = m->n_threads ? m->threads[m->n_threads - 1] : 1;

	for (size_t i = 0; i < r->teardown.n && run->set_up; i++) {
		struct err why = { 0 };

		if (recipe_aside(m, &r->teardown.v[i], threads, "teardown", NULL, true, &why) < 0 &&
		    rc == 0) {
			rc = why.code;
			*err = why;
		}
	}
	scratch_remove(&run->scratch, m->flight);
	return rc;
}
