/* SPDX-License-Identifier: MIT */
/* A workload in a text file; and, behind a 0 byte, an output to find its score in. */
#include "config.h"
#include "src/base/mem.h"
#include "tests/fuzz/fuzz.h"
#include "workloads/recipe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void fill(const struct recipe_command *c, const struct recipe_values *v)
{
	char **argv, *line;

	if (!c->argv)
		return;
	argv = recipe_argv(c, v);
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	free(argv);
	line = recipe_line(c);
	assert(line[0]);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct recipe_values v = { "2", "/tmp/x", "/here" };
	const char *text = (const char *)data;
	const char *end = size ? memchr(text, '\0', size) : NULL;
	size_t len = end ? (size_t)(end - text) : size;
	struct err err = { 0 };
	struct recipe r;
	double score;

	if (recipe_parse(&r, text, len, "fuzz.workload", "/here", &err) < 0) {
		assert(err.msg[0]);
		return 0;
	}
	assert(r.run.argv && r.run.argv[0] && r.unit[0] && r.score_unit[0] && r.score_scale > 0);
	assert(r.pattern || r.work > 0 || r.work_file);
	fill(&r.run, &v);
	fill(&r.version, &v);
	for (size_t i = 0; i < r.setup.n; i++)
		fill(&r.setup.v[i], &v);
	if (r.pattern && end)
		recipe_match(r.pattern, end + 1, size - len - 1, &score);
	recipe_release(&r);
	return 0;
}
