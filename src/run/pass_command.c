/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/pass.h"
#include "src/base/mem.h"
#include "src/machine/needles.h"
#include "src/perf/event.h"
#include "src/run/around.h"
#include "src/run/model.h"
#include "src/run/recipe_run.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A command has two readings in all: the longer it runs, the better they may be. */
#define BURSTS_BEFORE 2
#define BURSTS_AFTER(wall_s) ((wall_s) > 0.05 ? 15 : (wall_s) > 0.01 ? 6 : 2)

/* A needle reading of this process, through the flight. */
static void read_needles(struct flight *f, int bursts, double *clock_hz, double *adds_per_s,
			 uint32_t *cpu)
{
	double v[3] = { 0 };
	const void *data;
	size_t len;

	if (flight_replaying(f)) {
		memset(v, 0, sizeof(v));
		if (flight_get(f, "needles", &data, &len) && len == sizeof(v))
			memcpy(v, data, sizeof(v));
	} else {
		for (int i = 0; i < bursts; i++) {
			v[0] += needle_clock_hz() / bursts;
			v[1] += needle_adds_per_s() / bursts;
		}
		v[2] = sched_getcpu();
		flight_put(f, "needles", v, sizeof(v));
	}
	*clock_hz = v[0];
	*adds_per_s = v[1];
	*cpu = (uint32_t)v[2];
}

/* Migrations of the command and all it starts; -1 when perf is closed. */
struct migrations { int fd; };

static void migrations_open(struct migrations *g, struct flight *f, pid_t pid)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_MIGRATIONS,
		.disabled = 1, .inherit = 1, .enable_on_exec = 1,
	};

	g->fd = event_open(f, &a, pid, -1, -1, 0);
}

static int64_t migrations_close(struct migrations *g, struct flight *f)
{
	int64_t v = -1;

	if (g->fd < 0)
		return v;
	if (flight_replaying(f)) {
		v = flight_get_i64(f, "migrations");
		return v < 0 ? -1 : v;
	}
	if (read(g->fd, &v, sizeof(v)) != sizeof(v))
		v = -1;
	flight_put_i64(f, "migrations", v);
	event_close(f, g->fd);
	return v;
}

/* Sampled passes empty their rings until the command has ended. */
static void wait_for_end(struct measure *m, struct child *c, const struct pass *p)
{
	if (p->sampling)
		while (!sampling_poll(p->sampling, child_fd(c), 100) && !child_ended(c)) {
			child_pass_signals(c);
			if (m->progress)
				progress_step(m->progress, "sampling");
		}
}

/* Flights from before this was written down: no. */
bool pass_interrupted(const struct measure *m)
{
	if (flight_replaying(m->flight))
		return flight_get_i64(m->flight, "interrupted") > 0;
	flight_put_i64(m->flight, "interrupted", *m->stop != 0);
	return *m->stop;
}

static void count_command(struct counting_sum *s, struct counters *k, struct flight *f, pid_t pid)
{
	struct perf_event_attr attrs[COUNTERS_MAX];

	for (int i = 0; i < s->group->n; i++)
		attrs[i] = s->group->v[i].attr;
	counters_open_child(k, f, pid, attrs, s->group->n);
}

static void counted_command(struct counting_sum *s, struct counters *k, struct flight *f)
{
	uint64_t value[COUNTERS_MAX];
	double running[COUNTERS_MAX];

	counters_read_child(k, f, value, running);
	s->coverage = 1;
	for (int i = 0; i < k->n; i++) {
		s->state[i] = k->state[i];
		/* What shared a counter is scaled, and said to be. */
		s->total[i] = running[i] > 0 ? (double)value[i] / running[i] : 0;
		if (k->state[i] > 0 && running[i] < s->coverage)
			s->coverage = running[i];
	}
	counters_close(k, f);
}

static void command_batch(struct result_rep *rep, const struct counting_sum *counts,
			  const struct child_usage *u, double wall_s,
			  const double needles[4], uint32_t cpu, double ops)
{
	struct result_batch *b = xcalloc(1, sizeof(*b));

	b->wall_s = wall_s;
	b->user_s = u->user_s;
	b->sys_s = u->sys_s;
	b->cpu_s = u->user_s + u->sys_s;
	b->run_delay_s = u->run_delay_s;
	b->ops = ops;
	b->faults = u->faults;
	b->major_faults = u->major_faults;
	b->voluntary = u->voluntary;
	b->involuntary = u->involuntary;
	b->cpu = cpu;
	for (int i = 0; counts && i < counts->group->n; i++) {
		if (counts->state[i] != COUNTER_ALL || counts->coverage < COUNTING_WHOLE)
			continue;
		if (!strcmp(counts->group->v[i].name, "cycles"))
			b->cycles = counts->total[i];
		if (!strcmp(counts->group->v[i].name, "instructions"))
			b->instructions = counts->total[i];
		if (!strcmp(counts->group->v[i].name, "task-clock"))
			b->counted_s = counts->total[i] * 1e-9;
	}
	b->clock_hz = (needles[0] + needles[2]) / 2;
	b->adds_per_s = (needles[1] + needles[3]) / 2;
	rep->batches = b;
	rep->n_batches = 1;
	rep->wall_s = wall_s;
}

