/* SPDX-License-Identifier: MIT */
/* An answer of a web server; and what wrk printed. */
#include "config.h"
#include "src/base/mem.h"
#include "tests/fuzz/fuzz.h"
#include "workloads/http.h"
#include "workloads/wrk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* No byte more than there is; for wrk, one that ends the text. */
	char *answer = xmalloc(size ? size : 1), *text = xmalloc(size + 1);
	struct workload_load load;
	struct http_answer a;
	struct err err = { 0 };

	memcpy(answer, data, size);
	memcpy(text, data, size);
	text[size] = '\0';
	if (http_parse(answer, size, &a, &err) == 0)
		assert(a.body >= answer && a.body + a.len <= answer + size && a.status >= 0);
	else
		assert(err.msg[0]);
	err = (struct err){ 0 };
	if (wrk_read(text, &load, &err) == 0)
		assert(load.seconds > 0 && load.requests > 0);
	else
		assert(err.msg[0]);
	free(answer);
	free(text);
	return 0;
}
