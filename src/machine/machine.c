/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/machine/machine.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/machine/cgroup.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

/* The first line of a file into out; "" when it cannot be read. */
static void line_of(struct flight *f, const char *path, char *out, size_t size)
{
	struct buf b = BUF_INIT;

	out[0] = '\0';
	if (flight_read_text(f, path, &b) == 0)
		snprintf(out, size, "%.*s", (int)strcspn(buf_str(&b), "\n"), buf_str(&b));
	buf_release(&b);
}

static int int_of(struct flight *f, const char *path, int missing)
{
	char s[64];

	line_of(f, path, s, sizeof(s));
	return s[0] ? atoi(s) : missing;
}

/* The value of "key : value" in the first block of /proc/cpuinfo. */
static bool cpuinfo(const char *text, const char *key, char *out, size_t size)
{
	size_t n = strlen(key);

	for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		const char *v;

		if (strncmp(p, key, n) || (p[n] != '\t' && p[n] != ' ' && p[n] != ':'))
			continue;
		v = strchr(p, ':');
		if (!v)
			return false;
		v += 1 + strspn(v + 1, " \t");
		snprintf(out, size, "%.*s", (int)strcspn(v, "\n"), v);
		return true;
	}
	return false;
}

static int cpuinfo_int(const char *text, const char *key)
{
	char s[64];

	return cpuinfo(text, key, s, sizeof(s)) ? (int)strtol(s, NULL, 0) : -1;
}

/* Sets that change what a workload runs, in the order people look for them. */
static const char *const wanted_flags[] = {
	"sse4_2", "avx", "avx2", "fma", "bmi2", "adx", "aes", "pclmulqdq", "sha_ni", "vaes",
	"vpclmulqdq", "gfni", "avx512f", "avx512bw", "avx512vl", "avx512ifma", "avx512vbmi",
	"avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "asimd", "pmull", "sha1",
	"sha2", "sha512", "crc32", "atomics", "sve", "sve2", "svesha3",
};

static void read_extensions(struct machine *m, const char *flags)
{
	char *all = xasprintf(" %s ", flags);
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(wanted_flags); i++) {
		char *one = xasprintf(" %s ", wanted_flags[i]);

		if (strstr(all, one))
			buf_printf(&b, "%s%s", b.len ? " " : "", wanted_flags[i]);
		free(one);
	}
	snprintf(m->extensions, sizeof(m->extensions), "%s", buf_str(&b));
	buf_release(&b);
	free(all);
}

static void read_hypervisor(struct machine *m, struct flight *f, const char *flags)
{
	char id[16] = "";

	if (flight_replaying(f)) {
		const void *data;
		size_t len;

		if (flight_get(f, "hypervisor", &data, &len) && len < sizeof(id))
			memcpy(id, data, len);
	} else {
#ifdef __x86_64__
		unsigned a, r[3];

		if (strstr(flags, "hypervisor")) {
			__cpuid(0x40000000, a, r[0], r[1], r[2]);
			memcpy(id, r, 12);
		}
#endif
		flight_put(f, "hypervisor", id, strlen(id));
	}
	if (!strncmp(id, "KVMKVMKVM", 9))
		snprintf(m->hypervisor, sizeof(m->hypervisor), "KVM");
	else if (id[0])
		snprintf(m->hypervisor, sizeof(m->hypervisor), "%s",
			 !strcmp(id, "Microsoft Hv") ? "Hyper-V" :
			 !strcmp(id, "VMwareVMware") ? "VMware" :
			 !strcmp(id, "XenVMMXenVMM") ? "Xen" : id);
	else if (strstr(flags, "hypervisor"))
		snprintf(m->hypervisor, sizeof(m->hypervisor), "unknown hypervisor");
	else
		line_of(f, "/sys/hypervisor/type", m->hypervisor, sizeof(m->hypervisor));
}

