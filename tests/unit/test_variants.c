/* SPDX-License-Identifier: MIT */
/* Variants as given behind a workload's name, and what descriptors promise. */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/workload.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const int sizes[] = { 16, 64, 256, 1024, 0 };
static const struct workload dense = {
	.name = "gzip", .variant_name = "level", .variant_min = 0, .variant_max = 9,
	.variant_default = 6,
};
static const struct workload stepped = {
	.name = "aes", .variant_name = "block size", .variant_unit = "B", .variant_steps = sizes,
	.variant_min = 16, .variant_max = 1024, .variant_default = 256,
};
static const struct workload none = { .name = "rsa" };

static const struct row {
	const struct workload *w;
	const char *text, *want;	/* the list, or a part of the error */
} rows[] = {
	{ &dense, NULL, "6" },
	{ &dense, "0", "0" },
	{ &dense, "9,1", "9 1" },
	{ &dense, "1-3", "1 2 3" },
	{ &dense, "3-3", "3" },
	{ &dense, "1,4-6,9", "1 4 5 6 9" },
	{ &dense, "5,4-6,5", "5 4 6" },
	{ &dense, "0-7", "0 1 2 3 4 5 6 7" },
	{ &dense, "0-8", "at most 8" },
	{ &dense, "007", "7" },
	{ &dense, "10", "from 0 to 9, not 10" },
	{ &dense, "1-99999999999999999999", "from 0 to 9, not 99999999999999999999" },
	{ &dense, "4294967297", "from 0 to 9, not 4294967297" },
	{ &dense, "", "'' is no level: want for instance gzip:6 or gzip:0-9" },
	{ &dense, "x", "'x' is no level" },
	{ &dense, "6x", "'6x' is no level" },
	{ &dense, "6,", "'6,' is no level" },
	{ &dense, ",6", "',6' is no level" },
	{ &dense, "6-", "'6-' is no level" },
	{ &dense, "-6", "'-6' is no level" },
	{ &dense, "9-1", "'9-1' is no level" },
	{ &dense, "1-2-3", "'1-2-3' is no level" },
	{ &dense, " 6", "' 6' is no level" },
	{ &stepped, NULL, "256" },
	{ &stepped, "16,64", "16 64" },
	{ &stepped, "16-1024", "16 64 256 1024" },
	{ &stepped, "17-256", "64 256" },
	{ &stepped, "1000", "1000" },
	{ &stepped, "1000,16-64,64", "1000 16 64" },
	{ &stepped, "17-63", "no block size of aes lies from 17 to 63" },
	{ &stepped, "15", "from 16 to 1024, not 15" },
	{ &stepped, "1025", "from 16 to 1024, not 1025" },
	{ &stepped, "a", "want for instance aes:256 or aes:16,1024" },
	{ &none, NULL, "0" },
	{ &none, "1", "rsa has no variants" },
	{ &none, "", "rsa has no variants" },
};

static void test_rows(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		struct err err = { 0 };
		char got[768] = "";
		int v[8], n = workload_variants(r->w, r->text, v, (int)ARRAY_SIZE(v), &err);

		for (int k = 0; k < n; k++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%d",
				 k ? " " : "", v[k]);
		if (n < 0)
			snprintf(got, sizeof(got), "%s", err.msg);
		if (n < 0 ? n != -EINVAL || !strstr(got, r->want) : strcmp(got, r->want) != 0)
			fail_msg("%s:%s: want '%s', not '%s'", r->w->name,
				 r->text ? r->text : "(none)", r->want, got);
	}
}

/* What the rest of the program counts on in every descriptor. */
static void test_descriptors(void **unused)
{
	(void)unused;
	for (int i = 0; workloads[i]; i++) {
		const struct workload *w = workloads[i];
		int last = w->variant_min - 1;

		assert_non_null(w->summary);
		/* "cpuprof -h" is 80 columns wide. */
		assert_true(strlen(w->name) <= 21 && strlen(w->summary) <= 56);
		assert_non_null(w->unit);
		assert_non_null(w->score_unit);
		assert_true(w->score_scale > 0);
		assert_true(!w->library == !w->package && !w->library == !w->probe);
		assert_true(w->variant_min <= w->variant_default &&
			    w->variant_default <= w->variant_max);
		assert_true(w->variant_name || !w->variant_max);
		assert_true(w->window_min <= w->window_default &&
			    w->window_default <= w->window_max);
		assert_true(w->become || (w->setup && w->teardown));
		assert_true(w->become || w->server || (w->thread_begin && w->batch && w->verify &&
						       w->thread_end));
		assert_true(!w->server || (w->ciphers && w->server->configure && w->server->verify &&
					   w->server->read_load && w->server->process));
		for (const int *s = w->variant_steps; s && *s; last = *s++)
			assert_true(*s > last && *s <= w->variant_max);
		if (w->thread_end)
			w->thread_end(NULL);
		if (w->teardown)
			w->teardown(NULL);
		assert_ptr_equal(workload_find(w->name), w);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(w->name, workloads[k]->name);
	}
	assert_null(workload_find("gzi"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
