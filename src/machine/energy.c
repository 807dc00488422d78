/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/machine/energy.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/perf/event.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PMU "/sys/bus/event_source/devices/power"
#define CAP "/sys/class/powercap/intel-rapl:"
#define LOOK_S 0.25

static bool text_of(struct flight *f, const char *path, char *out, size_t size)
{
	struct buf b = BUF_INIT;
	bool ok = flight_read_text(f, path, &b) == 0;

	snprintf(out, size, "%.*s", (int)strcspn(buf_str(&b), "\n"), buf_str(&b));
	buf_release(&b);
	return ok;
}

/* One event on the first CPU of each package, as cpumask lists them. */
static bool open_perf(struct energy *e)
{
	struct perf_event_attr a = { .size = sizeof(a) };
	char text[256], *p, *end;
	int denied = 0;

	if (!text_of(e->flight, PMU "/type", text, sizeof(text)))
		return false;
	a.type = (uint32_t)atoi(text);
	if (!text_of(e->flight, PMU "/events/energy-pkg", text, sizeof(text))) {
		snprintf(e->reason, sizeof(e->reason), "perf's power PMU has no energy-pkg here");
		return false;
	}
	p = strstr(text, "event=");
	a.config = p ? strtoull(p + 6, NULL, 0) : 0;
	e->joules_per_count = text_of(e->flight, PMU "/events/energy-pkg.scale", text, sizeof(text)) ?
		strtod(text, NULL) : 0;
	text_of(e->flight, PMU "/cpumask", text, sizeof(text));
	for (p = text; *p && e->n < ENERGY_DOMAINS; p = *end == ',' ? end + 1 : end) {
		long cpu = strtol(p, &end, 10);
		int fd;

		if (end == p)
			break;
		fd = event_open(e->flight, &a, -1, (int)cpu, -1, 0);
		if (fd >= 0)
			e->fd[e->n++] = fd;
		else
			denied = fd;
	}
	if (!e->n && denied)
		snprintf(e->reason, sizeof(e->reason), "perf's power PMU: %s",
			 denied == -EACCES || denied == -EPERM ?
			 "CAP_PERFMON, root or kernel.perf_event_paranoid 0 is needed" :
			 strerror(-denied));
	return e->n && e->joules_per_count > 0;
}

static bool open_powercap(struct energy *e)
{
	for (int i = 0; i < ENERGY_DOMAINS; i++) {
		char path[128], text[64];

		snprintf(path, sizeof(path), CAP "%d/name", i);
		if (!text_of(e->flight, path, text, sizeof(text)))
			break;
		if (strncmp(text, "package", 7))
			continue;
		snprintf(path, sizeof(path), CAP "%d/max_energy_range_uj", i);
		text_of(e->flight, path, text, sizeof(text));
		e->range_uj[e->n] = strtoull(text, NULL, 10);
		snprintf(e->path[e->n], sizeof(e->path[0]), CAP "%d/energy_uj", i);
		if (text_of(e->flight, e->path[e->n], text, sizeof(text)))
			e->n++;
		else
			snprintf(e->reason, sizeof(e->reason), "powercap's energy_uj is readable by root "
				 "only (since Linux 5.10)");
	}
	return e->n > 0;
}

void energy_read(struct energy *e, struct energy_reading *r)
{
	memset(r, 0, sizeof(*r));
	r->ok = e->n > 0;
	for (int i = 0; i < e->n; i++) {
		char text[64];

		if (e->path[i][0]) {
			r->ok &= text_of(e->flight, e->path[i], text, sizeof(text));
			r->v[i] = strtoull(text, NULL, 10);
		} else if (flight_replaying(e->flight)) {
			int64_t v = flight_get_i64(e->flight, "energy");

			r->ok &= v >= 0;
			r->v[i] = (uint64_t)v;
		} else {
			r->ok &= read(e->fd[i], &r->v[i], sizeof(r->v[i])) == sizeof(r->v[i]);
			flight_put_i64(e->flight, "energy", (int64_t)r->v[i]);
		}
	}
}

double energy_between(const struct energy *e, const struct energy_reading *a,
		      const struct energy_reading *b)
{
	double sum = 0;

	if (!a->ok || !b->ok)
		return -1;
	for (int i = 0; i < e->n; i++) {
		uint64_t d = b->v[i] - a->v[i];

		if (!e->path[i][0]) {
			sum += (double)d * e->joules_per_count;
			continue;
		}
		if (b->v[i] < a->v[i])	/* went round once */
			d = b->v[i] + e->range_uj[i] - a->v[i];
		sum += (double)d * 1e-6;
	}
	return sum;
}

static double seconds_now(struct flight *f)
{
	return (double)flight_now_ns(f) * 1e-9;
}

