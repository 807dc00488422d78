/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/machine/cgroup.h"
#include "src/base/buf.h"
#include "src/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cgroup_cpu_list(const char *p, int *out, int max)
{
	int n = 0;

	while (*p >= '0' && *p <= '9') {
		char *end;
		long a = strtol(p, &end, 10), b = a;

		if (*end == '-')
			b = strtol(end + 1, &end, 10);
		if (a < 0 || b < a || b >= 1 << 16)
			return n;
		for (; a <= b; a++, n++)
			if (n < max)
				out[n] = (int)a;
		p = *end == ',' ? end + 1 : end;
	}
	return n;
}

/* The folder of this process's cgroup: v1's cpu hierarchy when there is one,
 * else v2. *v2 says which. False when neither is mounted where it should be. */
static bool own_cgroup(struct flight *f, char *out, size_t size, bool *v2)
{
	struct buf groups = BUF_INIT, mounts = BUF_INIT;
	char rel[512] = "", mount[512] = "";
	bool found = false;

	flight_read_text(f, "/proc/self/cgroup", &groups);
	flight_read_text(f, "/proc/self/mounts", &mounts);
	for (int version = 1; version <= 2 && !found; version++) {
		for (const char *p = buf_str(&groups); *p; p += strcspn(p, "\n"), p += *p == '\n') {
			char ctl[128] = "";
			const char *c = strchr(p, ':');

			rel[0] = '\0';
			if (!c || sscanf(c, ":%127[^:\n]:%511[^\n]", ctl, rel) < 1)
				sscanf(c ? c : "", "::%511[^\n]", rel);
			if (version == 2 ? !strncmp(p, "0::", 3) :
			    !strcmp(ctl, "cpu") || !strcmp(ctl, "cpu,cpuacct"))
				break;
			rel[0] = '\0';
		}
		for (const char *p = buf_str(&mounts); *p && rel[0]; p += strcspn(p, "\n"), p += *p == '\n') {
			char type[32], opts[512];

			if (sscanf(p, "%*s %511s %31s %511s", mount, type, opts) != 3)
				continue;
			if (version == 2 ? !strcmp(type, "cgroup2") :
			    !strcmp(type, "cgroup") && (strstr(opts, ",cpu,") ||
			    (strlen(opts) > 4 && !strcmp(opts + strlen(opts) - 4, ",cpu")))) {
				found = true;
				break;
			}
		}
		*v2 = version == 2;
	}
	if (found)
		snprintf(out, size, "%s%s", mount, strcmp(rel, "/") ? rel : "");
	buf_release(&groups);
	buf_release(&mounts);
	return found;
}

static double quota_of(struct flight *f, const char *dir, bool v2)
{
	struct buf b = BUF_INIT;
	char path[1100];
	double quota = 0, period = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, v2 ? "cpu.max" : "cpu.cfs_quota_us");
	if (flight_read_text(f, path, &b) == 0)
		sscanf(buf_str(&b), v2 ? "%lf %lf" : "%lf", &quota, &period);
	buf_clear(&b);
	if (!v2 && quota > 0) {
		snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
		if (flight_read_text(f, path, &b) == 0)
			period = atof(buf_str(&b));
	}
	buf_release(&b);
	return quota > 0 && period > 0 ? quota / period : 0;
}

double cgroup_quota(struct flight *f, char *where, size_t size)
{
	char dir[1040];
	bool v2;
	double best = 0;

	where[0] = '\0';
	if (!own_cgroup(f, dir, sizeof(dir), &v2))
		return 0;
	/* Every folder above may hold a tighter quota. */
	for (int depth = 0; depth < 16; depth++) {
		double q = quota_of(f, dir, v2);
		char *slash;

		if (q > 0 && (best == 0 || q < best)) {
			best = q;
			snprintf(where, size, "%s", dir);
		}
		slash = strrchr(dir, '/');
		if (!slash || slash == dir)
			break;
		*slash = '\0';
	}
	return best;
}

void machine_throttle(struct flight *f, struct machine_throttle *t)
{
	struct buf b = BUF_INIT;
	char where[256], path[300];
	const char *p;

	memset(t, 0, sizeof(*t));
	if (cgroup_quota(f, where, sizeof(where)) <= 0)
		return;
	snprintf(path, sizeof(path), "%s/cpu.stat", where);
	if (flight_read_text(f, path, &b) == 0) {
		t->known = true;
		p = strstr(buf_str(&b), "nr_throttled ");
		t->periods = p ? strtoull(p + 13, NULL, 10) : 0;
		p = strstr(buf_str(&b), "throttled_time ");	/* v1: ns */
		if (p)
			t->throttled_ns = strtoull(p + 15, NULL, 10);
		p = strstr(buf_str(&b), "throttled_usec ");	/* v2 */
		if (p)
			t->throttled_ns = strtoull(p + 15, NULL, 10) * 1000;
	}
	buf_release(&b);
}
