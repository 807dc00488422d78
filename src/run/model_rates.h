/*
 * model_rates.h - what the branch model misses of the patterns that calibration
 * times, by table size. A property of the model alone, so it is kept here instead of
 * being worked out (a second) in every run; tests/unit/test_model works it out again.
 */
#ifndef CPUPROF_RUN_MODEL_RATES_H
#define CPUPROF_RUN_MODEL_RATES_H

#include <stddef.h>
#include <stdint.h>

#define MODEL_RATES 15
#define MODEL_RATE_PERIODS 5

struct model_rates {
	unsigned entries;		/* of each tagged table */
	/* In millionths of the turns, periods 1024, 2048, 4096, 8192 and 16384. */
	uint32_t missed[MODEL_RATE_PERIODS];
};
extern const struct model_rates model_rates[MODEL_RATES];

/* The share of turns of that period; of one that is not kept, worked out. */
double model_rate(const struct model_rates *r, uint32_t period);
/* The same, always worked out. */
double model_rate_now(unsigned entries, uint32_t period);

#endif
