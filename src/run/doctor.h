/*
 * doctor.h - trying out what can be measured on this machine.
 */
#ifndef CPUPROF_RUN_DOCTOR_H
#define CPUPROF_RUN_DOCTOR_H

#include "src/base/flight.h"
#include "src/machine/machine.h"
#include "src/machine/needles.h"
#include "src/result/doctor.h"

/* Takes about a second. Opens events on this process, reads the needles. */
void doctor_examine(struct doctor *d, struct flight *f, const struct machine *m);

/* The needles' check on one CPU, through the flight. cpu -1: wherever we are. quick:
 * only whether they can be trusted, said as soon as that is known. */
void doctor_needles(struct flight *f, int cpu, double seconds, bool quick,
		    struct needle_check *out);

/* Why hardware counters cannot be had here, or "" when they can. */
const char *doctor_counters_reason(struct flight *f);

#endif
