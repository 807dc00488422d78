/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/units.h"
#include "src/base/mem.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

static const struct { double v; int digits; const char *want; } digit_rows[] = {
	{ 0, 3, "0.00" }, { 41.34, 3, "41.3" }, { 0.01423, 3, "0.0142" }, { 1203.4, 3, "1203" },
	{ 1, 1, "1" }, { 123456789, 3, "123456789" }, { -41.34, 3, "-41.3" }, { 1e-12, 3, "0.000000000" },
	{ 9.876, 3, "9.88" }, { 100, 3, "100" }, { 10, 3, "10.0" },
};

static const struct { double v; const char *want; } byte_rows[] = {
	{ 0, "0 B" }, { 1023, "1023 B" }, { 1024, "1.0 KiB" }, { 4194304, "4.0 MiB" },
	{ 1.5 * 1073741824, "1.5 GiB" }, { 5e15, "4547.5 TiB" },
}, si_rows[] = {
	{ 0, "0.00" }, { 999, "999" }, { 1000, "1.00 k" }, { 41.3e6, "41.3 M" }, { -2e9, "-2.00 G" },
	{ 3e12, "3.00 T" }, { 3e15, "3000 T" },
}, time_rows[] = {
	{ 1.25, "1.25 s" }, { 340e-6, "340 us" }, { 0.0125, "12.5 ms" }, { 5e-9, "5.00 ns" },
	{ 120, "120 s" },
};

static void test_print(void **state)
{
	char s[64];

	for (size_t i = 0; i < ARRAY_SIZE(digit_rows); i++)
		assert_string_equal(units_digits(s, sizeof(s), digit_rows[i].v,
						 digit_rows[i].digits), digit_rows[i].want);
	for (size_t i = 0; i < ARRAY_SIZE(byte_rows); i++)
		assert_string_equal(units_bytes(s, sizeof(s), byte_rows[i].v), byte_rows[i].want);
	for (size_t i = 0; i < ARRAY_SIZE(si_rows); i++)
		assert_string_equal(units_si(s, sizeof(s), si_rows[i].v), si_rows[i].want);
	for (size_t i = 0; i < ARRAY_SIZE(time_rows); i++)
		assert_string_equal(units_time(s, sizeof(s), time_rows[i].v), time_rows[i].want);
}

/* Too little room cuts, it does not overflow. */
static void test_room(void **state)
{
	char s[8] = "1234567";

	units_bytes(s, 4, 1.5 * 1048576);
	assert_string_equal(s, "1.5");
	assert_string_equal(s + 4, "567");
	units_time(s, 1, 12);
	assert_string_equal(s, "");
	units_digits(s, 4, -123456, 3);
	assert_string_equal(s, "-12");
}

static const struct { const char *text; double want; } parse_rows[] = {
	{ "20", 20 }, { "1.5", 1.5 }, { "90s", 90 }, { "2m", 120 }, { "500ms", 0.5 }, { "1h", 3600 },
	{ "0", 0 }, { "1e2", 100 },
	{ "", -1 }, { "s", -1 }, { "5x", -1 }, { "-1", -1 }, { "nan", -1 }, { "inf", -1 },
	{ "1e999", -1 }, { "5 s", -1 }, { "5s ", -1 }, { "5ss", -1 }, { "5M", -1 },
}, count_rows[] = {
	{ "64k", 65536 }, { "1M", 1048576 }, { "2G", 2147483648.0 }, { "100", 100 }, { "1K", 1024 },
	{ "1T", -1 }, { "k", -1 }, { "-5", -1 }, { "5m", -1 }, { "", -1 },
};

static void test_parse(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(parse_rows); i++)
		if (units_parse_time(parse_rows[i].text) != parse_rows[i].want)
			fail_msg("'%s': %g", parse_rows[i].text,
				 units_parse_time(parse_rows[i].text));
	for (size_t i = 0; i < ARRAY_SIZE(count_rows); i++)
		if (units_parse_count(count_rows[i].text) != count_rows[i].want)
			fail_msg("'%s': %g", count_rows[i].text,
				 units_parse_count(count_rows[i].text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
