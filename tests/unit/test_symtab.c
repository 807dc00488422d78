/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/mem.h"
#include "src/symbol/dso.h"
#include "src/symbol/insn.h"
#include "src/symbol/symtab.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void add(struct symtab *t, uint64_t start, uint64_t end, const char *name, uint8_t rank)
{
	symtab_add(t, start, end, name, strlen(name), rank);
}

/* The name at addr, "" in an unnamed range, NULL when nothing is there. */
static const char *at(const struct symtab *t, uint64_t addr)
{
	const struct symtab_entry *e = symtab_find(t, addr);

	if (!e)
		return NULL;
	assert_true(addr >= e->start && addr < e->end);
	return e->range ? "" : symtab_name(t, e);
}

static void check(const struct symtab *t, uint64_t addr, const char *want)
{
	const char *got = at(t, addr);

	if (!want)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(nothing)", want);
}

/* perf's choice among symbols at one address, either way around. */
static void test_best_of_two(void **state)
{
	static const struct {
		const char *winner, *loser;
		uint64_t winner_size, loser_size;
		uint8_t winner_rank, loser_rank;
	} rows[] = {
		{ "sized", "unsized", 8, 0, SYMTAB_RANK_WEAK, SYMTAB_RANK_GLOBAL },
		{ "global", "weak", 8, 8, SYMTAB_RANK_GLOBAL, SYMTAB_RANK_WEAK },
		{ "local", "weak_one", 8, 8, SYMTAB_RANK_LOCAL, SYMTAB_RANK_WEAK },
		{ "global", "a_local_one", 8, 8, SYMTAB_RANK_GLOBAL, SYMTAB_RANK_LOCAL },
		{ "open", "__open64", 8, 8, SYMTAB_RANK_GLOBAL, SYMTAB_RANK_GLOBAL },
		{ "_x", "__xyz", 8, 8, SYMTAB_RANK_GLOBAL, SYMTAB_RANK_GLOBAL },
		{ "longer", "long", 8, 8, SYMTAB_RANK_GLOBAL, SYMTAB_RANK_GLOBAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int order = 0; order < 2; order++) {
			struct symtab t = { 0 };

			if (order)
				add(&t, 16, 16 + rows[i].loser_size, rows[i].loser,
				    rows[i].loser_rank);
			add(&t, 16, 16 + rows[i].winner_size, rows[i].winner, rows[i].winner_rank);
			if (!order)
				add(&t, 16, 16 + rows[i].loser_size, rows[i].loser,
				    rows[i].loser_rank);
			symtab_finish(&t);
			assert_int_equal(t.n, 1);
			check(&t, 16, rows[i].winner);
			symtab_release(&t);
		}
}

static void test_first_of_equals(void **state)
{
	struct symtab t = { 0 };

	add(&t, 64, 72, "later", SYMTAB_RANK_GLOBAL);
	add(&t, 16, 24, "abc", SYMTAB_RANK_GLOBAL);
	add(&t, 16, 24, "xyz", SYMTAB_RANK_GLOBAL);
	symtab_finish(&t);
	check(&t, 16, "abc");
	symtab_release(&t);
}

static void test_ends(void **state)
{
	struct symtab t = { 0 };

	add(&t, 0x1000, 0x1000, "open_end", SYMTAB_RANK_GLOBAL);
	add(&t, 0x1100, 0x1180, "sized", SYMTAB_RANK_GLOBAL);
	add(&t, 0x5000000, 0x5000000, "far", SYMTAB_RANK_GLOBAL);
	add(&t, 0x9000010, 0x9000010, "last", SYMTAB_RANK_GLOBAL);
	symtab_finish(&t);
	check(&t, 0xfff, NULL);
	check(&t, 0x1000, "open_end");
	check(&t, 0x10ff, "open_end");	/* up to the next */
	check(&t, 0x1100, "sized");
	check(&t, 0x117f, "sized");
	check(&t, 0x1180, NULL);	/* a gap stays one */
	check(&t, 0x5000fff, "far");	/* the next is too far away */
	check(&t, 0x5001000, NULL);
	check(&t, 0x9001fff, "last");
	check(&t, 0x9002000, NULL);
	symtab_release(&t);
}

static void test_enclosing(void **state)
{
	struct symtab t = { 0 };

	add(&t, 0x1000, 0x2000, "outer", SYMTAB_RANK_GLOBAL);
	add(&t, 0x1100, 0x1110, "inner", SYMTAB_RANK_LOCAL);
	symtab_finish(&t);
	check(&t, 0x10ff, "outer");
	check(&t, 0x1105, "inner");
	check(&t, 0x1110, "outer");
	symtab_release(&t);
}

static void test_ranges(void **state)
{
	struct symtab t = { 0 };

	symtab_add_range(&t, 0x1000, 0x1100);	/* the same as a function */
	symtab_add_range(&t, 0x1200, 0x1300);	/* alone */
	symtab_add_range(&t, 0x1040, 0x1080);	/* inside one */
	symtab_add_range(&t, 0x1380, 0x1480);	/* begins before one */
	symtab_add_range(&t, 0x1500, 0x1500);	/* empty */
	symtab_add_range(&t, 0x1600, 0x1500);	/* wrong way around */
	add(&t, 0x1000, 0x1100, "f", SYMTAB_RANK_GLOBAL);
	add(&t, 0x1400, 0x1500, "g", SYMTAB_RANK_LOCAL);
	symtab_finish(&t);
	check(&t, 0x1050, "f");
	check(&t, 0x1150, NULL);
	check(&t, 0x1250, "");
	check(&t, 0x1390, "");
	check(&t, 0x1400, "g");
	check(&t, 0x1480, "g");
	check(&t, 0x1500, NULL);
	symtab_release(&t);
}

static void test_empty(void **state)
{
	struct symtab t = { 0 };

	symtab_finish(&t);
	assert_null(symtab_find(&t, 0));
	add(&t, 5, 4, "backwards", SYMTAB_RANK_GLOBAL);
	symtab_finish(&t);
	assert_null(symtab_find(&t, 4));
	symtab_release(&t);
	symtab_release(&t);
}

/* The sort must not care where in the 64 bits starts differ. */
static void test_order(void **state)
{
	static const uint64_t starts[] = {
		0xffffffffc0000000, 0x10, 0x1000000000, 0x20, 0x7f0000000000, 0, 0x30000,
	};
	struct symtab t = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		add(&t, starts[i], starts[i] + 8, "abcdefg" + i, SYMTAB_RANK_GLOBAL);
	symtab_finish(&t);
	assert_int_equal(t.n, ARRAY_SIZE(starts));
	for (size_t i = 1; i < t.n; i++)
		assert_true(t.v[i - 1].start < t.v[i].start);
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		check(&t, starts[i] + 7, "abcdefg" + i);
	symtab_release(&t);
}

static void test_kallsyms(void **state)
{
	static const char text[] =
		"0000000000000000 A fixed_percpu_data\n"
		"ffffffff81000000 T _text\n"
		"ffffffff81000000 T startup_64\n"
		"ffffffff81000100 t helper\n"
		"ffffffff81000200 D some_data\n"
		"ffffffff81000300 W weak_one\n"
		"ffffffff81000300 t better_one\n"
		"\n"
		"garbage\n"
		"ffffffffc0000000 t mod_func\t[ext4]\n"
		"ffffffffc0000080 t last_no_newline";
	struct symtab_anchor anchor = { 0 };
	struct symtab t = { 0 };

	assert_false(symtab_kallsyms(&t, text, sizeof(text) - 1, &anchor));
	assert_int_equal(anchor.start, 0xffffffff81000000);
	assert_string_equal(anchor.name, "_text");
	symtab_finish(&t);
	check(&t, 0xffffffff81000000, "startup_64");	/* fewer underscores */
	check(&t, 0xffffffff81000180, "helper");
	check(&t, 0xffffffff81000250, "helper");	/* data does not end code */
	check(&t, 0xffffffff81000300, "better_one");
	check(&t, 0xffffffffc0000010, "mod_func");
	check(&t, 0xffffffffc0000085, "last_no_newline");
	symtab_release(&t);
}

static void test_kallsyms_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _text\n0000000000000000 t helper\n";
	struct symtab_anchor anchor = { 0 };
	struct symtab t = { 0 };

	assert_true(symtab_kallsyms(&t, text, sizeof(text) - 1, &anchor));
	assert_int_equal(anchor.start, 0);
	symtab_release(&t);
	assert_true(symtab_kallsyms(&t, "", 0, &anchor));
	symtab_release(&t);
}

