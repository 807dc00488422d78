/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/options.h"
#include "src/base/mem.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct out {
	bool flag, other;
	const char *text;
	struct option_list list;
	int number;
	double time;
};

#define ROW(NAME, LETTER, KIND, FIELD, ARG, HELP) \
	{ NAME, LETTER, KIND, offsetof(struct out, FIELD), ARG, HELP }

static const struct option_desc rows[] = {
	ROW("flag", 'f', OPTION_FLAG, flag, NULL, "a flag"),
	ROW("other", 0, OPTION_FLAG, other, NULL, "another"),
	ROW("text", 't', OPTION_STRING, text, "TEXT", "a text"),
	ROW("list", 'l', OPTION_STRINGS, list, "TEXT", "texts"),
	ROW("number", 'n', OPTION_INT, number, "N", "a number"),
	ROW("time", 0, OPTION_TIME, time, "TIME", "a time"),
	{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

/* Words separated by spaces; "_" is an empty word. Rest: what stays, joined. */
static int parse(const char *line, int stop, struct out *o, char *rest, struct err *err)
{
	static char words[512];
	char *argv[64], *save = NULL;
	int argc = 0, first;

	snprintf(words, sizeof(words), "%s", line);
	argv[argc++] = (char *)"command";
	for (char *p = strtok_r(words, " ", &save); p; p = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(p, "_") ? p : (char *)"";
	argv[argc] = NULL;
	memset(o, 0, sizeof(*o));
	memset(err, 0, sizeof(*err));
	first = options_parse(rows, argc, argv, stop, o, err);
	rest[0] = '\0';
	for (int i = first; i >= 0 && i < argc; i++)
		snprintf(rest + strlen(rest), 256 - strlen(rest), "%s%s", i > first ? " " : "",
			 argv[i]);
	return first;
}

/* What stays as operands, with options anywhere and with them in front only. */
static const struct { const char *line, *all, *front; } operand_rows[] = {
	{ "", "", "" },
	{ "a b", "a b", "a b" },
	{ "a -f b", "a b", "a -f b" },
	{ "-f a --text x b", "a b", "a --text x b" },
	{ "-f -- a -f", "a -f", "a -f" },
	{ "a -- -f", "a -f", "a -- -f" },
	{ "-- --", "--", "--" },
	{ "- -f", "-", "- -f" },
	{ "--text -f a", "a", "a" },
	{ "--text=-f a", "a", "a" },
	{ "a --number 3 b -n 4 c", "a b c", "a --number 3 b -n 4 c" },
};

static void test_operands(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(operand_rows); i++) {
		struct err err;
		struct out o;
		char rest[256];

		assert_true(parse(operand_rows[i].line, 0, &o, rest, &err) >= 0);
		if (strcmp(rest, operand_rows[i].all))
			fail_msg("'%s': left '%s', want '%s'", operand_rows[i].line, rest,
				 operand_rows[i].all);
		assert_true(parse(operand_rows[i].line, 1, &o, rest, &err) >= 0);
		if (strcmp(rest, operand_rows[i].front))
			fail_msg("'%s': left '%s', want '%s'", operand_rows[i].line, rest,
				 operand_rows[i].front);
	}
}

static void test_values(void **state)
{
	struct err err;
	struct out o;
	char rest[256];

	assert_int_equal(parse("-f -t x -l a --list b --list=c -n 7 --time 1.5m", 0, &o, rest,
			       &err), 13);
	assert_true(o.flag && !o.other);
	assert_string_equal(o.text, "x");
	assert_int_equal(o.list.n, 3);
	assert_string_equal(o.list.v[2], "c");
	assert_int_equal(o.number, 7);
	assert_true(o.time == 90);
	/* The last one counts; a value may be empty or look like an option. */
	parse("--text a --text=", 0, &o, rest, &err);
	assert_string_equal(o.text, "");
	parse("--text _", 0, &o, rest, &err);
	assert_string_equal(o.text, "");
	parse("--text --other", 0, &o, rest, &err);
	assert_string_equal(o.text, "--other");
	assert_false(o.other);
	parse("--text=a=b", 0, &o, rest, &err);
	assert_string_equal(o.text, "a=b");
	parse("--number 2147483647", 0, &o, rest, &err);
	assert_int_equal(o.number, INT_MAX);
	parse("--number=007", 0, &o, rest, &err);
	assert_int_equal(o.number, 7);
}

static const struct { const char *line, *says; } error_rows[] = {
	{ "--nubmer 3", "unknown option '--nubmer', did you mean '--number'?" },
	{ "--fla", "did you mean '--flag'?" },
	{ "--flags", "did you mean '--flag'?" },
	{ "--zzzzzzzz", "unknown option '--zzzzzzzz', see --help" },
	{ "-x", "unknown option '-x'" },
	{ "-fx", "unknown option '-fx'" },
	{ "-flag", "unknown option '-flag'" },
	{ "--", NULL },
	{ "--=x", "unknown option '--=x'" },
	{ "--flag=1", "option '--flag' takes no value" },
	{ "--text", "option '--text' wants TEXT" },
	{ "-n", "option '--number' wants N" },
	{ "-n x", "wants a whole number, not 'x'" },
	{ "-n 3x", "wants a whole number, not '3x'" },
	{ "-n 1.5", "wants a whole number, not '1.5'" },
	{ "-n -1", "wants a whole number, not '-1'" },
	{ "-n 2147483648", "wants a whole number, not '2147483648'" },
	{ "-n 99999999999999999999", "wants a whole number" },
	{ "-n _", "wants a whole number, not ''" },
	{ "--number=", "wants a whole number, not ''" },
	{ "--time 5x", "wants a time like 20, 500ms or 2m, not '5x'" },
	{ "--time -5", "wants a time" },
	{ "--time nan", "wants a time" },
	{ "-l a -l a -l a -l a -l a -l a -l a -l a -l a -l a -l a -l a -l a -l a -l a -l a -l a",
	  "'--list' was given more than 16 times" },
};

static void test_errors(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(error_rows); i++) {
		struct err err;
		struct out o;
		char rest[256];
		int rc = parse(error_rows[i].line, 0, &o, rest, &err);

		if (!error_rows[i].says) {
			assert_true(rc >= 0);
			continue;
		}
		if (rc != -EINVAL || !strstr(err.msg, error_rows[i].says))
			fail_msg("'%s': %d '%s', want '%s'", error_rows[i].line, rc, err.msg,
				 error_rows[i].says);
	}
}

static void test_help(void **state)
{
	static const struct option_desc long_rows[] = {
		{ "a-rather-long-option-name", 'a', OPTION_STRING, 0, "ARGUMENT",
		  "words that go on and on so that they have to be folded somewhere before "
		  "the eightieth column of the terminal, and then once more after it" },
		{ NULL, 0, OPTION_FLAG, 0, NULL, NULL },
	};
	struct buf b = BUF_INIT;
	struct err err;
	struct out o;
	char rest[256];

	assert_int_equal(parse("-h", 0, &o, rest, &err), -ECANCELED);
	assert_int_equal(parse("a --help --nonsense", 0, &o, rest, &err), -ECANCELED);
	assert_true(parse("a --help", 1, &o, rest, &err) >= 0);	/* the operand's own */
	assert_true(parse("-- --help", 0, &o, rest, &err) >= 0);
	options_help(rows, &b);
	assert_non_null(strstr(b.data, "  -f, --flag"));
	assert_non_null(strstr(b.data, "      --time TIME"));
	buf_clear(&b);
	options_help(long_rows, &b);
	for (const char *p = b.data; *p; p += strcspn(p, "\n"), p += *p == '\n')
		assert_true(strcspn(p, "\n") < 80);
	assert_non_null(strstr(b.data, "once more after it\n"));
	buf_release(&b);
}

static void test_nearest(void **state)
{
	static const char *const names[] = { "gzip", "exec", "record", "report", "doctor", NULL };
	static const char *const none[] = { NULL };
	char endless[300];

	assert_string_equal(options_nearest("gizp", names), "gzip");
	assert_string_equal(options_nearest("recrod", names), "record");
	assert_string_equal(options_nearest("reprot", names), "report");
	assert_null(options_nearest("completely", names));
	assert_null(options_nearest("gzip", none));
	memset(endless, 'g', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	assert_null(options_nearest(endless, names));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
