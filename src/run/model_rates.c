/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/model_rates.h"
#include "pmu/model/branch.h"
#include "src/base/mem.h"
#include "src/machine/calibrate.h"

#include <stdlib.h>

static const uint32_t periods[MODEL_RATE_PERIODS] = { 1024, 2048, 4096, 8192, 16384 };

const struct model_rates model_rates[MODEL_RATES] = {
	{ 192, { 3906, 320618, 495300, 503510, 509102 } },
	{ 256, { 977, 136475, 468170, 500687, 509262 } },
	{ 384, { 1953, 15625, 378540, 491882, 506348 } },
	{ 512, { 0, 4883, 199463, 481049, 506142 } },
	{ 640, { 0, 488, 77637, 441254, 503304 } },
	{ 768, { 0, 2930, 34119, 400543, 498871 } },
	{ 1024, { 0, 0, 8545, 257874, 483955 } },
	{ 1280, { 0, 0, 3418, 103897, 452354 } },
	{ 1536, { 0, 0, 1465, 45303, 409927 } },
	{ 2048, { 0, 0, 488, 13184, 294281 } },
	{ 2560, { 0, 0, 244, 7446, 154976 } },
	{ 3072, { 0, 0, 0, 2075, 71625 } },
	{ 4096, { 0, 0, 244, 244, 17059 } },
	{ 6144, { 0, 0, 0, 0, 2594 } },
	{ 8192, { 0, 0, 0, 0, 938 } },
};

/* Learned as long as the timed pattern was. */
static double rate(struct branch_model *b, const unsigned char *p, uint32_t period)
{
	struct branch_site turn = { 0 }, loop = { 0 };
	uint64_t missed = 0, n = 0;
	uint32_t learn = 30;

	for (uint32_t k = 0; k < learn + 8; k++)
		for (uint32_t i = 0; i < period; i++) {
			unsigned wrong = branch_conditional(b, &turn, 0x401000, p[i]);

			branch_conditional(b, &loop, 0x401040, i + 1 < period);
			if (k >= learn) {
				missed += wrong;
				n++;
			}
		}
	return (double)missed / (double)n;
}

double model_rate_now(unsigned entries, uint32_t period)
{
	const struct branch_config config = { entries, 1 };
	struct branch_model *b = xmalloc(sizeof(*b));
	unsigned char *p = xmalloc(period);
	double missed;

	branch_init(b, &config);
	calibrate_pattern(p, period);
	missed = rate(b, p, period);
	free(p);
	free(b);
	return missed;
}

double model_rate(const struct model_rates *r, uint32_t period)
{
	for (int i = 0; i < MODEL_RATE_PERIODS; i++)
		if (periods[i] == period)
			return 1e-6 * r->missed[i];
	return model_rate_now(r->entries, period);
}
