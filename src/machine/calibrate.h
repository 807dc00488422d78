/*
 * calibrate.h - what this CPU's predictor, caches and TLBs do, by timing alone, so
 * that models can take their sizes from it.
 *
 * Branches: a loop over a random pattern of bytes with one branch on each. Periods
 * that are learned run as fast as a short one, those that are not cost half a
 * misprediction a turn; in between the time tells the rate. Caches and TLBs: a
 * chase of pointers in random order over more and more lines, or pages.
 *
 * Cycles are by the clock needle. Other work on the machine only ever makes a run
 * slower: the best of several counts.
 */
#ifndef CPUPROF_MACHINE_CALIBRATE_H
#define CPUPROF_MACHINE_CALIBRATE_H

#include "src/base/flight.h"
#include "src/machine/machine.h"

#include <stdbool.h>

#define CALIBRATE_PERIODS 9
#define CALIBRATE_SIZES 9
#define CALIBRATE_PAGES 9

struct calibration {
	bool ok;
	char reason[120];		/* why not */
	double clock_hz;
	/* One misprediction costs: where every second branch is one, and where every
	 * tenth is, with more under way that is lost. */
	double miss_cycles, rare_miss_cycles;
	/* Random patterns of one branch: their periods, and the share that is
	 * mispredicted when all that can be learned was. */
	uint32_t period[CALIBRATE_PERIODS];
	double period_missed[CALIBRATE_PERIODS];
	/* A load that follows from the one before, over so many bytes. */
	uint64_t size_bytes[CALIBRATE_SIZES];
	double size_cycles[CALIBRATE_SIZES];
	/* One line in each of so many pages. */
	uint32_t pages[CALIBRATE_PAGES];
	double page_cycles[CALIBRATE_PAGES];
};

/* The median of three rounds; takes some five seconds, on the CPU the caller runs on. */
void calibrate_measure(struct calibration *c);
/* Through the flight, and from ~/.cache/cpuprof/calibration when it was measured
 * since the boot on this model of CPU. */
void calibrate(struct calibration *c, struct flight *f, const struct machine *m);

/* The pattern that was timed, for models to be held against: n bytes of 0 and 1. */
void calibrate_pattern(unsigned char *out, uint32_t n);
/* What is timed: goes n times over period bytes of 0 and 1, one branch a byte that no
 * compiler can turn into arithmetic. */
uint64_t calibrate_walk(const unsigned char *p, uint32_t period, uint32_t n);

#endif
