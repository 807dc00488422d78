/* SPDX-License-Identifier: MIT */
/* A reference file from anywhere: refused with a sentence, or shown. */
#include "config.h"
#include "reports/report.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct report_style style = { .width = 80 };
	struct reference r = { .n_rows = 0 };
	struct buf out = BUF_INIT;
	struct err err = { 0 };

	if (reference_parse(&r, (const char *)data, size, &err) < 0) {
		assert(err.msg[0] && !r.n_rows);
		return 0;
	}
	report_find("terminal")->reference(&r, &style, &out);
	assert(out.len);
	buf_release(&out);
	reference_release(&r);
	return 0;
}
