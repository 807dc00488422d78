/* SPDX-License-Identifier: MIT */
/* An event table, and its metrics over made-up counts. */
#include "config.h"
#include "pmu/formula.h"
#include "pmu/request.h"
#include "pmu/table.h"
#include "src/base/buf.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static bool any_value(void *arg, const char *name, double *value)
{
	*value = (double)strlen(name);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmu_requests requests;
	struct buf text = BUF_INIT;
	struct pmu_table t;
	struct err err = { 0 };

	buf_add(&text, data, size);
	if (pmu_table_parse(&t, buf_str(&text), "fuzz.pmu", &err) == 0) {
		for (size_t i = 0; i < t.n_metrics; i++) {
			double v;

			formula_eval(t.metrics[i].formula, any_value, NULL, &v, NULL);
		}
		requests.n = 0;
		for (size_t i = 0; i < t.n_events; i++)
			pmu_requests_role(&requests, t.events[i].role, &t, NULL);
		pmu_table_release(&t);
	} else if (!err.msg[0]) {
		__builtin_trap();
	}
	buf_release(&text);
	return 0;
}
