/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/sampling.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/run/build_ids.h"
#include "src/symbol/symtab.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RING_PAGES 128		/* 512 KiB a CPU, as perf record */
#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
		     PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
		     PERF_SAMPLE_CALLCHAIN)

/* From the best to what opens nearly everywhere. Each step that fails is said. */
static const struct {
	uint32_t type;
	uint64_t config;
	unsigned precise;
	bool user_only;
	const char *name;
} ladder[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 3, false, "cycles:P" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2, false, "cycles:pp" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, false, "cycles:p" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, false, "cycles" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2, true, "cycles:ppu" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, true, "cycles:u" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, false, "cpu-clock" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, true, "cpu-clock:u" },
};

static void common_attr(struct perf_event_attr *a, bool from_exec)
{
	memset(a, 0, sizeof(*a));
	a->size = sizeof(*a);
	a->sample_type = SAMPLE_TYPE;
	a->sample_id_all = 1;
	a->disabled = 1;
	a->inherit = 1;
	a->enable_on_exec = from_exec;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC_RAW;
	a->watermark = 1;
	a->wakeup_watermark = RING_PAGES * 4096 / 2;
}

static void sampled_attr(struct recorder_event *e, size_t step, int rate_hz, bool from_exec)
{
	common_attr(&e->attr, from_exec);
	e->attr.type = ladder[step].type;
	e->attr.config = ladder[step].config;
	e->attr.precise_ip = ladder[step].precise & 3;
	e->attr.exclude_kernel = ladder[step].user_only;
	e->attr.exclude_hv = ladder[step].user_only;
	e->attr.freq = 1;
	e->attr.sample_freq = (uint64_t)rate_hz;
	e->name = ladder[step].name;
}

/* Maps, names and forks, from the exec on whether or not it is sampled. */
static void tracking_attr(struct recorder_event *e)
{
	common_attr(&e->attr, true);
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->attr.sample_period = 1;
	e->attr.exclude_kernel = 1;
	e->attr.mmap = e->attr.mmap2 = e->attr.comm = e->attr.comm_exec = e->attr.task = 1;
	e->name = "dummy:u";
}

/* The kernel's own map, so that its addresses have somewhere to lie. */
static void add_kernel_map(struct sampling *s)
{
	struct buf b = BUF_INIT;
	struct symtab t = { 0 };
	/* Of a replay only the address is asked for. */
	struct symtab_anchor text = { 0, "_text" };
	char name[32];

	if (flight_replaying(s->flight)) {
		text.start = (uint64_t)flight_get_i64(s->flight, "kernel text");
	} else {
		if (io_read_file("/proc/kallsyms", (size_t)256 << 20, &b, NULL) == 0)
			symtab_kallsyms(&t, b.data, b.len, &text);
		symtab_release(&t);
		buf_clear(&b);
		flight_put_i64(s->flight, "kernel text", (int64_t)text.start);
	}
	if (text.start) {
		snprintf(name, sizeof(name), "[kernel.kallsyms]%s", text.name);
		writer_mmap2(&b, (uint32_t)-1, text.start, UINT64_MAX - text.start, text.start,
			     0, name, 40, PERF_RECORD_MISC_KERNEL);
		recorder_add(&s->rec, b.data, b.len);
	}
	buf_release(&b);
}

/* One more thing that is less than asked for. */
static void __attribute__((format(printf, 2, 3)))
add_reason(struct sampling *s, const char *fmt, ...)
{
	size_t n = strlen(s->reason);
	va_list ap;

	if (n)
		n += (size_t)snprintf(s->reason + n, sizeof(s->reason) - n, "; ");
	va_start(ap, fmt);
	if (n < sizeof(s->reason))
		vsnprintf(s->reason + n, sizeof(s->reason) - n, fmt, ap);
	va_end(ap);
}

/* Why cycles are not sampled is what the least form of them failed with: the
 * one with kernel code may have been denied before anybody looked for a PMU. */
static void say_what_is_less(struct sampling *s, size_t step, const int hw[2], const int sw[2],
			     const struct event_limits *limits)
{
	bool software = ladder[step].type == PERF_TYPE_SOFTWARE;

	if (software)
		add_reason(s, "cycles not sampled: %s", event_errno_text(hw[1], limits));
	if (ladder[step].user_only)
		add_reason(s, "kernel code not sampled: %s",
			   event_errno_text(software ? sw[0] : hw[0], limits));
}

static bool worth_the_next_step(int rc)
{
	return rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV || rc == -EINVAL ||
		rc == -EACCES || rc == -EPERM;
}

