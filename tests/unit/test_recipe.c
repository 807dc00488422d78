/* SPDX-License-Identifier: MIT */
/* Workloads in text files: what is read, what is refused with its line, and scores
 * found in outputs. */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/base/sha256.h"
#include "workloads/recipe.h"
#include "workloads/recipe_words.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int parse(struct recipe *r, const char *text, struct err *err)
{
	return recipe_parse(r, text, strlen(text), "dir/t.workload", "/here", err);
}

static const struct { int line; const char *text, *error; } bad[] = {
	{ __LINE__, "", "dir/t.workload: a workload wants a run line" },
	{ __LINE__, "# only\n", "wants a run line" },
	{ __LINE__, "wobble x\n", "dir/t.workload:1: 'wobble' is no directive" },
	{ __LINE__, "\n\nrun\n", "dir/t.workload:3: run wants a command" },
	{ __LINE__, "run ''\n", "t.workload:1: run wants a command" },
	{ __LINE__, "run a\nrun b\n", "t.workload:2: 'run' stands here twice" },
	{ __LINE__, "run 'a\n", "t.workload:1: a quote is not closed" },
	{ __LINE__, "run a \"b\\\"\n", "t.workload:1: a quote is not closed" },
	{ __LINE__, "run a | b\n", "t.workload:1: no shell reads this: '|'" },
	{ __LINE__, "run a && b\n", "no shell reads this: '&&'" },
	{ __LINE__, "run a 2>&1\n", "no shell reads this" },
	{ __LINE__, "run a >> b\n", "no shell reads this" },
	{ __LINE__, "run a >\n", "t.workload:1: '>' wants a file" },
	{ __LINE__, "run a > ''\n", "'>' wants a file" },
	{ __LINE__, "run a > b > c\n", "'>' stands here twice" },
	{ __LINE__, "run > b\n", "run wants a command" },
	{ __LINE__, "run ./a\n", "t.workload:1: './a' is no full path" },
	{ __LINE__, "run bin/a\n", "'bin/a' is no full path" },
	{ __LINE__, "run a {thread}\n", "t.workload:1: '{thread}' is none of {threads}, {dir}, {here}" },
	{ __LINE__, "run a \"{print}\"\n", "'{print}' is none of" },
	{ __LINE__, "run a\x01" "b\n", "t.workload:1: byte 0x01 is no text" },
	{ __LINE__, "run a\x1b[31m\n", "byte 0x1b is no text" },
	{ __LINE__, "run a\nsetup b {threads}\n", "t.workload:2: setup has no number of threads" },
	{ __LINE__, "run a\nteardown b {threads}\n", "t.workload:2: teardown has no number" },
	{ __LINE__, "run a\nverify b {threads}\n", "t.workload:2: {threads} stands in verify" },
	{ __LINE__, "run a\nversion b {threads}\n", "t.workload:2: version has neither" },
	{ __LINE__, "run a\nversion b > c\n", "t.workload:2: version has neither" },
	{ __LINE__, "run a\nenv X\n", "t.workload:2: env wants NAME=VALUE" },
	{ __LINE__, "run a\nenv =x\n", "env wants NAME=VALUE" },
	{ __LINE__, "run a\nenv {dir}=x\n", "env wants NAME=VALUE" },
	{ __LINE__, "run a\nenv A=b c\n", "env wants NAME=VALUE" },
	{ __LINE__, "run a\nneeds a\n", "t.workload:2: needs wants PROGRAM PACKAGE" },
	{ __LINE__, "run a\nneeds a ''\n", "needs wants PROGRAM PACKAGE" },
	{ __LINE__, "run a\nneeds {dir} b\n", "have no place in 'needs'" },
	{ __LINE__, "run a\nwork 5\n", "t.workload:2: work wants NUMBER UNIT" },
	{ __LINE__, "run a\nwork 0 B\n", "'0' is no number of operations" },
	{ __LINE__, "run a\nwork -1 B\n", "'-1' is no number of operations" },
	{ __LINE__, "run a\nwork nan B\n", "'nan' is no number" },
	{ __LINE__, "run a\nwork 1e300 B\n", "'1e300' is no number" },
	{ __LINE__, "run a\nwork 99999999999999999999 B\n", "is no number" },
	{ __LINE__, "run a\nwork 5 a/b\n", "'a/b' is no unit" },
	{ __LINE__, "run a\nwork 5 ''\n", "'' is no unit" },
	{ __LINE__, "run a\nwork 5 abcdefghijklmnopqrstuvwxyz\n", "is no unit" },
	{ __LINE__, "run a\nwork 5 B\nwork-file x\n", "t.workload:3: the work stands here twice" },
	{ __LINE__, "run a\nwork-file x y\n", "work-file wants FILE" },
	{ __LINE__, "run a {threads}\nwork-file x{threads}\n", "work-file wants a file, the same" },
	{ __LINE__, "run a\nscore \"%f\"\n", "t.workload:2: score wants \"PATTERN\" UNIT" },
	{ __LINE__, "run a\nscore speed MB/s\n", "t.workload:2: 'speed' is no pattern" },
	{ __LINE__, "run a\nscore \"%f %f\" MB/s\n", "is no pattern" },
	{ __LINE__, "run a\nscore \"%d %f\" MB/s\n", "is no pattern" },
	{ __LINE__, "run a\nscore \"%f %\" MB/s\n", "is no pattern" },
	{ __LINE__, "run a\nscore %f \"MB s\"\n", "'MB s' is no unit" },
	{ __LINE__, "run a\nscore %f /s\n", "'/s' is no unit" },
	{ __LINE__, "run a\nscore %f x/s\nseconds %f\n", "t.workload:3: there is a pattern above, in line 2" },
	{ __LINE__, "run a\nscore %f x/s\nwork 5 B\n", "t.workload:2: work and score exclude" },
	{ __LINE__, "run a\n\nseconds %f\n", "t.workload:3: seconds wants work" },
	{ __LINE__, "run a\nexpect-exit 256\n", "t.workload:2: '256' is no exit status" },
	{ __LINE__, "run a\nexpect-exit x\n", "'x' is no exit status" },
	{ __LINE__, "run a\nexpect-exit -1\n", "'-1' is no exit status" },
	{ __LINE__, "run a\nexpect-output-sha256 1234\n", "t.workload:2: '1234' is no SHA-256" },
	{ __LINE__, "run a\nsummary a b\n", "t.workload:2: summary wants \"TEXT\"" },
	{ __LINE__, "run a\nsummary a\nsummary b\n", "t.workload:3: 'summary' stands here twice" },
};

