/* SPDX-License-Identifier: MIT */
/* After a run of a recipe: was it right, and what has it done? */
#include "config.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/sha256.h"
#include "src/run/recipe_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OUTPUT ((off_t)1 << 20)	/* the end of it that is searched for a score */

/* The end of a file, at most MAX_OUTPUT. */
static int read_end(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[16384];
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && st.st_size > MAX_OUTPUT)
		lseek(fd, st.st_size - MAX_OUTPUT, SEEK_SET);
	while (out->len < (size_t)MAX_OUTPUT && (n = io_read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(out, chunk, (size_t)n);
	close(fd);
	return n < 0 ? (int)n : 0;
}

/* The number that the command printed, NAN for none; through the flight. */
static double printed(struct measure *m, const struct recipe_call *c)
{
	struct buf b = BUF_INIT;
	double v = NAN;
	const void *data;
	size_t len;

	if (flight_replaying(m->flight)) {
		if (flight_get(m->flight, "workload score", &data, &len) && len == sizeof(v))
			memcpy(&v, data, sizeof(v));
		return v;
	}
	if (read_end(c->output, &b) < 0 ||
	    !recipe_match(m->recipe->recipe->pattern, buf_str(&b), b.len, &v))
		v = NAN;
	buf_release(&b);
	flight_put(m->flight, "workload score", &v, sizeof(v));
	return v;
}

/* What was done in wall_s, so that operations by time are the score. */
static int count_work(struct measure *m, const struct recipe_call *c, double wall_s, double *ops,
		      struct err *err)
{
	const struct recipe_run *run = m->recipe;
	const struct recipe *r = run->recipe;
	double v;

	*ops = run->work;
	if (!r->pattern)
		return 0;
	v = printed(m, c);
	if (isnan(v))
		return err_set(err, -EPROTO, "%s:%d: '%.80s' is nowhere in the output of '%s'", r->file,
			       r->pattern_line, r->pattern, c->argv[0]);
	if (!(v > 0 && v < 1e18))
		return err_set(err, -EPROTO, "%s:%d: '%s' says %g, which is no score", r->file,
			       r->pattern_line, c->argv[0], v);
	*ops = r->score == RECIPE_RATE ? v / r->score_scale * wall_s : run->work / v * wall_s;
	return 0;
}

/* Of the whole output, in hexadecimal; through the flight. */
static void digest(struct measure *m, const char *path, char out[65])
{
	char chunk[65536];
	const void *data;
	struct sha256 s;
	size_t len;
	ssize_t n;
	int fd;

	out[0] = '\0';
	if (flight_replaying(m->flight)) {
		if (flight_get(m->flight, "workload digest", &data, &len) && len == 64) {
			memcpy(out, data, 64);
			out[64] = '\0';
		}
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	sha256_init(&s);
	while (fd >= 0 && (n = io_read(fd, chunk, sizeof(chunk))) > 0)
		sha256_add(&s, chunk, (size_t)n);
	if (fd >= 0)
		close(fd);
	sha256_hex(&s, out);
	flight_put(m->flight, "workload digest", out, 64);
}

/* The test hook: a wrong bit in what the run wrote must be found. */
static void flip(const struct measure *m, const char *path)
{
	int fd = m->flip_byte > 0 && path && !flight_replaying(m->flight) ?
		open(path, O_RDWR | O_CLOEXEC) : -1;
	char c;

	if (fd >= 0 && pread(fd, &c, 1, m->flip_byte - 1) == 1) {
		c ^= 1;
		if (pwrite(fd, &c, 1, m->flip_byte - 1) != 1)
			c ^= 1;
	}
	if (fd >= 0)
		close(fd);
}

int recipe_check(struct measure *m, int threads, const struct recipe_call *c, int status,
		 double wall_s, double *ops, struct err *err)
{
	const struct recipe *r = m->recipe->recipe;
	int want = r->expect_exit, rc = 0;
	char hex[65];

	if (!WIFEXITED(status) || WEXITSTATUS(status) != want)
		return recipe_wrong_status(m, r->run.line, "run", c->argv[0], status, want, err);
	flip(m, c->output);
	if (r->sha256[0]) {
		digest(m, c->output, hex);
		if (strcmp(hex, r->sha256))
			return err_set(err, -EIO, "%s: wrong output: its SHA-256 is %s", r->file, hex);
	}
	rc = count_work(m, c, wall_s, ops, err);
	for (size_t i = 0; i < r->verify.n && rc == 0; i++)
		rc = recipe_aside(m, &r->verify.v[i], threads, "wrong output", NULL, false, err);
	return rc;
}