static void read_cpuinfo(struct machine *m, struct flight *f)
{
	struct buf b = BUF_INIT;
	char flags[8192] = "", impl[32];
	const char *text, *uarch;

	flight_read_text(f, "/proc/cpuinfo", &b);
	text = buf_str(&b);
	if (cpuinfo(text, "vendor_id", m->vendor, sizeof(m->vendor))) {
		cpuinfo(text, "model name", m->model, sizeof(m->model));
		m->family = cpuinfo_int(text, "cpu family");
		m->model_id = cpuinfo_int(text, "model");
		m->stepping = cpuinfo_int(text, "stepping");
		cpuinfo(text, "microcode", m->microcode, sizeof(m->microcode));
		cpuinfo(text, "flags", flags, sizeof(flags));
	} else if (cpuinfo(text, "CPU implementer", impl, sizeof(impl))) {
		snprintf(m->vendor, sizeof(m->vendor), "%s", impl);
		m->model_id = cpuinfo_int(text, "CPU part");
		m->family = cpuinfo_int(text, "CPU variant");
		m->stepping = cpuinfo_int(text, "CPU revision");
		cpuinfo(text, "Features", flags, sizeof(flags));
	}
	buf_release(&b);
	uarch = machine_uarch(m->vendor, m->family, m->model_id, m->stepping);
	snprintf(m->uarch, sizeof(m->uarch), "%s", uarch ? uarch : "");
	read_extensions(m, flags);
	read_hypervisor(m, f, flags);
}

static void read_caches(struct machine *m, struct flight *f)
{
	for (int i = 0; i < 8; i++) {
		char path[96], s[256];
		struct machine_cache *c = &m->caches[m->n_caches];
		char *end;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
		c->level = int_of(f, path, 0);
		if (!c->level)
			return;
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
		line_of(f, path, s, sizeof(s));
		c->type = s[0] == 'D' ? 'd' : s[0] == 'I' ? 'i' : 'u';
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
		line_of(f, path, s, sizeof(s));
		c->bytes = strtoull(s, &end, 10);
		c->bytes <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
		if (!c->bytes)		/* arm64 without a description from the firmware */
			continue;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu0/cache/index%d/shared_cpu_list", i);
		line_of(f, path, s, sizeof(s));
		c->shared_by = cgroup_cpu_list(s, NULL, 0);
		m->n_caches++;
	}
}

static void read_mask(struct machine *m, struct flight *f)
{
	const void *data;
	size_t len;
	cpu_set_t set;

	if (flight_replaying(f)) {
		if (flight_get(f, "affinity", &data, &len) && len <= sizeof(m->allowed)) {
			for (size_t i = 0; i < len / sizeof(int); i++) {
				int cpu;

				memcpy(&cpu, (const char *)data + i * sizeof(cpu), sizeof(cpu));
				if (cpu >= 0 && cpu < MACHINE_MAX_CPUS)
					m->allowed[m->n_allowed++] = cpu;
			}
		}
		return;
	}
	CPU_ZERO(&set);
	/* The kernel has taken the cpuset of the cgroup (v1 or v2) out already. */
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		for (int c = 0; c < MACHINE_MAX_CPUS; c++)
			if (CPU_ISSET(c, &set))
				m->allowed[m->n_allowed++] = c;
	flight_put(f, "affinity", m->allowed, (size_t)m->n_allowed * sizeof(int));
}

static void read_topology(struct machine *m, struct flight *f)
{
	char s[1024], path[96];

	line_of(f, "/sys/devices/system/cpu/online", s, sizeof(s));
	m->cpus_online = cgroup_cpu_list(s, NULL, 0);
	line_of(f, "/sys/devices/system/cpu/possible", s, sizeof(s));
	m->cpus_available = cgroup_cpu_list(s, NULL, 0);
	line_of(f, "/sys/devices/system/node/online", s, sizeof(s));
	m->numa_nodes = cgroup_cpu_list(s, NULL, 0);
	read_mask(m, f);
	if (!m->cpus_online)
		m->cpus_online = m->n_allowed;
	for (int i = 0; i < MACHINE_MAX_CPUS; i++)
		m->sibling_of[i] = -1;
	for (int i = 0; i < m->n_allowed; i++) {
		int sib[64], n;

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
			 m->allowed[i]);
		line_of(f, path, s, sizeof(s));
		n = cgroup_cpu_list(s, sib, 64);
		if (n > m->threads_per_core)
			m->threads_per_core = n;
		for (int k = 0; k < n && k < 64; k++)
			if (sib[k] != m->allowed[i])
				m->sibling_of[m->allowed[i]] = sib[k];
	}
	if (!m->threads_per_core)
		m->threads_per_core = 1;
}

