/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/flight.h"
#include "src/base/buf.h"
#include "src/base/io.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC_LEN 17

static char dir[] = "/tmp/test_flight-XXXXXX";
static char path[64];

static int make_dir(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/f", dir);
	return 0;
}

static int remove_dir(void **state)
{
	unlink(path);
	return rmdir(dir);
}

static void write_bytes(const void *data, size_t len)
{
	struct err err = { 0 };

	assert_int_equal(io_write_file(path, data, len, &err), 0);
}

static struct flight *replay(void)
{
	struct err err = { 0 };
	struct flight *f = flight_replay(path, &err);

	if (!f)
		fail_msg("%s", err.msg);
	return f;
}

static void wants(struct flight *f, const char *key, const char *want)
{
	const void *data;
	size_t len;
	bool got = flight_get(f, key, &data, &len);

	if (!want) {
		assert_false(got);
		return;
	}
	assert_true(got);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(data, want, len);
}

static void record_some(void)
{
	struct err err = { 0 };
	struct flight *f = flight_record(path, &err);

	assert_non_null(f);
	assert_true(flight_recording(f) && !flight_replaying(f));
	flight_put(f, "a", "first", 5);
	flight_put(f, "b", "other", 5);
	flight_put(f, "a", "", 0);
	flight_put_i64(f, "number", -42);
	flight_put(f, "a", "third", 5);
	flight_put(f, "", "no key", 6);
	assert_int_equal(flight_close(f, &err), 0);
}

/* Answers under one key come in order, whatever lies between. */
static void test_order(void **state)
{
	struct flight *f;

	record_some();
	f = replay();
	assert_true(flight_replaying(f) && !flight_recording(f));
	wants(f, "b", "other");
	wants(f, "a", "first");
	wants(f, "a", "");
	assert_int_equal(flight_get_i64(f, "number"), -42);
	wants(f, "a", "third");
	wants(f, "", "no key");
	/* All handed out, or never there. */
	wants(f, "a", NULL);
	wants(f, "b", NULL);
	wants(f, "", NULL);
	wants(f, "c", NULL);
	wants(f, "aa", NULL);
	assert_int_equal(flight_get_i64(f, "number"), -ENODATA);
	/* A replay does not change its file. */
	flight_put(f, "c", "new", 3);
	wants(f, "c", NULL);
	assert_int_equal(flight_close(f, NULL), 0);
}

static void test_wrong_size(void **state)
{
	struct err err = { 0 };
	struct flight *f = flight_record(path, &err);

	flight_put(f, "n", "1234", 4);
	flight_put(f, "n", "123456789", 9);
	flight_put_i64(f, "n", INT64_MIN);
	assert_int_equal(flight_close(f, &err), 0);
	f = replay();
	assert_int_equal(flight_get_i64(f, "n"), -ENODATA);
	assert_int_equal(flight_get_i64(f, "n"), -ENODATA);
	assert_true(flight_get_i64(f, "n") == INT64_MIN);
	flight_close(f, NULL);
}

/* No flight at all is an ordinary run. */
static void test_none(void **state)
{
	struct buf b = BUF_INIT;
	const void *data;
	uint64_t t;
	size_t len;

	assert_false(flight_replaying(NULL));
	assert_false(flight_recording(NULL));
	flight_put(NULL, "a", "b", 1);
	assert_false(flight_get(NULL, "a", &data, &len));
	assert_int_equal(flight_close(NULL, NULL), 0);
	t = flight_now_ns(NULL);
	assert_true(t > 0 && flight_now_ns(NULL) >= t);
	assert_true(flight_wall_ns(NULL) > 1600000000000000000u);
	assert_int_equal(flight_read_text(NULL, "/proc/self/stat", &b), 0);
	assert_true(b.len > 0);
	buf_release(&b);
}