static void bad_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = { 0 };
		struct recipe r;
		int rc = parse(&r, bad[i].text, &err);

		if (rc != -EINVAL || !strstr(err.msg, bad[i].error))
			fail_msg("line %d: %d, '%s', want '%s'", bad[i].line, rc, err.msg, bad[i].error);
	}
}

/* More of everything than there is room for. */
static void too_much(void **state)
{
	static const struct { const char *line, *error; } row[] = {
		{ "setup a\n", "t.workload:17: more than 16 lines 'setup'" },
		{ "verify a\n", "more than 16 lines 'verify'" },
		{ "teardown a\n", "more than 16 lines 'teardown'" },
		{ "env A=b\n", "t.workload:33: more than 32 lines 'env'" },
		{ "needs a b\n", "t.workload:17: more than 16 lines 'needs'" },
	};
	struct err err = { 0 };
	struct buf b = BUF_INIT;
	struct recipe r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		buf_clear(&b);
		for (int k = 0; k < 40; k++)
			buf_adds(&b, row[i].line);
		assert_int_equal(parse(&r, buf_str(&b), &err), -EINVAL);
		assert_non_null(strstr(err.msg, row[i].error));
	}
	buf_clear(&b);
	buf_adds(&b, "run");
	for (int k = 0; k < RECIPE_WORDS; k++)
		buf_adds(&b, " a");
	assert_int_equal(parse(&r, buf_str(&b), &err), -EINVAL);
	assert_non_null(strstr(err.msg, "t.workload:1: more than 128 words"));
	buf_clear(&b);
	buf_adds(&b, "run ");
	for (int k = 0; k < RECIPE_LINE; k++)
		buf_addc(&b, 'a');
	assert_int_equal(parse(&r, buf_str(&b), &err), -EINVAL);
	assert_non_null(strstr(err.msg, "t.workload:1: the line is longer than"));
	buf_release(&b);
	assert_int_equal(recipe_parse(&r, "run a\0b", 7, "t", "/", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "t:1: byte 0x00 is no text"));
}