static void test_perf_map(void **state)
{
	static const char text[] =
		"7f0000001000 40 LazyCompile:~add /app/main.js:12\n"
		"7f0000002000 0 empty\n"
		"nonsense\n"
		"7f0000003000\n"
		"ffffffffffffff00 200 wraps\n"
		"0x7f0000005000 10 prefixed\n"
		"7f0000004000 10 last";
	struct symtab t = { 0 };

	symtab_perf_map(&t, text, sizeof(text) - 1);
	symtab_finish(&t);
	check(&t, 0x7f0000001000, "LazyCompile:~add /app/main.js:12");
	check(&t, 0x7f000000103f, "LazyCompile:~add /app/main.js:12");
	check(&t, 0x7f0000001040, NULL);
	check(&t, 0x7f0000002000, NULL);
	check(&t, 0xffffffffffffff10, NULL);
	check(&t, 0x7f000000400f, "last");
	check(&t, 0x7f0000005008, "prefixed");
	symtab_release(&t);
}

/* A file that is refused must not take descriptor 0 along when freed. */
static void test_dso_refused(void **state)
{
	static const char *const paths[] = {
		"/proc/self/status", "/dev/null", "/nonexistent/file", "/", "[heap]", "[vdso]",
		"//anon", "[kernel.kallsyms]", "",
	};
	int in = dup2(open("/dev/null", O_RDONLY), 0);

	assert_int_equal(in, 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		const struct dso_key key = { .path = paths[i], .build_id = { 1 }, .build_id_len = 20 };
		struct dso *d = dso_new(NULL, &key);
		struct dso_symbol s;

		dso_lookup(d, 0x1000, &s);
		assert_null(s.name);
		assert_true(dso_status(d) >= DSO_CHANGED);
		dso_free(d);
		assert_int_not_equal(fcntl(0, F_GETFD), -1);
	}
}

