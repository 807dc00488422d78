/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/doctor.h"
#include "src/base/mem.h"
#include "src/base/units.h"
#include "src/perf/event.h"
#include "src/run/share_cache.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CPUS_SHOWN 4

void doctor_needles(struct flight *f, int cpu, double seconds, bool quick,
		    struct needle_check *out)
{
	cpu_set_t old, one;
	const void *data;
	size_t len;

	memset(out, 0, sizeof(*out));
	if (flight_replaying(f)) {
		struct needle_check kept;
		unsigned char ok = 0;

		if (!flight_get(f, "needle check", &data, &len) || len != sizeof(kept)) {
			snprintf(out->reason, sizeof(out->reason), "not in the flight");
			return;
		}
		/* Field by field: a flight's bytes need not be a bool or end in 0. */
		memcpy(&ok, (const char *)data + offsetof(struct needle_check, ok), 1);
		memcpy((char *)&kept + 1, (const char *)data + 1, sizeof(kept) - 1);
		kept.ok = ok == 1 && isfinite(kept.clock_hz) && isfinite(kept.adds_best) &&
			isfinite(kept.adds_per_cycle) && isfinite(kept.adds_low) &&
			isfinite(kept.clock_high_hz) && isfinite(kept.clock_mean_hz);
		kept.reason[sizeof(kept.reason) - 1] = '\0';
		*out = kept;
		return;
	}
	sched_getaffinity(0, sizeof(old), &old);
	if (cpu >= 0) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	if (quick)
		needle_trust(seconds, out);
	else
		needle_check(seconds, out);
	if (cpu >= 0)
		sched_setaffinity(0, sizeof(old), &old);
	flight_put(f, "needle check", out, sizeof(*out));
}

static int try_event(struct flight *f, uint32_t type, uint64_t config, bool sampling,
		     bool kernel)
{
	struct perf_event_attr a = { .type = type, .config = config, .disabled = 1,
				     .exclude_kernel = !kernel, .exclude_hv = !kernel };
	int fd;

	if (sampling) {
		a.freq = 1;
		a.sample_freq = 1000;
		a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
	}
	fd = event_open(f, &a, 0, -1, -1, 0);
	event_close(f, fd);
	return fd < 0 ? fd : 0;
}

const char *doctor_counters_reason(struct flight *f)
{
	struct event_limits limits;
	int rc;

	event_limits_read(f, &limits);
	rc = try_event(f, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, false);
	return rc < 0 ? event_errno_text(rc, &limits) : "";
}

static void machine_lines(struct doctor *d, const struct machine *m)
{
	char line[256], mem[32];
	struct buf caches = BUF_INIT;

	machine_line(m, line, sizeof(line));
	doctor_add(d, "machine", "processor", DOCTOR_INFO, "", "%s", line);
	if (!strncmp(m->vendor, "0x", 2))
		doctor_add(d, "machine", "identity", DOCTOR_INFO, "",
			   "implementer %s, part 0x%03x, r%dp%d", m->vendor, (unsigned)m->model_id,
			   m->family, m->stepping);
	else
		doctor_add(d, "machine", "identity", DOCTOR_INFO, "",
			   "%s family %d model %d stepping %d%s%s", m->vendor, m->family,
			   m->model_id, m->stepping, m->microcode[0] ? ", microcode " : "",
			   m->microcode);
	units_bytes(mem, sizeof(mem), (double)m->mem_kb * 1024);
	doctor_add(d, "machine", "kernel", DOCTOR_INFO, "", "%s %s, %s of memory", m->kernel,
		   m->arch, mem);
	doctor_add(d, "machine", "topology", DOCTOR_INFO, "",
		   "%d of %d CPUs usable, %d thread%s per core%s, %d NUMA node%s", m->n_allowed,
		   m->cpus_online, m->threads_per_core, m->threads_per_core == 1 ? "" : "s",
		   m->hypervisor[0] ? " (so says the hypervisor)" : "", m->numa_nodes,
		   m->numa_nodes == 1 ? "" : "s");
	for (int i = 0; i < m->n_caches; i++) {
		char bytes[32];

		units_bytes(bytes, sizeof(bytes), (double)m->caches[i].bytes);
		buf_printf(&caches, "%sL%d%s %s", i ? ", " : "", m->caches[i].level,
			   m->caches[i].type == 'u' ? "" : m->caches[i].type == 'd' ? "d" : "i",
			   bytes);
	}
	if (caches.len)
		doctor_add(d, "machine", "caches", DOCTOR_INFO, "", "%s", caches.data);
	buf_release(&caches);
	doctor_add(d, "machine", "instruction sets", DOCTOR_INFO, "", "%s",
		   m->extensions[0] ? m->extensions : "none of those looked for");
	doctor_add(d, "machine", "mitigations", DOCTOR_INFO, "", "%s",
		   m->mitigations[0] ? m->mitigations : "none active");
	if (m->governor[0] || m->turbo[0])
		doctor_add(d, "machine", "frequency", DOCTOR_INFO, "", "governor %s, turbo %s",
			   m->governor[0] ? m->governor : "unknown",
			   m->turbo[0] ? m->turbo : "unknown");
	else
		doctor_add(d, "machine", "frequency", DOCTOR_NO, "",
			   "no cpufreq here: governor and turbo cannot be seen");
	if (m->quota_cpus > 0)
		doctor_add(d, "machine", "CPU quota", DOCTOR_PARTLY,
			   "raise the quota of the cgroup", "%.2f CPUs by %s", m->quota_cpus,
			   m->cgroup);
}

