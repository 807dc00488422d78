/* SPDX-License-Identifier: MIT */
/* The model tool's output: parsed or refused, and what was parsed holds together. */
#include "config.h"
#include "pmu/counts.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct counts c = { .n_maps = 0 };
	struct err err = { 0 };
	int rc = counts_parse(&c, (const char *)data, size, &err);

	assert(rc == 0 || (rc < 0 && err.msg[0]));
	/* A second file behind the first, as of a run with children. */
	if (rc == 0)
		assert(counts_parse(&c, (const char *)data, size, &err) == 0);
	for (size_t i = 0; i < c.n_insns; i++)
		assert(c.insns[i].v[COUNTS_MISSED] <= c.insns[i].v[COUNTS_EXECUTED]);
	counts_release(&c);
	return 0;
}
