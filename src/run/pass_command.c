/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/pass.h"
#include "src/base/mem.h"
#include "src/machine/needles.h"
#include "src/perf/event.h"
#include "src/run/around.h"
#include "src/run/model.h"

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
		while (!sampling_poll(p->sampling, child_fd(c), 100)) {
			child_pass_signals(c);
			if (m->progress)
				progress_step(m->progress, "sampling");
		}
}

/* Was the run interrupted? Flights from before this was written down: no. */
static bool interrupted(const struct measure *m)
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
	s->ops = 1;
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
			  const double needles[4], uint32_t cpu)
{
	struct result_batch *b = xcalloc(1, sizeof(*b));

	b->wall_s = wall_s;
	b->user_s = u->user_s;
	b->sys_s = u->sys_s;
	b->cpu_s = u->user_s + u->sys_s;
	b->run_delay_s = u->run_delay_s;
	b->ops = 1;
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

int pass_command(struct measure *m, const struct pass *p, struct result_rep *rep,
		 struct err *err)
{
	const struct child_how how = { .env = p->arm.env, .show_output = m->show_output,
				       .fd_limit = m->fd_limit,
				       .env2 = p->through ? model_launcher() : NULL };
	const struct sampling_how sample = {
		.event = p->event, .rate_hz = m->rate_hz, .from_exec = true, .path = p->recording,
		.counts = p->by_thread ? p->by_thread->v : NULL,
		.n_counts = p->by_thread ? (size_t)p->by_thread->n : 0,
	};
	struct around before, after;
	struct child_usage usage;
	struct migrations g = { -1 };
	struct counters k[COUNTING_GROUPS];
	double needles[4] = { 0 };
	struct around_energy energy = { .begin_s = 0 };
	double began_s = 0;
	uint32_t cpu = 0;
	uint64_t t0 = 0, t1;
	struct child c;
	char **argv;
	int rc;

	around_look(&before, m->flight, m->machine->allowed, m->machine->n_allowed);
	if (p->score && m->needles)
		read_needles(m->flight, BURSTS_BEFORE, &needles[0], &needles[1], &cpu);
	argv = p->through ? model_command(p->through, p->arm.command) : NULL;
	rc = child_start(&c, m->flight, m->stop, argv ? argv : p->arm.command, &how, err);
	if (rc == 0 && p->sampling)
		rc = sampling_open(p->sampling, m->flight, m->machine, c.pid, &sample, err);
	else if (rc == 0)
		migrations_open(&g, m->flight, c.pid);
	memset(k, 0, sizeof(k));
	for (int i = 0; i < p->n_counts && rc == 0; i++)
		count_command(&p->counts[i], &k[i], m->flight, c.pid);
	if (rc == 0) {
		if (p->score) {
			began_s = (double)flight_wall_ns(m->flight) * 1e-9;
			around_energy_begin(&energy, m);
		}
		t0 = flight_now_ns(m->flight);
		rc = child_release(&c, err);
		if (rc < 0)
			err_prefix(err, "'%s'", p->arm.command[0]);
	}
	if (rc == 0)
		wait_for_end(m, &c, p);
	child_wait(&c, rc < 0, &usage);
	free(argv);
	t1 = flight_now_ns(m->flight);
	if (p->score)
		around_energy_end(&energy, m);
	rep->migrations = migrations_close(&g, m->flight);
	for (int i = 0; i < p->n_counts; i++)
		counted_command(&p->counts[i], &k[i], m->flight);
	if (p->score && m->needles)
		read_needles(m->flight, BURSTS_AFTER((double)(t1 - t0) * 1e-9), &needles[2], &needles[3], &cpu);
	around_look(&after, m->flight, m->machine->allowed, m->machine->n_allowed);
	if (rc < 0)
		return rc;
	m->child_status = usage.status;
	if (interrupted(m))
		return -EINTR;
	if (p->sampling) {
		sampling_finish(p->sampling, p->arm.command, err);
		return 0;
	}
	command_batch(rep, p->counts, &usage, (double)(t1 - t0) * 1e-9, needles, cpu);
	around_set(rep, &before, &after, &usage);
	rep->began_s = began_s;
	around_energy_set(rep, &energy, m);
	return 0;
}