void energy_open(struct energy *e, struct flight *f, double *idle_w)
{
	const struct timespec look = { 0, (long)(LOOK_S * 1e9) };
	struct energy_reading a, b;
	double t;

	memset(e, 0, sizeof(*e));
	e->flight = f;
	*idle_w = 0;
	for (int i = 0; i < ENERGY_DOMAINS; i++)
		e->fd[i] = -1;
	snprintf(e->reason, sizeof(e->reason), "this machine has no RAPL (no power PMU, no powercap)");
	if (open_perf(e)) {
		snprintf(e->source, sizeof(e->source), "%d package%s by perf's power PMU", e->n,
			 e->n > 1 ? "s" : "");
	} else {
		energy_close(e);
		if (open_powercap(e))
			snprintf(e->source, sizeof(e->source), "%d package%s by powercap", e->n,
				 e->n > 1 ? "s" : "");
	}
	if (!e->n)
		return;
	energy_read(e, &a);
	t = seconds_now(f);
	if (!flight_replaying(f))
		nanosleep(&look, NULL);
	energy_read(e, &b);
	t = seconds_now(f) - t;
	*idle_w = t > 0 ? energy_between(e, &a, &b) / t : 0;
	/* No CPU package lives on less than a milliwatt. */
	if (*idle_w < 0.001) {
		snprintf(e->reason, sizeof(e->reason), "%s does not advance (as in a guest)", e->source);
		energy_close(e);
		e->source[0] = '\0';
		*idle_w = 0;
	}
}

void energy_close(struct energy *e)
{
	for (int i = 0; i < e->n; i++)
		event_close(e->flight, e->fd[i]);
	for (int i = 0; i < ENERGY_DOMAINS; i++) {
		e->fd[i] = -1;
		e->path[i][0] = '\0';
	}
	e->n = 0;
}

/* "T,W" or "T,J,j"; false when it is neither. */
static bool log_line(struct energy_log *l, const char *p)
{
	double t, v, total = 0;
	char *end;
	bool joules;

	t = strtod(p, &end);
	if (end == p || *end != ',')
		return false;
	p = end + 1;
	v = strtod(p, &end);
	if (end == p || !isfinite(t) || !isfinite(v) || v < 0)
		return false;
	joules = !strcmp(end, ",j");
	if (!joules && *end)
		return false;
	if (l->n) {
		double before = l->v[l->n - 1].t_s;

		if (t <= before || (joules && v < l->v[l->n - 1].w))
			return false;
		total = l->v[l->n - 1].j + (joules ? v - l->v[l->n - 1].w :
					    (t - before) * (v + l->v[l->n - 1].w) / 2);
	}
	GROW(l->v, l->n, l->cap);
	l->v[l->n].t_s = t;
	l->v[l->n].w = v;	/* of a log of joules: its total */
	l->v[l->n++].j = total;
	return true;
}

int energy_log_parse(struct energy_log *l, const char *text, size_t len, const char *file,
		     struct err *err)
{
	char line[256];
	int at = 0;

	memset(l, 0, sizeof(*l));
	for (size_t from = 0; from < len;) {
		const char *nl = memchr(text + from, '\n', len - from);
		size_t n = nl ? (size_t)(nl - text) - from : len - from;

		at++;
		snprintf(line, sizeof(line), "%.*s", (int)(n < sizeof(line) ? n : sizeof(line) - 1),
			 text + from);
		from += n + 1;
		line[strcspn(line, "\r")] = '\0';
		if (!line[0] || line[0] == '#' || log_line(l, line))
			continue;
		if (at == 1)	/* names of the columns */
			continue;
		/* The last line may be half written: the meter goes on. */
		if (!nl)
			break;
		energy_log_release(l);
		return err_set(err, -EINVAL, "%s:%d: want SECONDS,WATTS or SECONDS,JOULES,j with rising "
			       "seconds", file, at);
	}
	if (l->n < 2) {
		energy_log_release(l);
		return err_set(err, -EINVAL, "%s: fewer than two readings", file);
	}
	return 0;
}

void energy_log_release(struct energy_log *l)
{
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* The total at t, between two readings. */
static double total_at(const struct energy_log *l, double t)
{
	size_t low = 0, high = l->n - 1;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (l->v[mid].t_s <= t)
			low = mid;
		else
			high = mid;
	}
	return l->v[low].j + (l->v[high].j - l->v[low].j) * (t - l->v[low].t_s) /
		(l->v[high].t_s - l->v[low].t_s);
}

double energy_log_between(const struct energy_log *l, double t0_s, double t1_s)
{
	if (l->n < 2 || t1_s < t0_s || t0_s < l->v[0].t_s || t1_s > l->v[l->n - 1].t_s)
		return -1;
	return total_at(l, t1_s) - total_at(l, t0_s);
}