static void read_list(struct flight *f, const char *path, int *of, int value)
{
	char s[4096];
	int cpus[MACHINE_MAX_CPUS], n;

	line_of(f, path, s, sizeof(s));
	n = cgroup_cpu_list(s, cpus, MACHINE_MAX_CPUS);
	for (int i = 0; i < n && i < MACHINE_MAX_CPUS; i++)
		if (cpus[i] < MACHINE_MAX_CPUS)
			of[cpus[i]] = value;
}

static void read_places(struct machine *m, struct flight *f)
{
	for (int i = 0; i < MACHINE_MAX_CPUS; i++)
		m->node_of[i] = -1;
	for (int node = 0; node < m->numa_nodes && node < 64; node++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
		read_list(f, path, m->node_of, node);
	}
	read_list(f, "/sys/devices/cpu_core/cpus", m->type_of, 1);
	read_list(f, "/sys/devices/cpu_atom/cpus", m->type_of, 2);
}

int machine_choose_cpus(const struct machine *m, int n, int *out)
{
	int got = 0;

	for (int pass = 0; pass < 4; pass++)
		for (int i = m->n_allowed - 1; i >= 0 && got < n; i--) {
			int cpu = m->allowed[i], sib = m->sibling_of[cpu];
			bool second = sib >= 0 && sib > cpu, small = m->type_of[cpu] == 2;

			if (pass == 2 * small + second)
				out[got++] = cpu;
		}
	return got;
}

void machine_placement(const struct machine *m, const int *cpus, int n, char *out, size_t size)
{
	struct buf b = BUF_INIT;
	int siblings = 0, small = 0, first_node = n ? m->node_of[cpus[0]] : -1;
	bool one_node = true;

	buf_printf(&b, "CPU%s ", n == 1 ? "" : "s");
	for (int i = 0; i < n; i++) {
		int sib = m->sibling_of[cpus[i]];

		buf_printf(&b, "%s%d", i ? "," : "", cpus[i]);
		small += m->type_of[cpus[i]] == 2;
		one_node &= m->node_of[cpus[i]] == first_node;
		for (int k = 0; k < i; k++)
			siblings += cpus[k] == sib;
	}
	if (siblings)
		buf_printf(&b, "; %d threads on %d core%s", n, n - siblings,
			   n - siblings == 1 ? "" : "s");
	if (m->numa_nodes > 1)
		buf_printf(&b, one_node ? "; NUMA node %d, memory of that node first" :
			   "; several NUMA nodes, memory of each thread's own first", first_node);
	if (small)
		buf_printf(&b, "; %d efficiency cores among them", small);
	snprintf(out, size, "%s", buf_str(&b));
	buf_release(&b);
}

static void read_clock(struct machine *m, struct flight *f)
{
	char s[64];

	line_of(f, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", m->governor,
		sizeof(m->governor));
	m->rated_mhz = int_of(f, "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", 0) / 1e3;
	m->max_mhz = int_of(f, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", 0) / 1e3;
	line_of(f, "/sys/devices/system/cpu/intel_pstate/no_turbo", s, sizeof(s));
	if (s[0])
		snprintf(m->turbo, sizeof(m->turbo), "%s", s[0] == '1' ? "off" : "on");
	line_of(f, "/sys/devices/system/cpu/cpufreq/boost", s, sizeof(s));
	if (s[0])
		snprintf(m->turbo, sizeof(m->turbo), "%s", s[0] == '0' ? "off" : "on");
}

static void read_mitigations(struct machine *m, struct flight *f)
{
	static const char *const names[] = {
		"meltdown", "spectre_v1", "spectre_v2", "spec_store_bypass", "l1tf", "mds",
		"retbleed", "gather_data_sampling", "srso", "indirect_target_selection",
	};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[96], s[128];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/vulnerabilities/%s", names[i]);
		line_of(f, path, s, sizeof(s));
		if (!strncmp(s, "Mitigation", 10))
			buf_printf(&b, "%s%s", b.len ? " " : "", names[i]);
	}
	snprintf(m->mitigations, sizeof(m->mitigations), "%s", buf_str(&b));
	buf_release(&b);
}

static void read_memory(struct machine *m, struct flight *f)
{
	struct buf b = BUF_INIT;
	const char *p;

	flight_read_text(f, "/proc/meminfo", &b);
	p = strstr(buf_str(&b), "MemTotal:");
	m->mem_kb = p ? strtoull(p + 9, NULL, 10) : 0;
	buf_release(&b);
}

