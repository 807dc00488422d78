/*
 * needles.h - the two readings that need no counter: the clock a core runs at
 * and the share of the core that is ours.
 *
 * Clock: a chain of dependent register additions takes one cycle each, so its
 * time is the clock. Best of a burst of short runs; the difference of a chain
 * and one twice as long removes the cost of looking at the time. Two more
 * chains of instructions with known latencies must agree, or the reading is
 * refused: under emulation they do not.
 *
 * Core share: independent additions fill the core's ALUs. When a hidden
 * neighbour (another tenant on the sibling hyperthread) works, fewer additions
 * fit a cycle while the chain above still runs at full clock.
 */
#ifndef CPUPROF_MACHINE_NEEDLES_H
#define CPUPROF_MACHINE_NEEDLES_H

#include <stdbool.h>
#include <stdint.h>

/* One burst of about 150 us on the CPU the caller runs on: hertz. Sees neither
 * halts nor steal nor a neighbour. */
double needle_clock_hz(void);

/* One run of about 50 us: additions a second. Divided by the clock it is
 * additions a cycle, and by the best of those the core share. */
double needle_adds_per_s(void);

struct needle_check {
	bool ok;
	double clock_hz;	/* sustained: the lowest that an eighth of the bursts agree on */
	double clock_high_hz;	/* 1 of 10 bursts reads more (turbo steps) */
	double clock_mean_hz;
	double adds_per_cycle;	/* median of the throughput runs */
	double adds_low;	/* 1 of 10 reads less: a neighbour now and then */
	double adds_best;
	double mul_cycles;	/* cycles a multiplication took, by that clock */
	char reason[120];	/* why not ok; "" else */
};
/* Bursts of all chains over seconds; do they agree? */
void needle_check(double seconds, struct needle_check *out);

/* Only ok, mul_cycles and reason, as soon as they are known: after a millisecond
 * where it is quiet, or emulated beyond doubt; at the latest after max_s. */
void needle_trust(double max_s, struct needle_check *out);

/* Probe until the last readings lie within 0.3 %, at most max_s. Returns the
 * seconds it took; *flat says whether they did. */
double needle_warm_up(double max_s, bool *flat);

#endif
