/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/pass.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/machine/needles.h"
#include "src/perf/event.h"
#include "src/run/around.h"
#include "src/run/model.h"
#include "src/run/timer.h"
#include "workloads/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(PROTOCOL_COUNTERS_MAX == COUNTERS_MAX, "a batch carries one group");

static void cpu_text(const int *cpus, int n, struct buf *out)
{
	for (int i = 0; i < n; i++)
		buf_printf(out, "%s%d", i ? "," : "", cpus[i]);
}

/* Cycles, instructions and their time stand with their batch. */
static void keep_counts(const struct protocol_batch *b, const struct counting_sum *c,
			struct result_batch *out)
{
	for (int i = 0; c && i < c->group->n; i++) {
		if (c->state[i] != COUNTER_ALL)
			continue;
		if (!strcmp(c->group->v[i].name, "cycles"))
			out->cycles = (double)b->counts[i];
		if (!strcmp(c->group->v[i].name, "instructions"))
			out->instructions = (double)b->counts[i];
		if (!strcmp(c->group->v[i].name, "task-clock"))
			out->counted_s = (double)b->counts[i] * 1e-9;
	}
}

static void sum_counts(const struct protocol_batch *b, struct counting_sum *c)
{
	bool opened = false;

	if (!c)
		return;
	for (int i = 0; i < c->group->n; i++) {
		c->total[i] += (double)b->counts[i];
		opened |= c->state[i] > 0;
	}
	c->ops += (double)b->ops;
	/* A pinned group runs all the time or not at all. */
	if (b->running_ns < b->enabled_ns || (opened && !b->enabled_ns)) {
		c->coverage = 0;
		for (int i = 0; i < c->group->n; i++)
			if (c->state[i] > 0)
				c->state[i] = -EBUSY;
	}
}

/* The window in which all threads worked: from the last start to the end of
 * the last fixed share. What lies outside is counted and dropped. */
static void cut_window(const struct protocol_batch *v, size_t n, int threads,
		       struct result_rep *rep, struct counting_sum *counts)
{
	uint64_t *first = xcalloc((size_t)threads, sizeof(*first)), t0 = 0, t1 = 0;
	double all = 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].thread >= (uint32_t)threads)
			continue;
		if (!first[v[i].thread]) {
			first[v[i].thread] = v[i].start_ns;
			if (v[i].start_ns > t0)
				t0 = v[i].start_ns;
		}
		if (v[i].share && v[i].end_ns > t1)
			t1 = v[i].end_ns;
	}
	free(first);
	rep->batches = xcalloc(n, sizeof(*rep->batches));
	for (size_t i = 0; i < n; i++) {
		const struct protocol_batch *b = &v[i];
		/* Threads start within microseconds of each other: a batch that
		 * sticks out by a hundredth of itself is inside. */
		uint64_t slack = (b->end_ns - b->start_ns) / 100;

		if (b->thread >= (uint32_t)threads)
			continue;
		all += (double)b->ops;
		if (b->start_ns + slack < t0 || b->end_ns > t1 + slack)
			continue;
		kept += (double)b->ops;
		rep->batches[rep->n_batches++] = (struct result_batch){
			.thread = b->thread, .cpu = b->cpu,
			.start_s = ((double)b->start_ns - (double)t0) * 1e-9,
			.wall_s = (double)(b->end_ns - b->start_ns) * 1e-9,
			.cpu_s = (double)b->cpu_ns * 1e-9, .user_s = (double)b->user_ns * 1e-9,
			.sys_s = (double)b->sys_ns * 1e-9,
			.run_delay_s = (double)b->run_delay_ns * 1e-9,
			.ops = b->ops, .faults = b->faults, .major_faults = b->major_faults,
			.voluntary = b->voluntary, .involuntary = b->involuntary,
			.clock_hz = b->clock_hz, .adds_per_s = b->adds_per_s,
		};
		sum_counts(b, counts);
		keep_counts(b, counts, &rep->batches[rep->n_batches - 1]);
	}
	rep->wall_s = t1 > t0 ? (double)(t1 - t0) * 1e-9 : 0;
	rep->outside = all > 0 ? 1 - kept / all : 0;
}