/* Texts and clocks: what was seen then, not what is so now. */
static void test_seam(void **state)
{
	struct buf text = BUF_INIT, again = BUF_INIT;
	struct err err = { 0 };
	struct flight *f;
	uint64_t now, wall;

	f = flight_record(path, &err);
	buf_adds(&text, "before ");
	assert_int_equal(flight_read_text(f, "/proc/self/stat", &text), 0);
	assert_int_equal(flight_read_text(f, "/nonexistent", &text), -ENOENT);
	assert_int_equal(flight_read_text(f, "/proc/self/stat", &text), 0);
	now = flight_now_ns(f);
	wall = flight_wall_ns(f);
	assert_int_equal(flight_close(f, &err), 0);

	f = replay();
	buf_adds(&again, "before ");
	assert_int_equal(flight_read_text(f, "/proc/self/stat", &again), 0);
	assert_int_equal(flight_read_text(f, "/nonexistent", &again), -ENOENT);
	assert_int_equal(flight_read_text(f, "/proc/self/stat", &again), 0);
	assert_string_equal(buf_str(&text), buf_str(&again));
	assert_true(flight_wall_ns(f) == wall);
	assert_true(flight_now_ns(f) == now);
	/* A third time was not recorded. */
	assert_int_equal(flight_read_text(f, "/proc/self/stat", &again), -ENODATA);
	assert_string_equal(buf_str(&text), buf_str(&again));
	flight_close(f, NULL);
	buf_release(&text);
	buf_release(&again);
}

/* Larger than any buffer on the way, and many. */
static void test_large(void **state)
{
	enum { LEN = 300000, MANY = 20000 };
	char *big = malloc(LEN), key[32];
	struct err err = { 0 };
	struct flight *f;
	const void *data;
	size_t len;

	for (int i = 0; i < LEN; i++)
		big[i] = (char)(i * 7);
	f = flight_record(path, &err);
	for (int i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "key %d", i % 100);
		flight_put_i64(f, key, i);
	}
	flight_put(f, "big", big, LEN);
	assert_int_equal(flight_close(f, &err), 0);
	f = replay();
	assert_true(flight_get(f, "big", &data, &len));
	assert_int_equal(len, LEN);
	assert_memory_equal(data, big, LEN);
	for (int i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "key %d", i % 100);
		assert_int_equal(flight_get_i64(f, key), i);
	}
	flight_close(f, NULL);
	free(big);
}

/* Cut off anywhere: a sentence, or, between two entries, a shorter flight. */
static void test_cut(void **state)
{
	struct buf whole = BUF_INIT;
	size_t boundaries = 0;

	record_some();
	assert_int_equal(io_read_file(path, 1 << 20, &whole, NULL), 0);
	for (size_t len = 0; len < whole.len; len++) {
		struct err err = { 0 };
		struct flight *f;

		write_bytes(whole.data, len);
		f = flight_replay(path, &err);
		if (f) {
			boundaries++;
			if (len == MAGIC_LEN)
				wants(f, "a", NULL);
			else
				wants(f, "a", "first");
			flight_close(f, NULL);
			continue;
		}
		assert_int_equal(err.code, -EINVAL);
		assert_non_null(strstr(err.msg, len < MAGIC_LEN ? "is not a cpuprof flight" :
				       "is cut off after"));
	}
	assert_int_equal(boundaries, 6);	/* before each of the six entries */
	buf_release(&whole);
}

/* Lengths that point beyond the file, also when their sum wraps. */
static void test_lying_lengths(void **state)
{
	static const uint32_t lie[][2] = {
		{ 1, 100 }, { 100, 1 }, { UINT32_MAX, 0 }, { 0, UINT32_MAX },
		{ UINT32_MAX, UINT32_MAX }, { 0x80000000u, 0x80000000u }, { 5, UINT32_MAX - 4 },
	};

	for (size_t i = 0; i < sizeof(lie) / sizeof(lie[0]); i++) {
		struct buf b = BUF_INIT;
		struct err err = { 0 };

		buf_adds(&b, "cpuprof flight 1\n");
		buf_addu32(&b, lie[i][0]);
		buf_addu32(&b, lie[i][1]);
		buf_adds(&b, "0123456789");
		write_bytes(b.data, b.len);
		assert_null(flight_replay(path, &err));
		assert_non_null(strstr(err.msg, "is cut off after 0 entries"));
		buf_release(&b);
	}
}

static void test_errors(void **state)
{
	struct err err = { 0 };
	struct flight *f;

	assert_null(flight_record("/nonexistent/f", &err));
	assert_int_equal(err.code, -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/f"));
	assert_null(flight_replay("/nonexistent/f", &err));
	assert_null(flight_replay("/", &err));
	write_bytes("cpuprof flight 2\n", MAGIC_LEN);
	assert_null(flight_replay(path, &err));
	/* A full disk is not found out before the end, but then it is. */
	f = flight_record("/dev/full", &err);
	if (f) {
		flight_put(f, "a", "b", 1);
		err.code = 0;
		assert_int_equal(flight_close(f, &err), -ENOSPC);
		assert_non_null(strstr(err.msg, "is incomplete"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_wrong_size),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_seam),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_lying_lengths),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
