/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/quantity.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static void test_made(void **state)
{
	struct quantity m = quantity_measured(2, 1, 3);
	struct quantity e = quantity_estimated(2, 1, 3, "from samples");
	struct quantity u = quantity_unavailable("no PMU");

	assert_int_equal(m.origin, ORIGIN_MEASURED);
	assert_true(quantity_known(&m) && quantity_known(&e) && !quantity_known(&u));
	assert_string_equal(m.reason, "");
	assert_string_equal(e.reason, "from samples");
	assert_string_equal(u.reason, "no PMU");
	NEAR(m.coverage, 1);
	NEAR(u.coverage, 0);
}

/* Nobody's text is too long for it. */
static void test_long_reason(void **state)
{
	char text[1000];
	struct quantity q;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	q = quantity_unavailable(text);
	assert_int_equal(strlen(q.reason), sizeof(q.reason) - 1);
	q = quantity_estimated(1, 1, 1, text);
	assert_int_equal(strlen(q.reason), sizeof(q.reason) - 1);
}

/* The worst origin stays, with its reason, in either order. */
static void test_worst(void **state)
{
	struct quantity q[4] = {
		quantity_measured(1, 1, 1), quantity_estimated(1, 1, 1, "estimated"),
		quantity_measured(1, 1, 1), quantity_unavailable("unavailable"),
	};

	q[2].origin = ORIGIN_MODELLED;
	strcpy(q[2].reason, "modelled");
	q[1].coverage = 0.25;
	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++) {
			struct quantity m = quantity_mul(&q[a], &q[b]);
			struct quantity d = quantity_div(&q[a], &q[b]);
			int worst = a > b ? a : b;

			assert_int_equal(m.origin, worst);
			assert_int_equal(d.origin, worst);
			assert_string_equal(m.reason, q[worst].reason);
			assert_string_equal(d.reason, q[worst].reason);
			NEAR(m.coverage, worst == 3 ? 0 : a == 1 || b == 1 ? 0.25 : 1);
		}
}

static void test_arithmetic(void **state)
{
	struct quantity a = quantity_measured(6, 4, 9), b = quantity_measured(2, 1, 3), q;
	struct quantity zero = quantity_measured(0, 0, 0), touches = quantity_measured(1, 0, 2);

	q = quantity_mul(&a, &b);
	NEAR(q.value, 12);
	NEAR(q.low, 4);
	NEAR(q.high, 27);
	q = quantity_div(&a, &b);
	NEAR(q.value, 3);
	NEAR(q.low, 4.0 / 3);
	NEAR(q.high, 9);
	q = quantity_div(&a, &zero);
	assert_false(quantity_known(&q));
	assert_string_equal(q.reason, "division by zero");
	q = quantity_div(&a, &touches);
	assert_false(quantity_known(&q));
	q = quantity_mul(&zero, &a);
	assert_true(quantity_known(&q));
	NEAR(q.value, 0);
}

static void test_names(void **state)
{
	for (int i = ORIGIN_MEASURED; i <= ORIGIN_UNAVAILABLE; i++)
		assert_int_equal(origin_of_name(origin_name((enum origin)i)), i);
	assert_int_equal(origin_of_name("guessed"), -1);
	assert_int_equal(origin_of_name(""), -1);
	assert_int_equal(origin_of_name("measuredx"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_long_reason),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
