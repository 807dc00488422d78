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