int sampling_open(struct sampling *s, struct flight *f, const struct machine *m, pid_t pid,
		  int rate_hz, bool from_exec, const char *path, struct err *err)
{
	struct recorder_event ev[2];
	struct event_limits limits;
	struct err why = { 0 };
	/* The errors of the plain forms: user code only [1], kernel too [0]. */
	int hw[2] = { 0 }, sw[2] = { 0 }, rc = -ENOENT, which;

	memset(s, 0, sizeof(*s));
	s->flight = f;
	s->machine = m;
	s->path = xstrdup(path);
	event_limits_read(f, &limits);
	if (limits.max_rate && rate_hz > limits.max_rate)
		add_reason(s, "rate lowered from %d to %d Hz by perf_event_max_sample_rate",
			   rate_hz, limits.max_rate);
	s->rate_hz = limits.max_rate && rate_hz > limits.max_rate ? limits.max_rate : rate_hz;
	for (size_t i = 0; i < ARRAY_SIZE(ladder); i++) {
		/* Others take precise_ip and do not look at it. */
		if (ladder[i].precise && strcmp(m->arch, "x86_64"))
			continue;
		sampled_attr(&ev[0], i, s->rate_hz, from_exec);
		tracking_attr(&ev[1]);
		rc = recorder_open(&s->rec, f, ev, 2, pid, m->allowed, (size_t)m->n_allowed,
				   RING_PAGES, path, &which, &why);
		if (rc == 0) {
			s->event = ladder[i].name;
			s->open = true;
			say_what_is_less(s, i, hw, sw, &limits);
			if (s->rec.pages < RING_PAGES)
				add_reason(s, "rings of %u pages instead of %d: locked memory",
					   s->rec.pages, RING_PAGES);
			add_kernel_map(s);
			return 0;
		}
		if (ladder[i].precise == 0 && which == 0)
			(ladder[i].type == PERF_TYPE_HARDWARE ? hw : sw)[ladder[i].user_only] = rc;
		if (which != 0 || !worth_the_next_step(rc))
			break;
	}
	sampling_release(s);
	s->closed = which >= 0 && (worth_the_next_step(rc) || rc == -ENOSYS);
	if (err)
		*err = why;
	return rc;
}

void sampling_enable(struct sampling *s, bool on)
{
	recorder_enable(&s->rec, 0, on);
}

int sampling_poll(struct sampling *s, int fd, int timeout_ms)
{
	return recorder_poll(&s->rec, fd, timeout_ms);
}

int sampling_finish(struct sampling *s, char *const *argv, struct err *err)
{
	struct build_ids ids = { 0 };
	struct writer_info info;
	int rc;

	recorder_poll(&s->rec, -1, 0);
	build_ids_collect(&ids, s->flight, s->path, &s->rec.writer, SAMPLE_TYPE);
	build_ids_info(&ids, s->machine, argv, &info);
	rc = recorder_finish(&s->rec, &info, err);
	s->open = false;
	build_ids_release(&ids);
	return rc < 0 ? err_prefix(err, "'%s'", s->path) : 0;
}

void sampling_release(struct sampling *s)
{
	if (s->open)
		recorder_release(&s->rec);
	s->open = false;
	free(s->path);
	s->path = NULL;
}

void sampling_copy_profile(const struct profile *p, struct result_profile *out)
{
	const struct profile_event *e = profile_main(p);

	out->lost = p->lost;
	out->throttled = p->throttled;
	if (!e)
		return;
	if (!out->event)
		out->event = xstrdup(e->name);
	out->samples = e->samples;
	out->unknown_share = e->unknown_share;
	out->kernel_share = e->kernel_share;
	out->n_functions = e->n_ranked;
	out->n_more = e->n_functions - e->n_ranked;
	out->functions = xcalloc(e->n_ranked, sizeof(*out->functions));
	for (size_t i = 0; i < e->n_ranked; i++)
		out->functions[i] = (struct result_function){
			xstrdup(e->functions[i].name), xstrdup(e->functions[i].dso),
			xstrdup(e->functions[i].note), e->functions[i].share,
			e->functions[i].error, e->functions[i].samples };
	out->insns = xcalloc(e->n_insns, sizeof(*out->insns));
	for (size_t i = 0; i < e->n_insns; i++)
		if (e->insns[i].function < e->n_ranked)
			out->insns[out->n_insns++] = (struct result_insn){
				e->insns[i].function, e->insns[i].addr, e->insns[i].share,
				xstrdup(e->insns[i].text) };
	for (int i = 0; p->has_entries && i < PROFILE_ENTRIES; i++) {
		struct result_entry *entry = &out->entries[out->n_entries];

		if (p->entry_share[i] <= 0)
			continue;
		snprintf(entry->name, sizeof(entry->name), "%s",
			 profile_entry_name((enum profile_entry)i));
		snprintf(entry->place, sizeof(entry->place), "%.63s", p->entry_name[i]);
		entry->share = p->entry_share[i];
		out->n_entries++;
	}
}

int sampling_profile(const char *path, struct flight *f, const struct machine *m,
		     struct result_profile *out, struct err *err)
{
	const struct profile_options o = {
		.entries = true, .insns = true, .hostname = m->hostname,
		.release = m->kernel, .flight = f,
	};
	struct profile p;

	if (profile_read(&p, path, &o, err) < 0)
		return err->code;
	sampling_copy_profile(&p, out);
	profile_release(&p);
	return 0;
}
