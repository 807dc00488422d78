/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/around.h"

void around_look(struct around *a, struct flight *f, const int *cpus, int n)
{
	a->have_times = machine_times(f, cpus, n, &a->times) == 0;
	machine_throttle(f, &a->throttle);
	a->asleep_ns = machine_asleep_ns(f);
}

void around_set(struct result_rep *rep, const struct around *a, const struct around *b,
		const struct child_usage *u)
{
	rep->stopped_s = u->stopped_s;
	rep->suspended_s = (double)(b->asleep_ns - a->asleep_ns) * 1e-9;
	rep->steal_s = a->have_times && b->have_times && b->times.steal >= a->times.steal ?
		(double)(b->times.steal - a->times.steal) * machine_tick_s() : -1;
	rep->throttled_s = a->throttle.known && b->throttle.known ?
		(double)(b->throttle.throttled_ns - a->throttle.throttled_ns) * 1e-9 : -1;
}

void around_energy_begin(struct around_energy *a, const struct measure *m)
{
	if (!m->energy)
		return;
	energy_read(m->energy, &a->begin);
	a->begin_s = (double)flight_now_ns(m->flight) * 1e-9;
}

void around_energy_end(struct around_energy *a, const struct measure *m)
{
	if (!m->energy)
		return;
	energy_read(m->energy, &a->end);
	a->end_s = (double)flight_now_ns(m->flight) * 1e-9;
}

void around_energy_set(struct result_rep *rep, const struct around_energy *a,
		       const struct measure *m)
{
	double j = m->energy ? energy_between(m->energy, &a->begin, &a->end) : -1;

	if (j > 0 && a->end_s > a->begin_s)
		rep->energy_j = j * rep->wall_s / (a->end_s - a->begin_s);
}
