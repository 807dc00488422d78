/* SPDX-License-Identifier: MIT */
/*
 * The worker: set-up, threads pinned and started together, batches until the
 * last thread has done its fixed share, needles between batches, the output
 * verified, everything told to the parent. Nothing is written while measuring.
 */
#include "config.h"
#include "src/run/worker.h"
#include "src/base/buf.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/machine/cgroup.h"
#include "src/machine/needles.h"
#include "src/run/counters.h"
#include "src/run/processes.h"
#include "src/run/protocol.h"
#include "src/run/region.h"
#include "src/run/server.h"
#include "src/run/timer.h"
#include "src/symbol/elf.h"
#include "workloads/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 1024
#define MIN_BATCH_S 0.02

struct job {
	const struct workload *w;
	struct workload_env env;
	void *shared;
	int cpus[MAX_THREADS];
	int n_threads;
	double share_s;			/* how long a thread's fixed share should take */
	bool probe;			/* read the needles between batches */
	struct perf_event_attr events[COUNTERS_MAX];	/* one group to count */
	int n_events;
	bool model;			/* runs inside the model tool: one batch, marked for it */
	bool note;			/* the library may say what it knows of itself */
	int timer_hz;			/* sample ourselves: perf is closed; 0: not */

	pthread_barrier_t warm, start;	/* all threads and the main one */
	uint64_t calls;			/* of w->batch in a batch; set by thread 0 */
	uint64_t share_batches;
	double batch_s;
	uint64_t ops_per_batch;
	int finished;			/* threads whose share is done; atomic */
	int failed;			/* atomic: a thread could not start */
};