static int ended_early(const struct child_usage *u, struct err *err)
{
	if (WIFSIGNALED(u->status))
		return err_set(err, -EIO, "the worker was killed by signal %d (%s)",
			       WTERMSIG(u->status), strsignal(WTERMSIG(u->status)));
	return err_set(err, -EIO, "the worker ended early with status %d",
		       WEXITSTATUS(u->status));
}

/* Everything the worker says, until it is done. */
struct talk {
	struct protocol_hello *hello;
	struct protocol_ready *ready;
	struct buf batches, samples, maps;
	struct around_energy energy;
	double began_s;
	uint64_t memory_bytes;
	struct protocol_served served;
	bool done;
};

/* Runs the load generator that a server's worker asks for, to its end, while the
 * rings are emptied; and answers. */
static int have_load(struct measure *m, struct child *worker, const struct pass *p, char *text,
		     struct err *err)
{
	struct child_how how = { .unprivileged = true };
	struct protocol_load_end end = { 0 };
	struct child_usage usage;
	struct child load;
	char *argv[32], *save = NULL, *out = strtok_r(text, "\n", &save);
	int n = 0, rc;

	how.cpus = strtok_r(NULL, "\n", &save);
	for (char *w = strtok_r(NULL, "\n", &save); w && n < 31; w = strtok_r(NULL, "\n", &save))
		argv[n++] = w;
	argv[n] = NULL;
	if (!n)
		return err_set(err, -EPROTO, "the worker asks for a load without a command");
	if (!flight_replaying(m->flight))
		how.out = io_open_above(out, O_WRONLY | O_TRUNC | O_NOFOLLOW, 0);
	how.out = how.out < 0 ? 0 : how.out;
	rc = child_start(&load, m->flight, m->stop, argv, &how, err);
	if (rc == 0)
		rc = child_release(&load, err);
	while (rc == 0 && p->sampling && !sampling_poll(p->sampling, child_fd(&load), 100) &&
	       !child_ended(&load) && !*m->stop)
		if (m->progress)
			progress_step(m->progress, "sampling");
	child_wait(&load, rc < 0, &usage);
	if (how.out)
		close(how.out);
	if (rc < 0)
		return err_prefix(err, "'%s'", argv[0]);
	end.status = usage.status;
	end.cpu_s = usage.user_s + usage.sys_s;
	/* A worker that is gone shows as the end of what it says. */
	if (!flight_replaying(m->flight))
		io_write(worker->control, &end, sizeof(end));
	return 0;
}

static void keep_served(struct result_rep *rep, const struct protocol_served *s)
{
	struct result_served *r = &rep->served;

	r->requests = (double)s->requests;
	r->bytes = (double)s->bytes;
	r->errors = (double)s->errors;
	memcpy(r->latency_s, s->latency_s, sizeof(r->latency_s));
	r->latency_max_s = s->latency_max_s;
	r->load_busy = s->load_busy;
	r->load_threads = s->load_threads;
	r->connections = s->connections;
	r->load_shares = s->load_shares;
}

