/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/request.h"
#include "pmu/libpfm.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/base/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; uint32_t type; uint64_t config; } plain[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
};

/* Spreads value over "config:0-7,32-35" or the like. */
static int put_bits(struct perf_event_attr *a, const char *format, uint64_t value)
{
	uint64_t *to = !strncmp(format, "config:", 7) ? (uint64_t *)&a->config :
		!strncmp(format, "config1:", 8) ? (uint64_t *)&a->config1 :
		!strncmp(format, "config2:", 8) ? (uint64_t *)&a->config2 : NULL;
	const char *p = strchr(format, ':');

	if (!to || !p)
		return -EINVAL;
	for (p++; *p >= '0' && *p <= '9';) {
		char *end;
		unsigned long low = strtoul(p, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		for (; low <= high && low < 64; low++, value >>= 1)
			*to = (*to & ~(1ull << low)) | (value & 1) << low;
		p = *end == ',' ? end + 1 : end;
	}
	return value ? -ERANGE : 0;
}

static int sysfs_text(struct flight *f, struct buf *b, const char *pmu, const char *rest,
		      const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%.64s/%s%.64s", pmu, rest, name);
	buf_clear(b);
	return flight_read_text(f, path, b);
}

static int put_format(struct perf_event_attr *a, const char *pmu, const char *term,
		      const char *format, uint64_t value, struct err *err)
{
	int rc = put_bits(a, format, value);

	return rc == -ERANGE ? err_set(err, rc, "kernel PMU %s: the value of '%s' is too large", pmu,
				       term) :
		rc < 0 ? err_set(err, rc, "kernel PMU %s: odd format of '%s'", pmu, term) : 0;
}

/* "event=0xc5,umask=1" or a name of the PMU's events folder. */
static int put_terms(struct perf_event_attr *a, struct flight *f, const char *pmu,
		     const char *terms, int depth, struct err *err)
{
	char *copy = xstrdup(terms), *save = NULL;
	struct buf b = BUF_INIT;
	int rc = 0;

	for (char *p = strtok_r(copy, ",\n", &save); p && rc == 0; p = strtok_r(NULL, ",\n", &save)) {
		char *eq = strchr(p, '='), *end;
		uint64_t value = 1;

		errno = 0;
		if (eq)
			value = strtoull(eq + 1, &end, 0);
		if (eq && (end == eq + 1 || *end || errno)) {
			rc = err_set(err, -EINVAL, "kernel PMU %s: '%s' is no number", pmu, eq + 1);
			break;
		}
		if (eq)
			*eq = '\0';
		if (!strcmp(p, "config") && eq)
			a->config = value;
		else if (sysfs_text(f, &b, pmu, "format/", p) == 0)
			rc = put_format(a, pmu, p, buf_str(&b), value, err);
		else if (depth == 0 && !eq && sysfs_text(f, &b, pmu, "events/", p) == 0)
			rc = put_terms(a, f, pmu, buf_str(&b), 1, err);
		else
			rc = err_set(err, -ENOENT, "kernel PMU %s has no '%s'", pmu, p);
	}
	buf_release(&b);
	free(copy);
	return rc;
}

static int kernel_pmu(struct pmu_request *q, const char *text, struct flight *f, struct err *err)
{
	const char *slash = strchr(text, '/'), *end = strrchr(text, '/');
	char pmu[64], terms[256];
	struct buf b = BUF_INIT;
	int rc;

	if (!slash || end == slash || end[1])
		return err_set(err, -EINVAL, "'%s': want PMU/TERM=VALUE,.../", text);
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - text), text);
	snprintf(terms, sizeof(terms), "%.*s", (int)(end - slash - 1), slash + 1);
	if (strchr(pmu, '.') || strchr(terms, '/'))
		return err_set(err, -EINVAL, "'%s' is no kernel PMU event", text);
	rc = sysfs_text(f, &b, pmu, "type", "");
	if (rc < 0)
		rc = err_set(err, -ENOENT, "there is no kernel PMU '%s' here", pmu);
	else
		q->attr.type = (uint32_t)atoi(buf_str(&b));
	buf_release(&b);
	return rc < 0 ? rc : put_terms(&q->attr, f, pmu, terms, 0, err);
}

static int tracepoint(struct pmu_request *q, const char *text, struct flight *f, struct err *err)
{
	const char *colon = strchr(text, ':');
	char path[256];
	struct buf b = BUF_INIT;
	int rc;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%.*s/%.100s/id",
		 (int)(colon - text), text, colon + 1);
	rc = strstr(path, "..") ? -ENOENT : flight_read_text(f, path, &b);
	if (rc == 0) {
		q->attr.type = PERF_TYPE_TRACEPOINT;
		q->attr.config = strtoull(buf_str(&b), NULL, 10);
	}
	buf_release(&b);
	return rc < 0 ? err_set(err, rc, "no tracepoint '%s' here", text) : 0;
}

static void from_table(struct pmu_request *q, const struct pmu_event *e)
{
	q->attr.type = e->type;
	q->attr.config = e->code;
	q->fixed = e->fixed;
	snprintf(q->leader, sizeof(q->leader), "%s", e->leader);
}