static void needle_lines(struct doctor *d, struct flight *f, const struct machine *m)
{
	struct result kept;	/* only for the best of earlier runs */

	result_init(&kept);
	share_cache_load(&kept, f, m);
	for (int i = 0; i < m->n_allowed && i < CPUS_SHOWN; i++) {
		struct needle_check c;
		char name[32];
		double best;

		doctor_needles(f, m->allowed[i], 0.4, false, &c);
		snprintf(name, sizeof(name), "clock, CPU %d", m->allowed[i]);
		if (!c.ok) {
			doctor_add(d, "needles", name, DOCTOR_NO, "run on the hardware itself",
				   "unavailable: %s", c.reason);
			continue;
		}
		if (i == 0)
			d->clock_hz = c.clock_hz;
		doctor_add(d, "needles", name, DOCTOR_YES, "",
			   "%.0f MHz sustained, %.0f on average, up to %.0f", c.clock_hz / 1e6,
			   c.clock_mean_hz / 1e6, c.clock_high_hz / 1e6);
		snprintf(name, sizeof(name), "core share, CPU %d", m->allowed[i]);
		best = fmax(c.adds_best, result_ref(&kept, (uint32_t)m->allowed[i])->adds);
		doctor_add(d, "needles", name, DOCTOR_YES, "",
			   "%.2f adds/cycle at best; a neighbour takes %.0f-%.0f %%", best,
			   100 * (1 - c.adds_per_cycle / best), 100 * (1 - c.adds_low / best));
	}
	result_release(&kept);
}

/* True when it opens. pmu: another hardware event has. */
static bool one_event(struct doctor *d, struct flight *f, const struct event_limits *limits,
		      const char *group, const char *name, uint32_t type, uint64_t config,
		      bool sampling, bool pmu)
{
	int rc = try_event(f, type, config, sampling, true);
	int user = rc < 0 ? try_event(f, type, config, sampling, false) : 0;

	if (rc == 0)
		doctor_add(d, group, name, DOCTOR_YES, "", "user and kernel");
	else if (user == 0)
		doctor_add(d, group, name, DOCTOR_PARTLY,
			   "root, CAP_PERFMON or sysctl kernel.perf_event_paranoid=1",
			   "user code only");
	else if (user == -ENOENT && pmu)
		doctor_add(d, group, name, DOCTOR_NO, "", "the PMU here does not count this");
	else
		doctor_add(d, group, name, DOCTOR_NO,
			   user == -ENOENT && type == PERF_TYPE_HARDWARE ?
			   "a machine or VM type with a PMU (bare metal)" : "", "%s",
			   event_errno_text(user, limits));
	return rc == 0 || user == 0;
}