static int one_message(struct measure *m, struct child *c, const struct pass *p, struct talk *t, int type,
		       const struct buf *b, struct err *err)
{
	switch (type) {
	case PROTOCOL_HELLO:
		if (b->len != sizeof(*t->hello))
			return 0;
		memcpy(t->hello, b->data, b->len);
		t->hello->input[sizeof(t->hello->input) - 1] = '\0';
		t->hello->library_path[sizeof(t->hello->library_path) - 1] = '\0';
		t->hello->library_version[sizeof(t->hello->library_version) - 1] = '\0';
		return 0;
	case PROTOCOL_COUNTERS:
		for (size_t i = 0; p->counts && i < COUNTERS_MAX && 4 * i + 4 <= b->len; i++) {
			int32_t state;

			memcpy(&state, b->data + 4 * i, sizeof(state));
			p->counts->state[i] = state;
		}
		return 0;
	case PROTOCOL_READY:
		if (b->len == sizeof(*t->ready))
			memcpy(t->ready, b->data, b->len);
		if (p->sampling)
			sampling_enable(p->sampling, true);
		if (p->score) {
			t->began_s = (double)flight_wall_ns(m->flight) * 1e-9;
			around_energy_begin(&t->energy, m);
		}
		return child_go(c);
	case PROTOCOL_MEASURED:
		if (p->score)
			around_energy_end(&t->energy, m);
		if (p->sampling)
			sampling_enable(p->sampling, false);
		return 0;
	case PROTOCOL_BATCHES:
		buf_add(&t->batches, b->data, b->len);
		return 0;
	case PROTOCOL_SAMPLES:
		buf_add(&t->samples, b->data, b->len);
		return 0;
	case PROTOCOL_MAPS:
		buf_add(&t->maps, b->data, b->len);
		return 0;
	case PROTOCOL_MEMORY:
		if (b->len == sizeof(t->memory_bytes))
			memcpy(&t->memory_bytes, b->data, b->len);
		return 0;
	case PROTOCOL_LOAD:
		return have_load(m, c, p, b->data, err);
	case PROTOCOL_SERVED:
		if (b->len == sizeof(t->served))
			memcpy(&t->served, b->data, b->len);
		return 0;
	case PROTOCOL_NOTE:
		if (p->note && !*p->note)
			*p->note = xstrdup(buf_str(b));
		return 0;
	case PROTOCOL_DONE:
		t->done = true;
		return 0;
	case PROTOCOL_MISSING:
		return err_set(err, -ENODATA, "%s", buf_str(b));
	case PROTOCOL_ERROR:
		return err_set(err, -EIO, "%s", buf_str(b));
	}
	return 0;
}

static int talk(struct measure *m, struct child *c, const struct pass *p, struct talk *t,
		struct err *err)
{
	struct buf b = BUF_INIT;
	int type = 1, rc = 0;

	while (rc == 0) {
		/* Between messages the rings are emptied. */
		while (p->sampling && !sampling_poll(p->sampling, child_fd(c), 100) && !*m->stop)
			if (m->progress)
				progress_step(m->progress, "sampling");
		type = child_message(c, &b, err);
		if (type <= 0)
			break;
		rc = one_message(m, c, p, t, type, &b, err);
	}
	buf_release(&b);
	return rc < 0 ? rc : type;
}

static void worker_args(const struct measure *m, const struct pass *p, char **argv)
{
	struct buf cpus = BUF_INIT;
	int list[MACHINE_MAX_CPUS], n = machine_choose_cpus(m->machine, p->threads, list), i = 0;

	cpu_text(list, n, &cpus);
	for (int k = 0; p->through && p->through[k]; k++)
		argv[i++] = xstrdup(p->through[k]);
	argv[i++] = xstrdup(p->through ? model_self() : "cpuprof");
	argv[i++] = xstrdup("worker");
	argv[i++] = xstrdup(m->workload->name);
	argv[i++] = xasprintf("variant=%d", p->arm.variant);
	argv[i++] = xasprintf("cpus=%s", buf_str(&cpus));
	argv[i++] = xasprintf("share_s=%.3f", p->share_s);
	argv[i++] = xasprintf("probe=%d", p->score && m->needles);
	if (m->workload->window_max)
		argv[i++] = xasprintf("window=%d", m->window);
	if (m->workload->ciphers)
		argv[i++] = xasprintf("cipher=%d", m->cipher);
	if (m->scratch.dir)
		argv[i++] = xasprintf("dir=%s", m->scratch.dir);
	if (m->input)
		argv[i++] = xasprintf("input=%s", m->input);
	if (p->arm.library)
		argv[i++] = xasprintf("library=%s", p->arm.library);
	if (p->counts && p->counts->group->n) {
		struct buf e = BUF_INIT;

		for (int k = 0; k < p->counts->group->n; k++) {
			const struct perf_event_attr *a = &p->counts->group->v[k].attr;

			buf_printf(&e, "%s%u:0x%llx:0x%llx:0x%llx:%d:%d", k ? ";" : "events=",
				   a->type, (unsigned long long)a->config,
				   (unsigned long long)a->config1, (unsigned long long)a->config2,
				   a->exclude_kernel | a->exclude_user << 1, a->precise_ip);
		}
		argv[i++] = buf_detach(&e);
	}
	if (p->timer_hz)
		argv[i++] = xasprintf("timer=%d", p->timer_hz);
	if (p->through)
		argv[i++] = xstrdup("model=1");
	if (p->note)
		argv[i++] = xstrdup("note=1");
	if (m->flip_byte)
		argv[i++] = xasprintf("flip=%d", m->flip_byte);
	argv[i] = NULL;
	buf_release(&cpus);
}

