/* SPDX-License-Identifier: MIT */
/* A result.json from anywhere: refused with a sentence, or shown in every format
 * and written again. */
#include "config.h"
#include "reports/report.h"
#include "src/result/json.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct report_style style = { .explain = true, .width = 80 };
	struct err err = { 0 };
	struct result r;

	result_init(&r);
	if (result_from_json(&r, (const char *)data, size, &err) < 0) {
		if (!err.msg[0])
			__builtin_trap();
		return 0;
	}
	for (int i = 0; reports[i]; i++) {
		struct buf out = BUF_INIT;

		if (reports[i]->result)
			reports[i]->result(&r, &style, &out);
		buf_release(&out);
	}
	result_release(&r);
	return 0;
}