static void event_lines(struct doctor *d, struct flight *f, const struct machine *m)
{
	static const struct { const char *name; uint64_t config; } hw[] = {
		{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
		{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
		{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
		{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES },
	};
	static const struct { const char *name; uint64_t config; } sw[] = {
		{ "task-clock", PERF_COUNT_SW_TASK_CLOCK },
		{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS },
		{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	};
	struct event_limits limits;
	bool pmu = false;

	event_limits_read(f, &limits);
	for (size_t i = 0; i < ARRAY_SIZE(hw); i++)
		pmu |= one_event(d, f, &limits, "hardware counters", hw[i].name,
				 PERF_TYPE_HARDWARE, hw[i].config, false, pmu);
	if (m->nmi_watchdog == 1)
		doctor_add(d, "hardware counters", "NMI watchdog", DOCTOR_PARTLY,
			   "sysctl kernel.nmi_watchdog=0", "holds one counter");
	for (size_t i = 0; i < ARRAY_SIZE(sw); i++)
		one_event(d, f, &limits, "software counters", sw[i].name, PERF_TYPE_SOFTWARE,
			  sw[i].config, false, false);
	one_event(d, f, &limits, "sampling", "cycles", PERF_TYPE_HARDWARE,
		  PERF_COUNT_HW_CPU_CYCLES, true, false);
	one_event(d, f, &limits, "sampling", "cpu-clock", PERF_TYPE_SOFTWARE,
		  PERF_COUNT_SW_CPU_CLOCK, true, false);
	doctor_add(d, "sampling", "limits", DOCTOR_INFO, "",
		   "perf_event_paranoid %d, at most %d samples/s, %d KiB of locked rings",
		   limits.paranoid, limits.max_rate, limits.mlock_kb);
	/* As kallsyms_show_value() in kernel/ksyms_common.c decides. */
	if (limits.kptr_restrict > (limits.syslog ? 1 : 0))
		doctor_add(d, "sampling", "kernel names", DOCTOR_NO,
			   "sysctl kernel.kptr_restrict=0", "kptr_restrict is %d",
			   limits.kptr_restrict);
	else if (!limits.syslog && limits.paranoid > 1)
		doctor_add(d, "sampling", "kernel names", DOCTOR_NO,
			   "root, CAP_SYSLOG or sysctl kernel.perf_event_paranoid=1",
			   "perf_event_paranoid %d hides the addresses in /proc/kallsyms",
			   limits.paranoid);
	else
		doctor_add(d, "sampling", "kernel names", DOCTOR_YES, "", "/proc/kallsyms");
}

static bool exists(struct flight *f, const char *path)
{
	struct buf b = BUF_INIT;
	bool yes = flight_read_text(f, path, &b) == 0;

	buf_release(&b);
	return yes;
}

static void other_lines(struct doctor *d, struct flight *f)
{
	if (exists(f, "/sys/class/powercap/intel-rapl:0/energy_uj"))
		doctor_add(d, "other", "energy", DOCTOR_YES, "", "powercap, package 0");
	else if (exists(f, "/sys/class/powercap/intel-rapl:0/name"))
		doctor_add(d, "other", "energy", DOCTOR_NO, "root",
			   "powercap is there but only root may read it");
	else
		doctor_add(d, "other", "energy", DOCTOR_NO, "bare metal, or an external meter",
			   "no RAPL here");
	if (exists(f, "/sys/kernel/tracing/available_events"))
		doctor_add(d, "other", "tracepoints", DOCTOR_YES, "", "tracefs is mounted");
	else
		doctor_add(d, "other", "tracepoints", DOCTOR_NO,
			   "mount -t tracefs none /sys/kernel/tracing (root)",
			   "tracefs is not mounted or not readable");
}

void doctor_examine(struct doctor *d, struct flight *f, const struct machine *m)
{
	machine_lines(d, m);
	needle_lines(d, f, m);
	event_lines(d, f, m);
	other_lines(d, f);
}
