/* SPDX-License-Identifier: MIT */
/* A suite.json from anywhere: refused with a sentence, or shown in every format;
 * folders never lead elsewhere. */
#include "config.h"
#include "reports/report.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct report_style style = { .width = 80 };
	struct suite s = { .version = NULL }, again = { .version = NULL };
	struct buf json = BUF_INIT;
	struct err err = { 0 };

	if (suite_from_json(&s, (const char *)data, size, &err) < 0) {
		assert(err.msg[0]);
		return 0;
	}
	for (size_t i = 0; i < s.n_runs; i++)
		assert(s.runs[i].folder[0] != '.' && !strchr(s.runs[i].folder, '/'));
	for (int i = 0; reports[i]; i++) {
		struct buf out = BUF_INIT;

		if (reports[i]->suite)
			reports[i]->suite(&s, &style, &out);
		buf_release(&out);
	}
	suite_to_json(&s, &json);
	assert(suite_from_json(&again, buf_str(&json), json.len, &err) == 0);
	assert(again.n_runs == s.n_runs);
	buf_release(&json);
	suite_release(&again);
	suite_release(&s);
	return 0;
}