void pass_forget_names(struct measure *m)
{
	if (m->named > 0 && !flight_replaying(m->flight)) {
		if (m->named_recorded && m->dir)
			perf_map_keep(m->named, m->dir);
		perf_map_remove(m->named);
	}
	m->named = 0;
}

int pass_worker(struct measure *m, const struct pass *p, struct result_rep *rep,
		struct protocol_hello *hello, struct protocol_ready *ready, struct err *err)
{
	char *argv[24 + MODEL_ARGS];
	struct talk t = { .hello = hello, .ready = ready };
	int cpus[MACHINE_MAX_CPUS], n = machine_choose_cpus(m->machine, p->threads, cpus), rc;
	const struct child_how how = { .env = p->arm.env, .worker = true,
				       .gentle = m->workload->server != NULL,
				       .env2 = p->through ? model_launcher() : NULL,
				       .program = p->through ? p->through[0] : NULL };
	const struct sampling_how sample = {
		.event = p->event, .rate_hz = m->rate_hz, .from_exec = false, .path = p->recording,
		.counts = p->by_thread ? p->by_thread->v : NULL,
		.n_counts = p->by_thread ? (size_t)p->by_thread->n : 0,
	};
	struct around before, after;
	struct child_usage usage;
	struct child c;

	worker_args(m, p, argv);
	around_look(&before, m->flight, cpus, n);
	pass_forget_names(m);
	rc = child_start(&c, m->flight, m->stop, argv, &how, err);
	m->named = c.pid;
	m->named_recorded = p->recording != NULL;
	if (rc == 0 && p->sampling)
		rc = sampling_open(p->sampling, m->flight, m->machine, c.pid, &sample, err);
	if (rc == 0)
		rc = child_release(&c, err);
	if (rc == 0)
		rc = talk(m, &c, p, &t, err);
	child_wait(&c, rc < 0, &usage);
	if (!p->recording)
		pass_forget_names(m);
	around_look(&after, m->flight, cpus, n);
	if (rc == 0 && !t.done)
		rc = ended_early(&usage, err);
	if (rc == 0 && p->sampling) {
		rc = sampling_finish(p->sampling, argv, err);
		if (rc < 0)	/* a full disk: what was written is still a profile */
			rc = 0;
	}
	if (rc == 0 && p->timer_hz)
		rc = timer_write(p->recording, m->machine, "cpuprof",
				 (uint32_t)atoi(buf_str(&t.maps)), p->timer_hz,
				 buf_str(&t.maps) + strcspn(buf_str(&t.maps), "\n"),
				 (const struct protocol_sample *)t.samples.data,
				 t.samples.len / sizeof(struct protocol_sample), m->flight, argv,
				 err);
	if (rc >= 0 && !p->recording) {
		cut_window((const struct protocol_batch *)t.batches.data,
			   t.batches.len / sizeof(struct protocol_batch), p->threads, rep,
			   p->counts);
		rep->setup_s = ready->setup_s;
		rep->memory_bytes = t.memory_bytes;
		keep_served(rep, &t.served);
		around_set(rep, &before, &after, &usage);
		rep->began_s = t.began_s;
		around_energy_set(rep, &t.energy, m);
	}
	for (int i = 0; argv[i]; i++)
		free(argv[i]);
	buf_release(&t.batches);
	buf_release(&t.samples);
	buf_release(&t.maps);
	return rc < 0 ? rc : 0;
}
