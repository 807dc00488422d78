/* SPDX-License-Identifier: MIT */
/* A meter's log: parsed or refused; what it gives is never negative and adds up. */
#include "config.h"
#include "src/machine/energy.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct energy_log l = { .n = 0 };
	struct err err = { 0 };
	int rc = energy_log_parse(&l, (const char *)data, size, "log", &err);

	assert(rc == 0 || (rc < 0 && err.msg[0]));
	if (rc == 0) {
		double first = l.v[0].t_s, last = l.v[l.n - 1].t_s;
		double all = energy_log_between(&l, first, last);
		double half = energy_log_between(&l, first, first + (last - first) / 2);

		assert(!(all < 0) && !(half < 0) && !(half > all));
		assert(energy_log_between(&l, first - 1 - fabs(first), last) < 0);
	}
	energy_log_release(&l);
	return 0;
}