static void instruction_classes(void **state)
{
	static const struct { int line; uint16_t machine; char code[8]; unsigned classes; } row[] = {
#ifdef __x86_64__
		{ __LINE__, EM_X86_64, "\x62\xf1\x6d\x48\xfe\xd9", INSN_AVX512 },	/* vpaddd zmm */
		{ __LINE__, EM_X86_64, "\x62\xe1\x7f\x28\x6f\x07", INSN_AVX256 | INSN_LOAD },
		{ __LINE__, EM_X86_64, "\x62\xf2\xed\x48\xb4\xd9", INSN_AVX512 | INSN_IFMA | INSN_HEAVY },
		{ __LINE__, EM_X86_64, "\x66\x0f\x38\xdc\xd1", INSN_SSE | INSN_AES },
		{ __LINE__, EM_X86_64, "\x62\xf2\x6d\x48\xdc\xd9", INSN_AVX512 | INSN_AES | INSN_VAES },
		{ __LINE__, EM_X86_64, "\x62\xf3\x6d\x48\x44\xd9\x01", INSN_AVX512 | INSN_CLMUL },
		{ __LINE__, EM_X86_64, "\x66\x0f\x3a\x44\xd1\x01", INSN_SSE | INSN_CLMUL },
		{ __LINE__, EM_X86_64, "\x0f\x38\xcb\xd1", INSN_SSE | INSN_SHA },
		{ __LINE__, EM_X86_64, "\x66\x48\x0f\x38\xf6\xd8", INSN_ADX },
		{ __LINE__, EM_X86_64, "\xc4\xe2\xe3\xf6\xc8", 0 },		/* mulx */
		{ __LINE__, EM_X86_64, "\x62\xf2\xed\x48\xa8\xd9", INSN_AVX512 | INSN_HEAVY },
		{ __LINE__, EM_X86_64, "\xc5\xec\x58\xd9", INSN_AVX256 | INSN_HEAVY },
		{ __LINE__, EM_X86_64, "\xc5\xed\xf4\xd9", INSN_AVX256 | INSN_HEAVY },	/* vpmuludq */
		{ __LINE__, EM_X86_64, "\x62\xf1\x7c\x48\x28\xd1", INSN_AVX512 },	/* vmovaps */
		{ __LINE__, EM_X86_64, "\x66\x0f\x6f\xd1", INSN_SSE },
		{ __LINE__, EM_X86_64, "\x8b\x07", INSN_LOAD },
		{ __LINE__, EM_X86_64, "\x89\x07", INSN_STORE },
		{ __LINE__, EM_X86_64, "\x01\x07", INSN_LOAD | INSN_STORE },
		{ __LINE__, EM_X86_64, "\x48\x8d\x47\x08", 0 },			/* lea */
		{ __LINE__, EM_X86_64, "\x75\x03", INSN_BRANCH },
		{ __LINE__, EM_X86_64, "\xe8\x04\x00\x00\x00", INSN_BRANCH },
		{ __LINE__, EM_X86_64, "\xc3", INSN_BRANCH },
		{ __LINE__, EM_X86_64, "\x01\xc3", 0 },
#endif
		{ __LINE__, EM_AARCH64, "\x01\x00\x00\x54", INSN_BRANCH },		/* b.ne */
		{ __LINE__, EM_AARCH64, "\x00\x00\x00\x94", INSN_BRANCH },
		{ __LINE__, EM_AARCH64, "\xc0\x03\x5f\xd6", INSN_BRANCH },		/* ret */
		{ __LINE__, EM_AARCH64, "\x00\x00\x00\xb4", INSN_BRANCH },		/* cbz */
		{ __LINE__, EM_AARCH64, "\x00\x00\x08\x36", INSN_BRANCH },		/* tbz */
		{ __LINE__, EM_AARCH64, "\x1f\x20\x03\xd5", 0 },			/* nop */
		{ __LINE__, EM_AARCH64, "\x01\x00\x00\xd4", 0 },			/* svc */
		{ __LINE__, EM_AARCH64, "\x20\x00\x40\xf9", INSN_LOAD },
		{ __LINE__, EM_AARCH64, "\x20\x00\x00\xf9", INSN_STORE },
		{ __LINE__, EM_AARCH64, "\x40\x04\x40\xa9", INSN_LOAD },		/* ldp */
		{ __LINE__, EM_AARCH64, "\x40\x04\x00\xad", INSN_STORE | INSN_NEON },	/* stp q */
		{ __LINE__, EM_AARCH64, "\x20\x00\xc0\x3d", INSN_LOAD | INSN_NEON },
		{ __LINE__, EM_AARCH64, "\x00\x00\x00\x58", INSN_LOAD },		/* literal */
		{ __LINE__, EM_AARCH64, "\x00\x00\x01\x8b", 0 },			/* add */
		{ __LINE__, EM_AARCH64, "\x20\x7c\x02\x9b", 0 },			/* mul */
		{ __LINE__, EM_AARCH64, "\x20\x84\x22\x4e", INSN_NEON },
		{ __LINE__, EM_AARCH64, "\x20\x48\x28\x4e", INSN_NEON | INSN_AES },
		{ __LINE__, EM_AARCH64, "\x20\x40\x02\x5e", INSN_NEON | INSN_SHA },
		{ __LINE__, EM_AARCH64, "\x20\x28\x28\x5e", INSN_NEON | INSN_SHA },
		{ __LINE__, EM_AARCH64, "\x20\x80\x62\xce", INSN_NEON | INSN_SHA },	/* sha512h */
		{ __LINE__, EM_AARCH64, "\x20\xe0\xe2\x0e", INSN_NEON | INSN_CLMUL },
		{ __LINE__, EM_AARCH64, "\x20\x00\xa2\x04", INSN_SVE },
		{ __LINE__, EM_AARCH64, "\x20\x0c\x42\x1f", INSN_NEON },		/* fmadd */
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		char code[16] = "";
		unsigned size, got;

		memcpy(code, row[i].code, sizeof(row[i].code));
		got = insn_classes(row[i].machine, code, sizeof(code), &size);
		if (got != row[i].classes || !size)
			fail_msg("line %d: 0x%x, %u bytes", row[i].line, got, size);
	}
	assert_int_equal(insn_classes(EM_X86_64, "\x0f", 1, &(unsigned){ 0 }), 0);
	assert_int_equal(insn_classes(EM_AARCH64, "\x0f", 1, &(unsigned){ 0 }), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_best_of_two),
		cmocka_unit_test(test_first_of_equals),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_enclosing),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_perf_map),
		cmocka_unit_test(instruction_classes),
		cmocka_unit_test(test_dso_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