static void read_uname(struct machine *m, struct flight *f)
{
	struct utsname u;
	const void *data;
	size_t len;

	memset(&u, 0, sizeof(u));
	if (flight_replaying(f)) {
		if (flight_get(f, "uname", &data, &len) && len == sizeof(u))
			memcpy(&u, data, sizeof(u));
	} else {
		uname(&u);
		flight_put(f, "uname", &u, sizeof(u));
	}
	snprintf(m->arch, sizeof(m->arch), "%.15s", u.machine);
	snprintf(m->kernel, sizeof(m->kernel), "%.95s", u.release);
	snprintf(m->hostname, sizeof(m->hostname), "%.95s", u.nodename);
}

void machine_read(struct machine *m, struct flight *f)
{
	memset(m, 0, sizeof(*m));
	read_uname(m, f);
	read_cpuinfo(m, f);
	read_topology(m, f);
	read_places(m, f);
	read_caches(m, f);
	read_clock(m, f);
	read_mitigations(m, f);
	read_memory(m, f);
	m->nmi_watchdog = int_of(f, "/proc/sys/kernel/nmi_watchdog", -1);
	m->quota_cpus = cgroup_quota(f, m->cgroup, sizeof(m->cgroup));
}

uint64_t machine_last_cache(const struct machine *m)
{
	const struct machine_cache *last = NULL;

	for (int i = 0; i < m->n_caches; i++)
		if (m->caches[i].type != 'i' && (!last || m->caches[i].level > last->level))
			last = &m->caches[i];
	return last ? last->bytes : 0;
}

void machine_line(const struct machine *m, char *out, size_t size)
{
	char name[128];
	size_t n = 0;

	/* "Intel(R) Xeon(R) Processor" -> "Intel Xeon"; the rest says nothing. */
	for (const char *p = m->model; *p && n + 1 < sizeof(name); p++) {
		if (!strncmp(p, "(R)", 3) || !strncmp(p, "(TM)", 4)) {
			p = strchr(p, ')');
			continue;
		}
		name[n++] = *p;
	}
	name[n] = '\0';
	if (n > 10 && !strcmp(name + n - 10, " Processor"))
		name[n - 10] = '\0';
	snprintf(out, size, "%s%s%s%s, %d CPU%s%s%s", name[0] ? name : m->uarch[0] ? "" : m->arch,
		 m->uarch[0] && name[0] ? " (" : "", m->uarch, m->uarch[0] && name[0] ? ")" : "",
		 m->cpus_online, m->cpus_online == 1 ? "" : "s",
		 m->hypervisor[0] ? ", " : "", m->hypervisor);
	if (m->hypervisor[0]) {
		size_t len = strlen(out);

		snprintf(out + len, size - len, " guest");
	}
}

int64_t machine_asleep_ns(struct flight *f)
{
	struct timespec boot, mono;
	int64_t ns;

	if (flight_replaying(f))
		return flight_get_i64(f, "asleep");
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	ns = (int64_t)(boot.tv_sec - mono.tv_sec) * 1000000000 + (boot.tv_nsec - mono.tv_nsec);
	/* Two clocks cannot be read at once: below a millisecond is nothing. */
	ns -= ns % 1000000;
	flight_put_i64(f, "asleep", ns);
	return ns;
}

double machine_tick_s(void)
{
	return 1.0 / (double)sysconf(_SC_CLK_TCK);
}

int machine_times(struct flight *f, const int *cpus, int n, struct machine_times *t)
{
	struct buf b = BUF_INIT;
	int rc = flight_read_text(f, "/proc/stat", &b);

	memset(t, 0, sizeof(*t));
	for (int i = 0; i < n && rc == 0; i++) {
		char key[24];
		unsigned long long v[8] = { 0 };
		const char *p;

		snprintf(key, sizeof(key), "cpu%d ", cpus[i]);
		p = strstr(buf_str(&b), key);
		if (!p || sscanf(p + strlen(key), "%llu %llu %llu %llu %llu %llu %llu %llu",
				 &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 4)
			continue;
		t->user += v[0] + v[1];
		t->system += v[2];
		t->idle += v[3] + v[4];
		t->irq += v[5] + v[6];
		t->steal += v[7];
	}
	t->total = t->user + t->system + t->idle + t->irq + t->steal;
	buf_release(&b);
	return rc;
}