static void words(void **state)
{
	/* As recipe_line() shows them, and with the places filled. */
	static const struct { int line; const char *text, *shown, *filled; } row[] = {
		{ __LINE__, "run a  b\tc # d\n", "a b c", "a|b|c" },
		{ __LINE__, "run a 'b c' \"d e\" f\r\n", "a 'b c' 'd e' f", "a|b c|d e|f" },
		{ __LINE__, "run a '{dir} {print}' {dir}/x\n", "a '{dir} {print}' {dir}/x",
		  "a|{dir} {print}|/tmp/d/x" },
		{ __LINE__, "run a -T{threads} \"{here}/b c\"\n", "a -T{threads} '{here}/b c'",
		  "a|-T3|/here/b c" },
		{ __LINE__, "run a --x='y z'w {} {1} {A}\n", "a '--x=y zw' {} {1} {A}",
		  "a|--x=y zw|{}|{1}|{A}" },
		{ __LINE__, "run a \"\\\"\\\\\\n\" '\\' b\\c ''\n", "a '\"\\\\n' \\ b\\c ''",
		  "a|\"\\\\n|\\|b\\c|" },
		{ __LINE__, "run a '|' '>' b#c < in > out\n", "a '|' '>' 'b#c' < in > out",
		  "a|||>|b#c" },
		{ __LINE__, "run {here}/prog x\n", "{here}/prog x", "/here/prog|x" },
	};
	const struct recipe_values v = { "3", "/tmp/d", "/here" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct err err = { 0 };
		struct buf b = BUF_INIT;
		struct recipe r;
		char *line, **argv;

		if (parse(&r, row[i].text, &err) < 0)
			fail_msg("line %d: %s", row[i].line, err.msg);
		line = recipe_line(&r.run);
		argv = recipe_argv(&r.run, &v);
		for (size_t k = 0; argv[k]; k++) {
			buf_printf(&b, "%s%s", k ? "|" : "", argv[k]);
			free(argv[k]);
		}
		if (strcmp(line, row[i].shown) || strcmp(buf_str(&b), row[i].filled))
			fail_msg("line %d: %s, %s", row[i].line, line, buf_str(&b));
		free(argv);
		free(line);
		buf_release(&b);
		recipe_release(&r);
	}
}