static int unknown(const char *name, const struct pmu_table *t, struct err *err)
{
	const char *names[256], *near;
	size_t n = 0;

	for (size_t i = 0; t && i < t->n_events && n < 200; i++)
		names[n++] = t->events[i].role;
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		names[n++] = plain[i].name;
	names[n] = NULL;
	near = options_nearest(name, names);
	return err_set(err, -ENOENT, near ? "no event '%s', did you mean '%s'?" :
		       "no event '%s', see cpuprof list events", name, near);
}

static bool is_raw(const char *s)
{
	return s[0] == 'r' && s[1] && strspn(s + 1, "0123456789abcdefABCDEF") == strlen(s + 1);
}

/* The name without modifiers, which are applied. ":u" and the like only count
 * when nothing else stands behind the last colon. */
static void take_modifiers(struct pmu_request *q, char *name)
{
	char *colon = strrchr(name, ':');
	char *slash = strrchr(name, '/');
	char *mods = colon && colon[1] && strspn(colon + 1, "ukhpP") == strlen(colon + 1) ?
		colon + 1 : slash && slash[1] && strspn(slash + 1, "ukhpP") == strlen(slash + 1) ?
		slash + 1 : NULL;
	bool user, kernel;

	if (!mods)
		return;
	user = strchr(mods, 'u');
	kernel = strchr(mods, 'k');
	for (char *p = mods; *p; p++)
		q->attr.precise_ip = (unsigned)(q->attr.precise_ip + (*p == 'p')) & 3;
	if (strchr(mods, 'P'))
		q->attr.precise_ip = 3;
	q->attr.exclude_user = kernel && !user;
	q->attr.exclude_kernel = user && !kernel;
	*(mods[-1] == ':' ? mods - 1 : mods) = '\0';
}

/* A name of libpfm4. Another CPU's code would count something else here. */
static int libpfm_event(struct pmu_request *q, const char *name, const struct pmu_table *t,
			struct flight *f, struct err *err)
{
	const char *colon = strstr(name, "::");
	bool here, ours;

	if (libpfm_encode(name, &q->attr, &here, NULL) < 0)
		return strchr(name, ':') && !colon ? tracepoint(q, name, f, err) :
			unknown(name, t, err);
	/* The table may be of a CPU that is newer than libpfm4. */
	ours = t && colon && t->libpfm[0] && strlen(t->libpfm) == (size_t)(colon - name) &&
		!strncmp(name, t->libpfm, (size_t)(colon - name));
	return here || ours ? 0 : err_set(err, -ENOENT, "'%s' is an event of another CPU", name);
}

static int one(struct pmu_requests *r, const char *text, int group, const struct pmu_table *t,
	       struct flight *f, struct err *err)
{
	struct pmu_request *q = &r->v[r->n];
	const struct pmu_event *e;
	char name[256];
	int rc = 0;

	if (r->n == REQUEST_MAX)
		return err_set(err, -E2BIG, "more than %d events were asked for", REQUEST_MAX);
	memset(q, 0, sizeof(*q));
	q->attr.size = sizeof(q->attr);
	q->group = group;
	snprintf(q->name, sizeof(q->name), "%.95s", text);
	snprintf(name, sizeof(name), "%s", text);
	take_modifiers(q, name);
	e = t ? pmu_table_event(t, name) : NULL;
	for (size_t i = 0; !e && i < ARRAY_SIZE(plain); i++)
		if (!strcmp(plain[i].name, name)) {
			q->attr.type = plain[i].type;
			q->attr.config = plain[i].config;
			r->n++;
			return 0;
		}
	if (e) {
		from_table(q, e);
	} else if (is_raw(name)) {
		q->attr.type = PERF_TYPE_RAW;
		q->attr.config = strtoull(name + 1, NULL, 16);
	} else if (strchr(name, '/')) {
		rc = kernel_pmu(q, name, f, err);
	} else if (strchr(name, ':') && !strstr(name, "::") && tracepoint(q, name, f, NULL) == 0) {
		rc = 0;
	} else {
		rc = libpfm_event(q, name, t, f, err);
	}
	if (rc == 0)
		r->n++;
	return rc;
}

int pmu_requests_parse(struct pmu_requests *r, const char *text, const struct pmu_table *t,
		       struct flight *f, struct err *err)
{
	int group = -1, groups = (int)r->n, rc = 0;
	char name[256];
	size_t n = 0;
	bool slash = false;

	for (const char *p = text;; p++) {
		/* Commas between slashes belong to a kernel PMU's terms. */
		if (*p == '/')
			slash = !slash;
		if (*p && (slash || !strchr(",{}", *p))) {
			if (n + 1 < sizeof(name) && (n || *p != ' '))
				name[n++] = *p;
			continue;
		}
		name[n] = '\0';
		if (n)
			rc = one(r, name, group, t, f, err);
		n = 0;
		if (rc < 0 || !*p)
			break;
		if (*p == '{' && group >= 0)
			return err_set(err, -EINVAL, "'%s': a group within a group", text);
		if (*p == '}' && group < 0)
			return err_set(err, -EINVAL, "'%s': '}' without '{'", text);
		group = *p == '{' ? groups++ : *p == '}' ? -1 : group;
	}
	if (rc == 0 && group >= 0)
		return err_set(err, -EINVAL, "'%s': a group is not closed", text);
	return rc;
}

int pmu_requests_role(struct pmu_requests *r, const char *role, const struct pmu_table *t,
		      struct err *err)
{
	if (!pmu_table_event(t, role))
		return err_set(err, -ENOENT, "the table of %s has no '%s'", t->title, role);
	return one(r, role, -1, t, NULL, err);
}
