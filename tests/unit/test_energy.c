/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/mem.h"
#include "src/machine/energy.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAP "/sys/class/powercap/intel-rapl:"
#define PMU "/sys/bus/event_source/devices/power/"

/* A text as the machine would have it, or its absence. */
static void text(struct flight *f, const char *path, const char *value)
{
	char *key = xasprintf("text %s", path);

	flight_put_i64(f, key, value ? 0 : -ENOENT);
	if (value)
		flight_put(f, key, value, strlen(value));
	free(key);
}

/* Records what fill says, then opens it for replay. */
static struct flight *made(void (*fill)(struct flight *f))
{
	char path[] = "/tmp/test_energy.XXXXXX";
	int fd = mkstemp(path);
	struct err err = { 0 };
	struct flight *f;

	assert_true(fd >= 0);
	close(fd);
	f = flight_record(path, &err);
	assert_non_null(f);
	fill(f);
	assert_int_equal(flight_close(f, &err), 0);
	f = flight_replay(path, &err);
	assert_non_null(f);
	unlink(path);
	return f;
}

/* Two packages; the second one's register goes round. 1 s and 100 J idle. */
static void two_packages(struct flight *f)
{
	text(f, PMU "type", NULL);
	text(f, CAP "0/name", "package-0\n");
	text(f, CAP "0/max_energy_range_uj", "262143328850\n");
	text(f, CAP "1/name", "package-1\n");
	text(f, CAP "1/max_energy_range_uj", "1000000000\n");
	text(f, CAP "2/name", NULL);
	/* Tried, then the look at the idle machine, then the window. */
	text(f, CAP "0/energy_uj", "1000000\n");
	text(f, CAP "1/energy_uj", "900000000\n");
	text(f, CAP "0/energy_uj", "1000000\n");
	text(f, CAP "1/energy_uj", "900000000\n");
	text(f, CAP "0/energy_uj", "51000000\n");
	text(f, CAP "1/energy_uj", "950000000\n");
	text(f, CAP "0/energy_uj", "51000000\n");
	text(f, CAP "1/energy_uj", "950000000\n");
	text(f, CAP "0/energy_uj", "53000000\n");
	text(f, CAP "1/energy_uj", "20000000\n");
	flight_put_i64(f, "clock raw", 0);
	flight_put_i64(f, "clock raw", 1000000000);
}

static void powercap(void **state)
{
	struct flight *f = made(two_packages);
	struct energy_reading a, b;
	struct energy e;
	double idle;

	energy_open(&e, f, &idle);
	assert_string_equal(e.source, "2 packages by powercap");
	assert_true(fabs(idle - 100) < 1e-6);
	energy_read(&e, &a);
	energy_read(&e, &b);
	/* 2 J, and 50 to the wrap and 20 behind it. */
	assert_true(fabs(energy_between(&e, &a, &b) - 72) < 1e-6);
	energy_close(&e);
	flight_close(f, NULL);
}

static void nothing(struct flight *f)
{
	text(f, PMU "type", NULL);
	text(f, CAP "0/name", NULL);
}

static void only_root(struct flight *f)
{
	text(f, PMU "type", NULL);
	text(f, CAP "0/name", "package-0\n");
	text(f, CAP "0/max_energy_range_uj", "262143328850\n");
	text(f, CAP "0/energy_uj", NULL);
	text(f, CAP "1/name", NULL);
}

static void platform_only(struct flight *f)
{
	text(f, PMU "type", "9\n");
	text(f, PMU "events/energy-pkg", NULL);
	text(f, CAP "0/name", NULL);
}

