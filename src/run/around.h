/*
 * around.h - what only the machine knows of a pass: steal, quota, sleep. Read
 * before and after it.
 */
#ifndef CPUPROF_RUN_AROUND_H
#define CPUPROF_RUN_AROUND_H

#include "src/machine/energy.h"
#include "src/machine/machine.h"
#include "src/result/result.h"
#include "src/run/child.h"
#include "src/run/measure.h"

struct around {
	struct machine_times times;
	struct machine_throttle throttle;
	int64_t asleep_ns;		/* the machine, since it started */
	bool have_times;
};

/* Joules between the two, and the time that passed; nothing without a source. */
struct around_energy {
	struct energy_reading begin, end;
	double begin_s, end_s;
};
void around_energy_begin(struct around_energy *a, const struct measure *m);
void around_energy_end(struct around_energy *a, const struct measure *m);
/* Into rep, for its window. */
void around_energy_set(struct result_rep *rep, const struct around_energy *a,
		       const struct measure *m);

/* Over cpus[0..n). */
void around_look(struct around *a, struct flight *f, const int *cpus, int n);
/* The differences into rep; u says how long the child was stopped. */
void around_set(struct result_rep *rep, const struct around *before,
		const struct around *after, const struct child_usage *u);

#endif
