/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/formula.h"
#include "pmu/request.h"
#include "pmu/table.h"
#include "src/base/mem.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HEAD "cpu t \"Test\"\narch x86_64\nmatch GenuineIntel 6 0x8f-0x90 2-4\n" \
	     "source s \"a book\"\nwidth 6\ncounters 4\n" \
	     "event cycles raw:0x3c fixed s:A\nevent instructions raw:0xc0 fixed s:B\n"

static bool values(void *arg, const char *name, double *v)
{
	static const struct { const char *name; double v; } row[] = {
		{ "a", 6 }, { "b", 4 }, { "branch-misses", 12 }, { "zero", 0 }, { "x.y_z", 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		if (!strcmp(row[i].name, name)) {
			*v = row[i].v;
			return true;
		}
	return false;
}

static void formulas(void **state)
{
	static const struct { int line, rc; const char *text; double v; } row[] = {
		{ __LINE__, 0, "1 + 2 * 3", 7 },
		{ __LINE__, 0, "(1 + 2) * 3", 9 },
		{ __LINE__, 0, "a - b - 1", 1 },
		{ __LINE__, 0, "a / b / 3", 0.5 },
		{ __LINE__, 0, "-a + b", -2 },
		{ __LINE__, 0, "branch-misses / a", 2 },
		{ __LINE__, 0, "min(a,b) + max( a , b )", 10 },
		{ __LINE__, 0, "1.5e2 * x.y_z", 300 },
		{ __LINE__, -ENODATA, "a / zero", 0 },
		{ __LINE__, -ENODATA, "a + nothing", 0 },
		{ __LINE__, -EINVAL, "a +", 0 },
		{ __LINE__, -EINVAL, "(a", 0 },
		{ __LINE__, -EINVAL, "a b", 0 },
		{ __LINE__, -EINVAL, "min(a)", 0 },
		{ __LINE__, -EINVAL, "", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct err err = { 0 };
		double v = 0;
		int rc = formula_eval(row[i].text, values, NULL, &v, &err);

		if (rc != row[i].rc || fabs(v - row[i].v) > 1e-12)
			fail_msg("line %d: '%s' gives %d, %g (%s)", row[i].line, row[i].text, rc,
				 v, err.msg);
	}
}

static void deep_nesting_ends(void **state)
{
	char text[4001];
	struct err err = { 0 };
	double v;

	memset(text, '(', 4000);
	text[4000] = '\0';
	assert_int_equal(formula_eval(text, values, NULL, &v, &err), -EINVAL);
}

#define CAUSE HEAD "metric low percent \"cycles / instructions\" s:M\n"

static void tables_are_checked(void **state)
{
	static const struct { int line; const char *text, *error; } row[] = {
		{ __LINE__, HEAD "metric ipc ratio \"instructions / cycles\" s:M\n", NULL },
		{ __LINE__, HEAD "metric m ratio \"nothing / cycles\" s:M\n", "t.pmu:9: metric needs" },
		{ __LINE__, HEAD "metric m ratio \"m + 1\" s:M\n", "t.pmu:9: metric needs" },
		{ __LINE__, HEAD "metric m furlongs \"cycles\" s:M\n", "t.pmu:9: unit 'furlongs'" },
		{ __LINE__, HEAD "metric m ratio \"cycles / \" s:M\n", "t.pmu:9: a value is missing" },
		{ __LINE__, HEAD "metric m ratio \"cycles\" other:M\n", "t.pmu:9: source 'other'" },
		{ __LINE__, HEAD "event cycles raw:1 s:A\n", "t.pmu:9: event 'cycles' stands" },
		{ __LINE__, HEAD "event x raw:zz s:A\n", "t.pmu:9: 'raw:zz' is no event code" },
		{ __LINE__, HEAD "event x 0x12 s:A\n", "t.pmu:9: '0x12' is none of" },
		{ __LINE__, HEAD "event x raw:1 leader=nobody s:A\n", "t.pmu:9: leader 'nobody'" },
		{ __LINE__, HEAD "event x raw:1 wrong s:A\n", "t.pmu:9: event does not know 'wrong'" },
		{ __LINE__, HEAD "cost cycles 9 2 s:A\n", "t.pmu:9: cost of 'cycles'" },
		{ __LINE__, HEAD "cost x 1 2 s:A\n", "t.pmu:9: cost names an event" },
		{ __LINE__, HEAD "event x cache:0x10003 s:A\n", NULL },
		{ __LINE__, HEAD "cost cycles 1 2 s:A\nmetric m cycles \"cycles.low * 2\" s:M\n", NULL },
		{ __LINE__, HEAD "metric m cycles \"cycles.low * 2\" s:M\n", "t.pmu:9: metric needs" },
		{ __LINE__, HEAD "cost cycles 1 2 s:A\nmetric m cycles \"cycles.mid * 2\" s:M\n",
		  "t.pmu:10: metric needs" },
		{ __LINE__, CAUSE "cause a \"A\" low low evidence=low sample=cycles stack s:M\n"
			    "cause b \"B\" low low parent=a s:M\n", NULL },
		{ __LINE__, CAUSE "cause a \"A\" low s:M\n", "t.pmu:10: cause wants ID" },
		{ __LINE__, CAUSE "cause a \"A\" low ipc s:M\n", "t.pmu:10: cause 'a' is not between" },
		{ __LINE__, CAUSE "cause a \"A\" low low parent=b s:M\n", "t.pmu:10: parent 'b'" },
		{ __LINE__, CAUSE "cause a \"A\" low low parent=a s:M\n", "t.pmu:10: parent 'a'" },
		{ __LINE__, CAUSE "cause a \"A\" low low sample=x s:M\n", "t.pmu:10: cause samples 'x'" },
		{ __LINE__, CAUSE "cause a \"A\" low low evidence=x s:M\n", "t.pmu:10: evidence 'x'" },
		{ __LINE__, CAUSE "cause a \"A\" low low wrong s:M\n", "t.pmu:10: cause does not" },
		{ __LINE__, CAUSE "cause a \"A\" low low s:M\ncause a \"A\" low low s:M\n",
		  "t.pmu:11: cause 'a' stands" },
		{ __LINE__, HEAD "wobble 3\n", "t.pmu:9: 'wobble' is no directive" },
		{ __LINE__, HEAD "cpu \"open\n", "t.pmu:9: a quote is not closed" },
		{ __LINE__, "cpu t\narch x86_64\nmatch * * *\nsource s \"b\"\n"
			    "event cycles raw:1 s:A\n", "t.pmu: a table wants the roles" },
		{ __LINE__, "", "t.pmu: a table wants cpu" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct pmu_table t;
		struct err err = { 0 };
		int rc = pmu_table_parse(&t, row[i].text, "t.pmu", &err);

		if ((rc == 0) != !row[i].error || (row[i].error && !strstr(err.msg, row[i].error)))
			fail_msg("line %d: %d '%s'", row[i].line, rc, err.msg);
		if (rc == 0)
			pmu_table_release(&t);
	}
}

static void a_table_knows_its_cpu(void **state)
{
	struct pmu_table t;

	assert_int_equal(pmu_table_parse(&t, HEAD, "t.pmu", NULL), 0);
	assert_int_equal(pmu_table_fits(&t, "x86_64", "GenuineIntel", 6, 0x8f, 3), 2);
	assert_int_equal(pmu_table_fits(&t, "x86_64", "GenuineIntel", 6, 0x90, 4), 2);
	assert_int_equal(pmu_table_fits(&t, "x86_64", "GenuineIntel", 6, 0x91, 3), 0);
	assert_int_equal(pmu_table_fits(&t, "x86_64", "GenuineIntel", 6, 0x8f, 5), 0);
	assert_int_equal(pmu_table_fits(&t, "x86_64", "AuthenticAMD", 6, 0x8f, 3), 0);
	assert_int_equal(pmu_table_fits(&t, "aarch64", "GenuineIntel", 6, 0x8f, 3), 0);
	pmu_table_release(&t);
}

static void requests(void **state)
{
	static const struct {
		int line;
		const char *text, *error;
		size_t n;
		uint32_t type;
		uint64_t config;
		int user_only, precise, group;
	} row[] = {
		{ __LINE__, "cycles", NULL, 1, PERF_TYPE_RAW, 0x3c, 0, 0, -1 },
		{ __LINE__, "cycles:u", NULL, 1, PERF_TYPE_RAW, 0x3c, 1, 0, -1 },
		{ __LINE__, "instructions:upp", NULL, 1, PERF_TYPE_RAW, 0xc0, 1, 2, -1 },
		{ __LINE__, "r1c2", NULL, 1, PERF_TYPE_RAW, 0x1c2, 0, 0, -1 },
		{ __LINE__, "page-faults", NULL, 1, PERF_TYPE_SOFTWARE, 2, 0, 0, -1 },
		{ __LINE__, "{cycles,instructions},task-clock", NULL, 3, PERF_TYPE_SOFTWARE, 1, 0, 0, -1 },
		{ __LINE__, "task-clock,{cycles,instructions}", NULL, 3, PERF_TYPE_RAW, 0xc0, 0, 0, 0 },
		{ __LINE__, "cyclse", "did you mean 'cycles'", 0, 0, 0, 0, 0, 0 },
		{ __LINE__, "{cycles", "not closed", 0, 0, 0, 0, 0, 0 },
		{ __LINE__, "cycles}", "'}' without '{'", 0, 0, 0, 0, 0, 0 },
		{ __LINE__, "{cycles,{instructions}}", "a group within", 0, 0, 0, 0, 0, 0 },
		{ __LINE__, "nosuchpmu/event=1/", "no kernel PMU 'nosuchpmu'", 0, 0, 0, 0, 0, 0 },
		{ __LINE__, "../../etc/passwd/", "no kernel PMU", 0, 0, 0, 0, 0, 0 },
	};
	struct pmu_table t;

	assert_int_equal(pmu_table_parse(&t, HEAD, "t.pmu", NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		static struct pmu_requests r;
		struct err err = { 0 };
		const struct pmu_request *last;
		int rc;

		r.n = 0;
		rc = pmu_requests_parse(&r, row[i].text, &t, NULL, &err);
		if ((rc == 0) != !row[i].error || (row[i].error && !strstr(err.msg, row[i].error)))
			fail_msg("line %d: %d '%s'", row[i].line, rc, err.msg);
		if (rc < 0)
			continue;
		last = &r.v[r.n - 1];
		if (r.n != row[i].n || last->attr.type != row[i].type ||
		    last->attr.config != row[i].config ||
		    (int)last->attr.exclude_kernel != row[i].user_only ||
		    (int)last->attr.precise_ip != row[i].precise || last->group != row[i].group)
			fail_msg("line %d: n %zu type %u config %llx", row[i].line, r.n,
				 last->attr.type, (unsigned long long)last->attr.config);
	}
	pmu_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas),
		cmocka_unit_test(deep_nesting_ends),
		cmocka_unit_test(tables_are_checked),
		cmocka_unit_test(a_table_knows_its_cpu),
		cmocka_unit_test(requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