static void denied(struct flight *f)
{
	text(f, PMU "type", "9\n");
	text(f, PMU "events/energy-pkg", "event=0x02\n");
	text(f, PMU "events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	text(f, PMU "cpumask", "0,18\n");
	flight_put_i64(f, "event open", -EACCES);
	flight_put_i64(f, "event open", -EACCES);
	text(f, CAP "0/name", NULL);
}

/* As in a guest: it opens, and does not move. */
static void stands_still(struct flight *f)
{
	text(f, PMU "type", "9\n");
	text(f, PMU "events/energy-pkg", "event=0x02\n");
	text(f, PMU "events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	text(f, PMU "cpumask", "0\n");
	flight_put_i64(f, "event open", 77);
	flight_put_i64(f, "energy", 5);
	flight_put_i64(f, "energy", 5);
}

static void unavailable(void **state)
{
	static const struct { int line; void (*fill)(struct flight *f); const char *reason; } row[] = {
		{ __LINE__, nothing, "no RAPL" },
		{ __LINE__, only_root, "readable by root only" },
		{ __LINE__, platform_only, "no energy-pkg" },
		{ __LINE__, denied, "perf_event_paranoid" },
		{ __LINE__, stands_still, "does not advance" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct flight *f = made(row[i].fill);
		struct energy_reading r;
		struct energy e;
		double idle = 1;

		energy_open(&e, f, &idle);
		if (e.source[0] || !strstr(e.reason, row[i].reason) || idle != 0)
			fail_msg("line %d: '%s' '%s'", row[i].line, e.source, e.reason);
		energy_read(&e, &r);
		assert_false(r.ok);
		assert_true(energy_between(&e, &r, &r) < 0);
		energy_close(&e);
		flight_close(f, NULL);
	}
}

static void logs(void **state)
{
	static const struct {
		int line;
		const char *text, *wrong;
		double t0, t1, joules;
	} row[] = {
		{ __LINE__, "10,50\n20,50\n", NULL, 12, 14, 100 },
		{ __LINE__, "time,watts\n10,50\n20,50\n", NULL, 10, 20, 500 },
		{ __LINE__, "# meter\r\n10,0\r\n20,100\r\n", NULL, 10, 20, 500 },
		{ __LINE__, "10,1000,j\n20,1500,j\n30,1500,j\n", NULL, 15, 25, 250 },
		{ __LINE__, "10,50\n20,50\n", NULL, 5, 14, -1 },
		{ __LINE__, "10,50\n20,50\n", NULL, 12, 21, -1 },
		{ __LINE__, "10,50\n20,50\n30,5", NULL, 12, 14, 100 },
		{ __LINE__, "10,50\n20,50\n30,", NULL, 12, 14, 100 },
		{ __LINE__, "10,50\n", "fewer than two", 0, 0, 0 },
		{ __LINE__, "", "fewer than two", 0, 0, 0 },
		{ __LINE__, "10,50\n10,50\n20,1\n", "log:2: want", 0, 0, 0 },
		{ __LINE__, "10,50\n9,50\n20,1\n", "log:2: want", 0, 0, 0 },
		{ __LINE__, "10,50,j\n20,40,j\n30,1,j\n", "log:2: want", 0, 0, 0 },
		{ __LINE__, "10,-50\n20,50\n30,50\n", NULL, 21, 22, 50 },
		{ __LINE__, "10,50\n20,nan\n30,50\n", "log:2: want", 0, 0, 0 },
		{ __LINE__, "10,50\n20;50\n30,50\n", "log:2: want", 0, 0, 0 },
		{ __LINE__, "10,50\n20,50,x\n30,50\n", "log:2: want", 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct energy_log l;
		struct err err = { 0 };
		int rc = energy_log_parse(&l, row[i].text, strlen(row[i].text), "log", &err);
		double j = rc == 0 ? energy_log_between(&l, row[i].t0, row[i].t1) : 0;

		if ((rc == 0) != !row[i].wrong || (rc && !strstr(err.msg, row[i].wrong)) ||
		    (rc == 0 && fabs(j - row[i].joules) > 1e-9))
			fail_msg("line %d: %d '%s', %g J", row[i].line, rc, err.msg, j);
		if (rc == 0)
			energy_log_release(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(powercap),
		cmocka_unit_test(unavailable),
		cmocka_unit_test(logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