/* What is run, and how: the arm's command, or the recipe's for so many threads. */
struct command {
	struct recipe_call call;
	struct child_how how;
	char *const *argv;
	char **through;		/* argv within the model tool, or NULL; owned */
};

static int command_open(struct measure *m, const struct pass *p, struct command *c,
			struct err *err)
{
	int rc = 0;

	memset(c, 0, sizeof(*c));
	c->how.env = p->arm.env;
	c->how.env2 = p->through ? model_launcher() : NULL;
	c->how.show_output = m->show_output;
	c->how.fd_limit = m->fd_limit;
	c->argv = p->arm.command;
	if (m->recipe) {
		rc = recipe_open(m, p->threads, &c->call, &c->how, err);
		c->argv = c->call.argv;
	}
	if (rc == 0 && p->through)
		c->through = model_command(p->through, c->argv);
	return rc;
}

static void command_close(struct command *c)
{
	free(c->through);
	recipe_close(&c->call);
}

/* The command has ended and was not asked to: what did it do? */
static int command_done(struct measure *m, const struct pass *p, const struct command *c,
			double wall_s, double *ops, struct err *err)
{
	int rc = 0;

	*ops = 1;
	if (p->sampling)
		sampling_finish(p->sampling, c->argv, err);
	if (m->recipe) {
		struct err why = { 0 };

		rc = recipe_check(m, p->threads, &c->call, m->child_status, wall_s, ops, &why);
		if (rc < 0)
			*err = why;
	}
	for (int i = 0; i < p->n_counts; i++)
		p->counts[i].ops = *ops;
	return rc;
}

/* What watches it from outside, and since when. */
struct watch {
	struct migrations migrations;
	struct counters k[COUNTING_GROUPS];
	struct around_energy energy;
	double began_s;			/* of a score, in the wall clock's seconds */
	uint64_t t0;
};

/* Starts it, with everything that watches it attached, and lets it go. */
static int command_start(struct measure *m, const struct pass *p, const struct command *c,
			 struct child *child, struct watch *w, struct err *err)
{
	const struct sampling_how sample = {
		.event = p->event, .rate_hz = m->rate_hz, .from_exec = true, .path = p->recording,
		.counts = p->by_thread ? p->by_thread->v : NULL,
		.n_counts = p->by_thread ? (size_t)p->by_thread->n : 0,
	};
	int rc = child_start(child, m->flight, m->stop, c->through ? c->through : c->argv, &c->how,
			     err);

	if (rc == 0 && p->sampling)
		rc = sampling_open(p->sampling, m->flight, m->machine, child->pid, &sample, err);
	else if (rc == 0)
		migrations_open(&w->migrations, m->flight, child->pid);
	for (int i = 0; i < p->n_counts && rc == 0; i++)
		count_command(&p->counts[i], &w->k[i], m->flight, child->pid);
	if (rc < 0)
		return rc;
	if (p->score) {
		w->began_s = (double)flight_wall_ns(m->flight) * 1e-9;
		around_energy_begin(&w->energy, m);
	}
	w->t0 = flight_now_ns(m->flight);
	rc = child_release(child, err);
	return rc < 0 ? err_prefix(err, "'%s'", c->argv[0]) : rc;
}

int pass_command(struct measure *m, const struct pass *p, struct result_rep *rep,
		 struct err *err)
{
	struct watch w = { .migrations = { -1 } };
	struct around before, after;
	struct child_usage usage;
	double needles[4] = { 0 }, wall_s, ops = 1;
	uint32_t cpu = 0;
	struct command c;
	struct child child;
	int rc = command_open(m, p, &c, err);

	if (rc < 0)
		return rc;
	around_look(&before, m->flight, m->machine->allowed, m->machine->n_allowed);
	if (p->score && m->needles)
		read_needles(m->flight, BURSTS_BEFORE, &needles[0], &needles[1], &cpu);
	rc = command_start(m, p, &c, &child, &w, err);
	if (rc == 0)
		wait_for_end(m, &child, p);
	child_wait(&child, rc < 0, &usage);
	wall_s = (double)(flight_now_ns(m->flight) - w.t0) * 1e-9;
	if (p->score)
		around_energy_end(&w.energy, m);
	rep->migrations = migrations_close(&w.migrations, m->flight);
	for (int i = 0; i < p->n_counts; i++)
		counted_command(&p->counts[i], &w.k[i], m->flight);
	if (p->score && m->needles)
		read_needles(m->flight, BURSTS_AFTER(wall_s), &needles[2], &needles[3], &cpu);
	around_look(&after, m->flight, m->machine->allowed, m->machine->n_allowed);
	if (rc == 0) {
		m->child_status = usage.status;
		rc = pass_interrupted(m) ? -EINTR : command_done(m, p, &c, wall_s, &ops, err);
	}
	command_close(&c);
	if (rc < 0 || p->sampling)
		return rc;
	command_batch(rep, p->counts, &usage, wall_s, needles, cpu, ops);
	around_set(rep, &before, &after, &usage);
	rep->began_s = w.began_s;
	around_energy_set(rep, &w.energy, m);
	return 0;
}
