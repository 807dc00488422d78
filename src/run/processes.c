/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/processes.h"
#include "src/base/buf.h"
#include "src/base/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILE 65536

static int read_proc(pid_t pid, const char *name, struct buf *b)
{
	char path[64];

	buf_clear(b);
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return io_read_file(path, MAX_FILE, b, NULL);
}

/* Field number n of stat, counted from 3, the first behind the name in brackets. */
static unsigned long long stat_field(const char *stat, int n)
{
	const char *p = strrchr(stat, ')');

	for (p = p ? p + 1 : ""; n >= 3 && *p; n--) {
		p += strspn(p, " ");
		if (n == 3)
			return strtoull(p, NULL, 10);
		p += strcspn(p, " ");
	}
	return 0;
}

static int ascending(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

int processes_children(pid_t parent, pid_t *out, int max)
{
	DIR *d = opendir("/proc");
	struct buf b = BUF_INIT;
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d))) {
		pid_t pid = (pid_t)atoi(e->d_name);

		if (pid <= 0 || read_proc(pid, "stat", &b) < 0 ||
		    stat_field(buf_str(&b), 4) != (unsigned long long)parent)
			continue;
		if (n < max)
			out[n] = pid;
		n++;
	}
	if (d)
		closedir(d);
	buf_release(&b);
	qsort(out, (size_t)(n < max ? n : max), sizeof(*out), ascending);
	return n;
}

static uint64_t status_count(const char *status, const char *key)
{
	const char *p = strstr(status, key);

	return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

int processes_usage(pid_t pid, struct process_usage *u)
{
	const double tick = 1e9 / (double)sysconf(_SC_CLK_TCK);
	struct buf b = BUF_INIT;
	char *end;

	memset(u, 0, sizeof(*u));
	if (read_proc(pid, "stat", &b) < 0 || strstr(buf_str(&b), ") Z ")) {
		buf_release(&b);
		return -ESRCH;
	}
	u->faults = stat_field(buf_str(&b), 10);
	u->major_faults = stat_field(buf_str(&b), 12);
	u->user_ns = (uint64_t)((double)stat_field(buf_str(&b), 14) * tick);
	u->sys_ns = (uint64_t)((double)stat_field(buf_str(&b), 15) * tick);
	u->cpu_ns = u->user_ns + u->sys_ns;	/* without schedstat, ticks are all there is */
	if (read_proc(pid, "schedstat", &b) == 0) {
		u->cpu_ns = strtoull(buf_str(&b), &end, 10);
		u->run_delay_ns = strtoull(end, NULL, 10);
	}
	if (read_proc(pid, "status", &b) == 0) {
		u->voluntary = status_count(buf_str(&b), "\nvoluntary_ctxt_switches:");
		u->involuntary = status_count(buf_str(&b), "\nnonvoluntary_ctxt_switches:");
	}
	buf_release(&b);
	return 0;
}

void processes_between(const struct process_usage *a, const struct process_usage *b,
		       struct process_usage *out)
{
	uint64_t user = b->user_ns - a->user_ns, sys = b->sys_ns - a->sys_ns;

	*out = (struct process_usage){
		.cpu_ns = b->cpu_ns - a->cpu_ns, .run_delay_ns = b->run_delay_ns - a->run_delay_ns,
		.faults = b->faults - a->faults, .major_faults = b->major_faults - a->major_faults,
		.voluntary = b->voluntary - a->voluntary,
		.involuntary = b->involuntary - a->involuntary,
	};
	if (user + sys > 0)
		out->user_ns = (uint64_t)((double)out->cpu_ns * (double)user / (double)(user + sys));
	out->sys_ns = user + sys > 0 ? out->cpu_ns - out->user_ns : 0;
}