struct thread {
	struct job *job;
	pthread_t id;
	int index;
	void *state;
	struct err err;
	double warm_up_s, clock_hz;
	bool flat;
	struct protocol_batch *v;
	size_t n, cap;
	int schedstat;			/* descriptor, -1 */
	struct timer_sampler *timer;
	struct counters counters;
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int protocol_say(enum protocol_type type, const void *payload, size_t len)
{
	struct protocol_frame f = { type, (uint32_t)len };
	int rc = io_write(PROTOCOL_MESSAGE_FD, &f, sizeof(f));

	return rc < 0 ? rc : io_write(PROTOCOL_MESSAGE_FD, payload, len);
}

static int fail(const struct err *err)
{
	protocol_say(err->code == -ENOPKG ? PROTOCOL_MISSING : PROTOCOL_ERROR, err->msg,
	    strlen(err->msg));
	return EXIT_FAILED;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* What a thread has used so far. */
static void usage_read(const struct thread *t, struct process_usage *u)
{
	struct rusage r;
	char s[128];
	ssize_t n = t->schedstat >= 0 ? pread(t->schedstat, s, sizeof(s) - 1, 0) : 0;

	memset(u, 0, sizeof(*u));
	if (n > 0) {
		char *end;

		s[n] = '\0';
		strtoull(s, &end, 10);
		u->run_delay_ns = strtoull(end, NULL, 10);
	}
	if (getrusage(RUSAGE_THREAD, &r) == 0) {
		u->user_ns = timeval_ns(r.ru_utime);
		u->sys_ns = timeval_ns(r.ru_stime);
		u->faults = (uint64_t)r.ru_minflt;
		u->major_faults = (uint64_t)r.ru_majflt;
		u->voluntary = (uint64_t)r.ru_nvcsw;
		u->involuntary = (uint64_t)r.ru_nivcsw;
	}
	u->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t run_batch(struct thread *t)
{
	uint64_t ops = 0;

	for (uint64_t i = 0; i < t->job->calls; i++)
		ops += t->job->w->batch(t->state);
	return ops;
}

static void measure_batch(struct thread *t, bool share)
{
	struct process_usage a, b;
	struct counters_reading ca, cb;
	struct protocol_batch r = { .thread = (uint32_t)t->index, .share = share };

	bool lost;

	usage_read(t, &a);
	lost = counters_read_self(&t->counters, &ca) < 0;
	r.start_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	if (t->job->model)
		region_count(true);
	r.ops = run_batch(t);
	if (t->job->model)
		region_count(false);
	r.end_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	lost |= counters_read_self(&t->counters, &cb) < 0;
	usage_read(t, &b);
	for (int i = 0; i < t->counters.n && !lost; i++)
		r.counts[i] = cb.value[i] - ca.value[i];
	r.enabled_ns = lost ? 1 : cb.enabled_ns - ca.enabled_ns;
	r.running_ns = lost ? 0 : cb.running_ns - ca.running_ns;
	r.cpu = (uint32_t)sched_getcpu();
	r.cpu_ns = b.cpu_ns - a.cpu_ns;
	r.user_ns = b.user_ns - a.user_ns;
	r.sys_ns = b.sys_ns - a.sys_ns;
	r.run_delay_ns = b.run_delay_ns - a.run_delay_ns;
	r.faults = b.faults - a.faults;
	r.major_faults = b.major_faults - a.major_faults;
	r.voluntary = b.voluntary - a.voluntary;
	r.involuntary = b.involuntary - a.involuntary;
	if (t->job->probe) {
		r.clock_hz = needle_clock_hz();
		r.adds_per_s = needle_adds_per_s();
	}
	if (t->n < t->cap)
		t->v[t->n++] = r;
}

/* Thread 0 finds out how much work is a batch. */
static void calibrate(struct thread *t)
{
	struct job *j = t->job;
	uint64_t ns, ops;

	j->calls = 1;
	for (;;) {
		ns = clock_ns(CLOCK_MONOTONIC_RAW);
		ops = run_batch(t);
		ns = clock_ns(CLOCK_MONOTONIC_RAW) - ns;
		if ((double)ns * 1e-9 >= MIN_BATCH_S || j->calls > 1u << 30)
			break;
		j->calls = ns < 1000000 ? j->calls * 16 :
			(uint64_t)((double)j->calls * MIN_BATCH_S * 1.3e9 / (double)ns) + 1;
	}
	j->batch_s = (double)ns * 1e-9;
	j->ops_per_batch = ops;
	j->share_batches = (uint64_t)(j->share_s / j->batch_s + 0.5);
	if (j->share_batches < 1 || j->model)
		j->share_batches = 1;
}

static int begin(struct thread *t)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(t->job->cpus[t->index], &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return err_set(&t->err, -errno, "cannot run on CPU %d: %s",
			       t->job->cpus[t->index], strerror(errno));
	t->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	counters_open_self(&t->counters, t->job->events, t->job->n_events);
	return t->job->w->thread_begin(t->job->shared, &t->state, &t->err);
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	struct job *j = t->job;

	if (begin(t) < 0)
		__atomic_store_n(&j->failed, 1, __ATOMIC_RELEASE);
	else if (t->index == 0)
		calibrate(t);
	pthread_barrier_wait(&j->warm);
	if (!__atomic_load_n(&j->failed, __ATOMIC_ACQUIRE)) {
		/* Room for twelve times the share: others may be much slower. */
		t->cap = j->share_batches * 12 + 1024;
		t->v = xcalloc(t->cap, sizeof(*t->v));
		/* A long batch is its own warm-up. */
		if (t->index && j->batch_s < 0.5)
			j->w->batch(t->state);
		if (j->probe)
			t->warm_up_s = needle_warm_up(0.25, &t->flat);
		t->clock_hz = j->probe ? needle_clock_hz() : 0;
	}
	pthread_barrier_wait(&j->warm);
	pthread_barrier_wait(&j->start);
	if (__atomic_load_n(&j->failed, __ATOMIC_ACQUIRE))
		return NULL;
	if (j->timer_hz)
		t->timer = timer_arm(j->timer_hz, (size_t)(j->timer_hz * j->share_s * 12) + 1000,
				     &t->err);
	for (uint64_t i = 0; i < j->share_batches; i++)
		measure_batch(t, true);
	__atomic_add_fetch(&j->finished, 1, __ATOMIC_ACQ_REL);
	/* Work on, so that the last one keeps its company to the end. */
	while (__atomic_load_n(&j->finished, __ATOMIC_ACQUIRE) < j->n_threads)
		measure_batch(t, false);
	if (t->timer)
		timer_disarm(t->timer);
	return NULL;
}

/* "TYPE:CONFIG:CONFIG1:CONFIG2:EXCLUDE:PRECISE;...": numbers as printed by pass.c. */
static void parse_events(struct job *j, const char *p)
{
	while (*p && j->n_events < COUNTERS_MAX) {
		struct perf_event_attr *a = &j->events[j->n_events];
		unsigned long long v[6] = { 0 };
		char *end;

		for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
			v[i] = strtoull(p, &end, 0);
			p = *end == ':' ? end + 1 : end;
		}
		a->type = (uint32_t)v[0];
		a->config = v[1];
		a->config1 = v[2];
		a->config2 = v[3];
		a->exclude_kernel = v[4] & 1;
		a->exclude_user = v[4] >> 1 & 1;
		a->precise_ip = v[5] & 3;
		j->n_events++;
		p += *p == ';';
	}
}

static int parse(struct job *j, int argc, char **argv, struct err *err)
{
	if (argc < 2 || !(j->w = workload_find(argv[1])))
		return err_set(err, -EINVAL, "the worker does not know the workload '%s'",
			       argc < 2 ? "" : argv[1]);
	j->env.variant = j->w->variant_default;
	j->env.window = j->w->window_default;
	j->env.row = j->w->row;
	j->share_s = 0.8;
	for (int i = 2; i < argc; i++) {
		char *eq = strchr(argv[i], '=');
		size_t n = eq ? (size_t)(eq - argv[i]) : 0;

		if (n == 7 && !strncmp(argv[i], "variant", n))
			j->env.variant = atoi(eq + 1);
		else if (n == 6 && !strncmp(argv[i], "window", n))
			j->env.window = atoi(eq + 1);
		else if (n == 5 && !strncmp(argv[i], "input", n))
			j->env.input = eq + 1;
		else if (n == 7 && !strncmp(argv[i], "library", n))
			j->env.library = eq + 1;
		else if (n == 4 && !strncmp(argv[i], "flip", n))
			j->env.flip_byte = atoi(eq + 1);
		else if (n == 7 && !strncmp(argv[i], "share_s", n))
			j->share_s = atof(eq + 1);
		else if (n == 5 && !strncmp(argv[i], "probe", n))
			j->probe = atoi(eq + 1);
		else if (n == 5 && !strncmp(argv[i], "model", n))
			j->model = atoi(eq + 1);
		else if (n == 4 && !strncmp(argv[i], "note", n))
			j->note = atoi(eq + 1);
		else if (n == 5 && !strncmp(argv[i], "timer", n))
			j->timer_hz = atoi(eq + 1);
		else if (n == 3 && !strncmp(argv[i], "dir", n))
			j->env.dir = eq + 1;
		else if (n == 6 && !strncmp(argv[i], "cipher", n))
			j->env.cipher = atoi(eq + 1);
		else if (n == 6 && !strncmp(argv[i], "events", n))
			parse_events(j, eq + 1);
		else if (n == 4 && !strncmp(argv[i], "cpus", n))
			j->n_threads = cgroup_cpu_list(eq + 1, j->cpus, MAX_THREADS);
		else
			return err_set(err, -EINVAL, "the worker does not know '%s'", argv[i]);
	}
	if (j->n_threads < 1 || j->n_threads > MAX_THREADS)
		return err_set(err, -EINVAL, "the worker was given no CPUs");
	return 0;
}

int worker_hello(const struct workload_info *info)
{
	struct protocol_hello h = { 0 };

	snprintf(h.input, sizeof(h.input), "%s", info->input);
	snprintf(h.library_path, sizeof(h.library_path), "%s", info->library_path);
	snprintf(h.library_version, sizeof(h.library_version), "%s", info->library_version);
	if (info->library_path[0])
		h.build_id_len = (uint32_t)elf_file_build_id(info->library_path, h.build_id);
	return protocol_say(PROTOCOL_HELLO, &h, sizeof(h));
}

/* Threads exist and are warm: wait for go. False when the parent is gone. */
static bool wait_for_go(struct job *j, struct thread *t, double setup_s)
{
	struct protocol_ready r = {
		.setup_s = setup_s, .warm_up_s = t->warm_up_s, .clock_hz = t->clock_hz,
		.batch_s = j->batch_s, .ops_per_batch = j->ops_per_batch, .flat = t->flat,
	};
	int32_t state[COUNTERS_MAX];
	char go;

	for (int i = 0; i < COUNTERS_MAX; i++)
		state[i] = t->counters.state[i];
	protocol_say(PROTOCOL_COUNTERS, state, sizeof(state));
	return protocol_say(PROTOCOL_READY, &r, sizeof(r)) == 0 && io_read(PROTOCOL_CONTROL_FD, &go, 1) == 1;
}

static int verify_all(struct job *j, struct thread *threads, struct err *err)
{
	for (int i = 0; i < j->n_threads; i++)
		if (j->w->verify(threads[i].state, err) < 0)
			return err->code;
	return 0;
}

static int report_all(struct job *j, struct thread *threads)
{
	int rc = 0;

	for (int i = 0; i < j->n_threads && rc == 0; i++)
		rc = protocol_say(PROTOCOL_BATCHES, threads[i].v, threads[i].n * sizeof(*threads[i].v));
	return rc;
}

/* The most that any thread's library held. */
static int report_memory(struct job *j, struct thread *threads)
{
	uint64_t most = 0;

	for (int i = 0; i < j->n_threads && j->w->memory; i++) {
		uint64_t bytes = j->w->memory(threads[i].state);

		if (bytes > most)
			most = bytes;
	}
	return most ? protocol_say(PROTOCOL_MEMORY, &most, sizeof(most)) : 0;
}

static int report_note(struct job *j, struct thread *t)
{
	char text[512] = "";

	if (j->note && j->w->note)
		j->w->note(t->state, text, sizeof(text));
	return text[0] ? protocol_say(PROTOCOL_NOTE, text, strlen(text)) : 0;
}

/* The samples of our own timers, and where the addresses lie. */
static int report_samples(struct job *j, struct thread *threads, struct err *err)
{
	struct buf maps = BUF_INIT;
	int rc = 0;

	for (int i = 0; i < j->n_threads && rc == 0; i++) {
		const struct protocol_sample *v;
		uint64_t dropped;
		size_t n;

		if (!threads[i].timer) {
			*err = threads[i].err;
			return err->code;
		}
		v = timer_samples(threads[i].timer, &n, &dropped);
		rc = protocol_say(PROTOCOL_SAMPLES, v, n * sizeof(*v));
		timer_free(threads[i].timer);
	}
	buf_printf(&maps, "%d\n", getpid());
	io_read_file("/proc/self/maps", 1 << 22, &maps, NULL);
	if (rc == 0)
		rc = protocol_say(PROTOCOL_MAPS, maps.data, maps.len);
	buf_release(&maps);
	return rc;
}

static int run(struct job *j, uint64_t born_ns, struct err *err)
{
	struct thread *threads = xcalloc((size_t)j->n_threads, sizeof(*threads));
	unsigned n = (unsigned)j->n_threads;
	int rc = 0;
	bool go;

	pthread_barrier_init(&j->warm, NULL, n + 1);
	pthread_barrier_init(&j->start, NULL, n + 1);
	for (int i = 0; i < j->n_threads; i++) {
		threads[i] = (struct thread){ .job = j, .index = i, .schedstat = -1 };
		rc = pthread_create(&threads[i].id, NULL, thread_main, &threads[i]);
		if (rc)		/* those that exist end with the process */
			return err_set(err, -rc, "cannot start %d threads: %s", j->n_threads,
				       strerror(rc));
	}
	pthread_barrier_wait(&j->warm);
	pthread_barrier_wait(&j->warm);
	for (int i = 0; i < j->n_threads && rc == 0; i++)
		if (threads[i].err.code) {
			*err = threads[i].err;
			return err->code;
		}
	go = wait_for_go(j, &threads[0], (double)(clock_ns(CLOCK_MONOTONIC_RAW) - born_ns) * 1e-9);
	if (!go)
		return err_set(err, -EPIPE, "the parent is gone");
	pthread_barrier_wait(&j->start);
	for (int i = 0; i < j->n_threads; i++)
		pthread_join(threads[i].id, NULL);
	protocol_say(PROTOCOL_MEASURED, NULL, 0);
	rc = verify_all(j, threads, err);
	if (rc == 0)
		rc = report_all(j, threads);
	if (rc == 0)
		rc = report_memory(j, threads);
	if (rc == 0 && j->timer_hz)
		rc = report_samples(j, threads, err);
	if (rc == 0)
		rc = report_note(j, &threads[0]);
	for (int i = 0; i < j->n_threads; i++) {
		j->w->thread_end(threads[i].state);
		free(threads[i].v);
		if (threads[i].schedstat >= 0)
			close(threads[i].schedstat);
		counters_close(&threads[i].counters, NULL);
	}
	free(threads);
	return rc;
}

static int serve(struct job *j, struct workload_info *info, uint64_t born_ns, struct err *err)
{
	const struct server_ask ask = {
		.w = j->w, .env = &j->env, .shared = j->shared, .info = info, .cpus = j->cpus, .n = j->n_threads,
		.seconds = j->share_s, .probe = j->probe, .events = j->events,
		.n_events = j->n_events, .born_ns = born_ns,
	};

	return server_run(&ask, err);
}

/* Libraries, input, whatever the threads share. */
static int set_up(struct job *j, char **argv, struct workload_info *info, struct err *err)
{
	struct err why = { 0 };
	int rc;

	if ((j->w->become || j->w->server) && j->model)
		return err_set(err, -ENOPKG, "it runs in a program of its own, which the model tool "
			       "does not follow");
	rc = j->w->become ? j->w->become(&j->env, argv, &why) :
		j->w->setup(&j->env, &j->shared, info, &why);

	if (rc == -ENOPKG)
		return err_set(err, rc, "%.600s; to have it: apt-get install %s", why.msg,
			       j->w->package);
	return rc < 0 ? err_set(err, rc, "%s", why.msg) : 0;
}

int worker_main(int argc, char **argv)
{
	static struct job job;
	struct workload_info info = { 0 };
	struct err err = { 0 };
	uint64_t born_ns = clock_ns(CLOCK_MONOTONIC_RAW);

	/* The parent may die without a word; Ctrl-C is its business. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (parse(&job, argc, argv, &err) < 0)
		return fail(&err);
	if (job.w->server)
		server_prepare();
	if (set_up(&job, argv, &info, &err) < 0)
		return fail(&err);
	if (!job.w->server && worker_hello(&info) < 0)
		return EXIT_FAILED;
	if ((job.w->server ? serve(&job, &info, born_ns, &err) : run(&job, born_ns, &err)) < 0)
		return fail(&err);
	job.w->teardown(job.shared);
	return protocol_say(PROTOCOL_DONE, NULL, 0) < 0 ? EXIT_FAILED : EXIT_OK;
}
