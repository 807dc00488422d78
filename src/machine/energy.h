/*
 * energy.h - joules: of the CPU packages by RAPL, through perf's power PMU or
 * powercap, or of anything by an external meter's log.
 *
 * Registers wrap: powercap says at what, perf's counts are 64 bits. A domain that
 * does not advance while the machine works is no source (as in most guests).
 * Sources: Linux Documentation/power/powercap/powercap.rst, arch/x86/events/rapl.c.
 */
#ifndef CPUPROF_MACHINE_ENERGY_H
#define CPUPROF_MACHINE_ENERGY_H

#include "src/base/err.h"
#include "src/base/flight.h"

#include <stdbool.h>

#define ENERGY_DOMAINS 16

struct energy {
	struct flight *flight;		/* borrowed */
	char source[64];		/* "package by powercap", "" when there is none */
	char reason[200];		/* why there is none */
	int n;				/* packages */
	int fd[ENERGY_DOMAINS];		/* perf; -1 else */
	char path[ENERGY_DOMAINS][128];	/* powercap */
	uint64_t range_uj[ENERGY_DOMAINS];	/* powercap's wrap */
	double joules_per_count;	/* perf */
};

struct energy_reading { uint64_t v[ENERGY_DOMAINS]; bool ok; };

/* Finds the packages and looks for a quarter of a second whether they advance; the
 * watts meanwhile are *idle_w when nothing else ran. */
void energy_open(struct energy *e, struct flight *f, double *idle_w);
void energy_read(struct energy *e, struct energy_reading *r);
/* Joules from a to b over all packages; -1 when either reading failed. */
double energy_between(const struct energy *e, const struct energy_reading *a,
		      const struct energy_reading *b);
void energy_close(struct energy *e);

/* A log of an external meter: lines "SECONDS,WATTS" or "SECONDS,JOULES,j" (a total
 * that rises), seconds since the epoch by the meter's clock, rising; lines that begin
 * with # and a first line of names are passed over. */
struct energy_log {
	struct { double t_s, w, j; } *v;	/* owned; j: total since the first line */
	size_t n, cap;
};
int energy_log_parse(struct energy_log *l, const char *text, size_t len, const char *file,
		     struct err *err);
void energy_log_release(struct energy_log *l);
/* Joules from t0 to t1 (seconds since the epoch by the meter's clock), by straight
 * lines between its readings; -1 when the log does not cover that. */
double energy_log_between(const struct energy_log *l, double t0_s, double t1_s);

#endif
