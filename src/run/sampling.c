/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/sampling.h"
#include "src/run/parts.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/run/build_ids.h"
#include "src/symbol/insn.h"
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
static const struct sampling_step steps[] = {
	{ 3, false }, { 2, false }, { 1, false }, { 0, false }, { 2, true }, { 0, true },
};

/* What stands for time. */
static const struct sampling_event time_events[] = {
	{ .name = "cycles", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
	  .precise = 3 },
	{ .name = "cpu-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
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

void sampling_attr(struct perf_event_attr *a, const struct sampling_event *ev,
		   const struct sampling_step *step, bool stack, bool from_exec, int rate_hz)
{
	common_attr(a, from_exec);
	a->type = ev->type;
	a->config = ev->config;
	a->config1 = ev->config1;
	a->config2 = ev->config2;
	a->precise_ip = step->precise & 3;
	a->exclude_kernel = a->exclude_hv = step->user_only;
	a->freq = 1;
	a->sample_freq = (uint64_t)rate_hz;
	if (stack) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	}
}

/* "cycles:P", "branch-misses:ppu" */
static void name_event(char *out, size_t size, const struct sampling_event *ev,
		       const struct sampling_step *step)
{
	static const char *const precise[] = { "", "p", "pp", "P" };
	const char *p = precise[step->precise & 3], *u = step->user_only ? "u" : "";

	snprintf(out, size, "%.30s%s%s%s", ev->name, *p || *u ? ":" : "", p, u);
}

bool sampling_of_cause(struct sampling_event *ev, const struct pmu_table *t,
		       const struct pmu_cause *cause)
{
	const struct pmu_event *e = pmu_table_event(t, cause->sample);

	if (!e)
		return false;
	*ev = (struct sampling_event){ .name = e->role, .type = e->type, .config = e->code,
				       .precise = e->precise, .stack = cause->stack };
	return true;
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

/* The errors of the plain forms of an event. */
struct refusals { int plain, user_only; };

static bool worth_the_next_step(int rc)
{
	return rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV || rc == -EINVAL ||
		rc == -EACCES || rc == -EPERM;
}

static int open_recorder(struct sampling *s, pid_t pid, const struct sampling_event *ev,
			 const struct sampling_step *step, bool stack, const struct sampling_how *how,
			 int *which, struct err *err)
{
	struct recorder_event events[2] = { { .name = s->event } };

	name_event(s->event, sizeof(s->event), ev, step);
	sampling_attr(&events[0].attr, ev, step, stack, how->from_exec, s->rate_hz);
	tracking_attr(&events[1]);
	return recorder_open(&s->rec, s->flight, events, 2, pid, s->machine->allowed,
			     (size_t)s->machine->n_allowed, RING_PAGES, how->path, which, err);
}

/* One event through its steps. *which: what did not open last, 0 the event itself. */
static int open_event(struct sampling *s, pid_t pid, const struct sampling_event *ev,
		      const struct sampling_how *how, struct refusals *no, int *which,
		      struct err *err)
{
	bool stack = ev->stack;
	int rc = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		/* Others than x86 take precise_ip and do not look at it. */
		if (steps[i].precise > ev->precise ||
		    (steps[i].precise && strcmp(s->machine->arch, "x86_64")))
			continue;
		rc = open_recorder(s, pid, ev, &steps[i], stack, how, which, err);
		if (rc < 0 && stack && *which == 0 && worth_the_next_step(rc)) {
			int refused = rc;

			rc = open_recorder(s, pid, ev, &steps[i], false, how, which, err);
			if (rc == 0)
				no->plain = refused;
			stack = rc < 0;
		}
		if (rc == 0) {
			s->stack = stack;
			if (steps[i].precise < ev->precise && ev->precise < 3 &&
			    !strcmp(s->machine->arch, "x86_64"))
				add_reason(s, "%s: precise level %u instead of %u", ev->name,
					   steps[i].precise, ev->precise);
			if (ev->stack && !stack)
				add_reason(s, "%s: no branch stacks here", ev->name);
			return steps[i].user_only;
		}
		if (steps[i].precise == 0 && *which == 0)
			*(steps[i].user_only ? &no->user_only : &no->plain) = rc;
		if (*which != 0 || !worth_the_next_step(rc))
			break;
	}
	return rc;
}

/* Counts that each thread leaves behind when it ends. What does not open is left
 * out: the repetitions that counted it have said why. */
static int open_counts(struct sampling *s, pid_t pid, const struct sampling_how *how,
		       const struct event_limits *limits, struct err *err)
{
	int rc, which;

	s->n_counts = how->n_counts < SAMPLING_COUNTS ? how->n_counts : SAMPLING_COUNTS;
	for (size_t i = 0; i < s->n_counts; i++)
		s->counts[i] = &how->counts[i];
	do {
		struct recorder_event events[1 + SAMPLING_COUNTS];

		tracking_attr(&events[0]);
		for (size_t i = 0; i < s->n_counts; i++) {
			struct perf_event_attr *a = &events[i + 1].attr;

			common_attr(a, true);
			a->type = s->counts[i]->attr.type;
			a->config = s->counts[i]->attr.config;
			a->exclude_kernel = limits->paranoid >= 2 && !limits->capable;
			a->inherit_stat = 1;
			a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
			events[i + 1].name = s->counts[i]->name;
		}
		rc = recorder_open(&s->rec, s->flight, events, 1 + s->n_counts, pid,
				   s->machine->allowed, (size_t)s->machine->n_allowed, RING_PAGES,
				   how->path, &which, err);
		if (rc < 0 && which > 0) {
			for (size_t i = (size_t)which; i < s->n_counts; i++)
				s->counts[i - 1] = s->counts[i];
			s->n_counts--;
		}
	} while (rc < 0 && which > 0 && s->n_counts);
	s->open = rc == 0;
	s->closed = rc < 0;
	return rc;
}

int sampling_open(struct sampling *s, struct flight *f, const struct machine *m, pid_t pid,
		  const struct sampling_how *how, struct err *err)
{
	const struct sampling_event *ev = how->event ? how->event : time_events;
	size_t n = how->event ? 1 : ARRAY_SIZE(time_events);
	struct refusals no[ARRAY_SIZE(time_events)] = { { 0 } };
	struct event_limits limits;
	struct err why = { 0 };
	int rc = -ENOENT, which = 0;

	memset(s, 0, sizeof(*s));
	s->flight = f;
	s->machine = m;
	s->path = xstrdup(how->path);
	event_limits_read(f, &limits);
	if (how->counts) {
		rc = open_counts(s, pid, how, &limits, &why);
		if (rc < 0) {
			sampling_release(s);
			if (err)
				*err = why;
		}
		return rc;
	}
	s->rate_hz = limits.max_rate && how->rate_hz > limits.max_rate ? limits.max_rate :
		how->rate_hz;
	if (s->rate_hz < how->rate_hz)
		add_reason(s, "rate lowered from %d to %d Hz by perf_event_max_sample_rate",
			   how->rate_hz, s->rate_hz);
	for (size_t i = 0; i < n; i++) {
		rc = open_event(s, pid, &ev[i], how, &no[i], &which, &why);
		if (rc >= 0) {
			s->open = true;
			/* Cycles are not sampled for what the least form of them
			 * failed with: the one with kernel code may have been denied
			 * before anybody looked for a PMU. */
			if (i)
				add_reason(s, "%s not sampled: %s", ev[0].name,
					   event_errno_text(no[0].user_only, &limits));
			if (rc > 0)
				add_reason(s, "kernel code not sampled: %s",
					   event_errno_text(no[i].plain, &limits));
			if (s->rec.pages < RING_PAGES)
				add_reason(s, "rings of %u pages instead of %d: locked memory",
					   s->rec.pages, RING_PAGES);
			add_kernel_map(s);
			return 0;
		}
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
	for (size_t i = 0; i < s->n_counts; i++)
		recorder_read(&s->rec, i + 1, s->totals[i]);
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

void sampling_copy_event(const struct profile_event *e, struct result_profile *out)
{
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
			xstrdup(e->functions[i].note), xstrdup(e->functions[i].code),
			e->functions[i].share,
			e->functions[i].error, e->functions[i].samples };
	for (int c = 0; c < PROFILE_CLASSES; c++) {
		struct result_share *k = &out->classes[out->n_classes];

		if (e->class_share[c] <= 0 || 1 << c > INSN_LAST)
			continue;
		snprintf(k->name, sizeof(k->name), "%s", insn_class_name((enum insn_class)(1 << c)));
		k->share = e->class_share[c];
		out->n_classes++;
	}
	out->insns = xcalloc(e->n_insns, sizeof(*out->insns));
	for (size_t i = 0; i < e->n_insns; i++)
		if (e->insns[i].function < e->n_ranked)
			out->insns[out->n_insns++] = (struct result_insn){
				e->insns[i].function, e->insns[i].addr, e->insns[i].share,
				xstrdup(e->insns[i].text), xstrdup(e->insns[i].place) };
}

void sampling_copy_profile(const struct profile *p, struct result_profile *out)
{
	const struct profile_event *e = profile_main(p);

	out->lost = p->lost;
	out->throttled = p->throttled;
	if (!e)
		return;
	sampling_copy_event(e, out);
	parts_of_profile(p, e, out);
	out->branches = xcalloc(p->n_branches, sizeof(*out->branches));
	for (size_t i = 0; i < p->n_branches; i++) {
		const struct profile_branch *b = &p->branches[i];

		out->branches[out->n_branches++] = (struct result_branch){
			xstrdup(b->function), xstrdup(b->dso), xstrdup(b->text), b->addr,
			b->taken, b->missed, b->share };
	}
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
		.entries = true, .branches = true, .insns = true, .hostname = m->hostname,
		.release = m->kernel, .flight = f,
	};
	struct profile p;

	if (profile_read(&p, path, &o, err) < 0)
		return err->code;
	sampling_copy_profile(&p, out);
	profile_release(&p);
	return 0;
}