static void units(void **state)
{
	static const struct { int line; const char *text, *unit, *score; double scale; } row[] = {
		{ __LINE__, "", "run", "runs/s", 1 },
		{ __LINE__, "work 5 B\n", "B", "MB/s", 1e-6 },
		{ __LINE__, "work-file x\n", "B", "MB/s", 1e-6 },
		{ __LINE__, "work 2.5 query\n", "query", "query/s", 1 },
		{ __LINE__, "score %f MB/s\n", "B", "MB/s", 1e-6 },
		{ __LINE__, "score %f GiB/s\n", "B", "GiB/s", 1.0 / 1073741824 },
		{ __LINE__, "score %f requests/s\n", "requests", "requests/s", 1 },
		{ __LINE__, "score %f points\n", "op", "points", 1 },
		{ __LINE__, "seconds %f\nwork 7 B\n", "B", "MB/s", 1e-6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct err err = { 0 };
		struct buf b = BUF_INIT;
		struct recipe r;

		buf_printf(&b, "run a\n%s", row[i].text);
		if (parse(&r, buf_str(&b), &err) < 0)
			fail_msg("line %d: %s", row[i].line, err.msg);
		if (strcmp(r.unit, row[i].unit) || strcmp(r.score_unit, row[i].score) ||
		    fabs(r.score_scale / row[i].scale - 1) > 1e-12)
			fail_msg("line %d: %s, %s, %g", row[i].line, r.unit, r.score_unit, r.score_scale);
		buf_release(&b);
		recipe_release(&r);
	}
}

static void patterns(void **state)
{
	/* NAN: it is nowhere. */
	static const struct { int line; const char *pattern, *text; double want; } row[] = {
		{ __LINE__, "%f", "12.5\n", 12.5 },
		{ __LINE__, "%f", "-3e2", -300 },
		{ __LINE__, "%f", "no number\n", NAN },
		{ __LINE__, "%f", "", NAN },
		{ __LINE__, "speed: %f MB/s", "speed: 7 MB/s\n", 7 },
		{ __LINE__, "speed: %f MB/s", "the speed:   7.25\t MB/s, good\n", 7.25 },
		{ __LINE__, "speed: %f MB/s", "speed: 7 KB/s\n", NAN },
		{ __LINE__, "speed: %f MB/s", "speed: 7\nMB/s\n", NAN },
		{ __LINE__, "%f MB/s", "15 MB/s", 15 },
		{ __LINE__, "%f MB/s", "copied 100 B, 2.5 s, 40.5 MB/s", 40.5 },
		{ __LINE__, "%f MB/s", "1 MB/s\n2 MB/s\n3 kB/s\n", 2 },
		{ __LINE__, "), %f MB/s", "3#x : 10 -> 5 (x2.0), 72.9 MB/s, 300 MB/s \r 3#x\n", 72.9 },
		{ __LINE__, "total%*rate %f", "total 5 rate x rate 9\n", 9 },
		{ __LINE__, "total%*rate %f", "rate 5 total\n", NAN },
		{ __LINE__, "%*%*%f", "a1\n", 1 },
		{ __LINE__, "%f%%", "a 12% b 13%\n", 12 },
		{ __LINE__, "x%f", "xx.x.5x\n", .5 },
		{ __LINE__, "x%f", "x5e x\n", 5 },
		{ __LINE__, "x%f", "x1e400\n", INFINITY },
		{ __LINE__, " %f", "5 6\n", 6 },
	};
	char *long_line = xcalloc(1, (1 << 20) + 1);
	double v;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		bool found;

		v = NAN;
		found = recipe_match(row[i].pattern, row[i].text, strlen(row[i].text), &v);
		if (found == isnan(row[i].want) || (found && v != row[i].want &&
						    fabs(v - row[i].want) > 1e-9))
			fail_msg("line %d: %d, %g", row[i].line, found, v);
	}
	/* A long line of digits, or of blanks, takes no long time. */
	memset(long_line, '1', 1 << 20);
	assert_false(recipe_match("1%f x", long_line, 1 << 20, &v));
	memset(long_line, ' ', 1 << 20);
	assert_false(recipe_match(" %f", long_line, 1 << 20, &v));
	free(long_line);
}

static void names(void **state)
{
	static const char *const row[][2] = {
		{ "/a/b/xz.workload", "xz" }, { "./a b;c.workload", "a_b_c" }, { "noext", "noext" },
		{ "x/.workload", "_workload" }, { "..", "_." }, { "a/-x.workload", "_x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct err err = { 0 };
		struct recipe r;

		assert_int_equal(recipe_parse(&r, "run a", 5, row[i][0], "/", &err), 0);
		assert_string_equal(r.name, row[i][1]);
		recipe_release(&r);
	}
}

/* FIPS 180-4's examples, as NIST publishes them, and lengths around a block. */
static void digests(void **state)
{
	static const struct { size_t n; const char *text, *want; } row[] = {
		{ 0, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ 3, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ 56, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	struct sha256 s;
	char hex[65];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		sha256_init(&s);
		for (size_t k = 0; k < row[i].n; k++)
			sha256_add(&s, row[i].text + k, 1);
		sha256_hex(&s, hex);
		assert_string_equal(hex, row[i].want);
	}
	sha256_init(&s);
	for (int i = 0; i < 1000000; i += 100)
		sha256_add(&s, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 100);
	sha256_hex(&s, hex);
	assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_files), cmocka_unit_test(too_much), cmocka_unit_test(words),
		cmocka_unit_test(units), cmocka_unit_test(patterns), cmocka_unit_test(names),
		cmocka_unit_test(digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
