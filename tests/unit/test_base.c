/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/cursor.h"
#include "src/base/err.h"
#include "src/base/io.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/strtab.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_buf(void **state)
{
	struct buf b = BUF_INIT;
	char *text, big[5000];

	assert_string_equal(buf_str(&b), "");
	buf_clear(&b);
	buf_add(&b, NULL, 0);
	assert_int_equal(b.len, 0);
	buf_adds(&b, "abc");
	buf_addc(&b, '-');
	buf_printf(&b, "%d %s", 42, "x");
	assert_string_equal(buf_str(&b), "abc-42 x");
	assert_int_equal(b.len, 8);
	buf_add(&b, "a\0b", 3);
	assert_int_equal(b.len, 11);
	assert_memory_equal(b.data + 8, "a\0b", 4);	/* and a NUL behind it */
	buf_clear(&b);
	assert_string_equal(buf_str(&b), "");
	memset(big, 'y', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	for (int i = 0; i < 100; i++)
		buf_printf(&b, "%s", big);
	assert_int_equal(b.len, 100 * (sizeof(big) - 1));
	assert_int_equal(strlen(b.data), b.len);
	text = buf_detach(&b);
	assert_int_equal(strlen(text), 100 * (sizeof(big) - 1));
	free(text);
	assert_null(b.data);
	text = buf_detach(&b);
	assert_string_equal(text, "");
	free(text);
	buf_addu32(&b, 0x01020304);
	buf_addu64(&b, 5);
	assert_int_equal(b.len, 12);
	buf_release(&b);
	buf_release(&b);
}

/* A reading past the end gives 0 from then on, and says so once and for all. */
static void test_cursor(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct cursor c = cursor_of(bytes, sizeof(bytes), false), s;

	assert_true(cursor_u16(&c) == 0x0201);
	assert_true(cursor_u32(&c) == 0x06050403);
	assert_true(cursor_u64(&c) == 0x0e0d0c0b0a090807);
	assert_false(c.bad);
	assert_int_equal(cursor_left(&c), 1);
	assert_int_equal(cursor_u16(&c), 0);
	assert_true(c.bad);
	assert_null(cursor_bytes(&c, 1));	/* though it is there */
	assert_int_equal(cursor_u32(&c), 0);
	s = cursor_of(bytes, sizeof(bytes), true);
	assert_true(cursor_u16(&s) == 0x0102);
	assert_true(cursor_u32(&s) == 0x03040506);
	assert_true(cursor_u64(&s) == 0x0708090a0b0c0d0e);
	s = cursor_of(bytes, sizeof(bytes), false);
	assert_null(cursor_bytes(&s, SIZE_MAX));
	s = cursor_of(NULL, 0, false);
	assert_int_equal(cursor_left(&s), 0);
	assert_int_equal(cursor_u64(&s), 0);
	assert_true(s.bad);
}

static void test_map(void **state)
{
	struct map m = MAP_INIT;
	bool fresh;

	assert_null(map_find(&m, 0));
	for (uint64_t k = 0; k < 20000; k++) {
		/* Keys whose low bits are all alike, too. */
		*map_put(&m, k << 32, &fresh) = k + 1;
		assert_true(fresh);
		*map_put(&m, ~k, NULL) = k + 2;
	}
	assert_int_equal(m.len, 40000);
	for (uint64_t k = 0; k < 20000; k++) {
		assert_int_equal(*map_find(&m, k << 32), k + 1);
		assert_int_equal(*map_put(&m, ~k, &fresh), k + 2);
		assert_false(fresh);
	}
	assert_null(map_find(&m, 12345));
	assert_int_equal(m.len, 40000);
	map_release(&m);
	map_release(&m);
	assert_null(map_find(&m, 0));
	assert_true(hash_bytes("a", 1) != hash_bytes("b", 1));
	assert_true(hash_bytes("", 0) == hash_bytes("x", 0));
}

static void test_strtab(void **state)
{
	struct strtab t = STRTAB_INIT;
	char s[32];
	uint32_t id;

	assert_int_equal(strtab_add(&t, ""), 0);
	assert_string_equal(strtab_get(&t, 0), "");
	id = strtab_add(&t, "one");
	assert_int_equal(strtab_addn(&t, "one and more", 3), id);
	for (int i = 0; i < 5000; i++) {
		snprintf(s, sizeof(s), "string %d", i);
		assert_int_equal(strtab_add(&t, s), id + 1 + (uint32_t)i);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(s, sizeof(s), "string %d", i);
		assert_string_equal(strtab_get(&t, id + 1 + (uint32_t)i), s);
		assert_int_equal(strtab_add(&t, s), id + 1 + (uint32_t)i);
	}
	assert_string_equal(strtab_get(&t, id), "one");
	strtab_release(&t);
}

static void test_err(void **state)
{
	struct err err = { 0 };
	char big[2000];

	assert_int_equal(err_set(&err, -ENOENT, "cannot open '%s'", "x"), -ENOENT);
	assert_string_equal(err.msg, "cannot open 'x'");
	assert_int_equal(err_prefix(&err, "loading %d", 1), -ENOENT);
	assert_string_equal(err.msg, "loading 1: cannot open 'x'");
	assert_int_equal(err_set(NULL, -EIO, "nobody listens"), -EIO);
	assert_true(err_prefix(NULL, "nobody listens") < 0);
	memset(big, 'z', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&err, -EIO, "%s", big);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	err_prefix(&err, "%s", big);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
}

static void test_mem(void **state)
{
	int *v = NULL;
	size_t cap = 0;
	char *s = xasprintf("%s-%d", "a", 5), *t;

	assert_string_equal(s, "a-5");
	free(s);
	t = xstrndup("abcdef", 3);
	assert_string_equal(t, "abc");
	free(t);
	free(xmalloc(0));
	free(xcalloc(0, 0));
	for (size_t n = 0; n < 10000; n++) {
		GROW(v, n, cap);
		v[n] = (int)n;
	}
	for (int n = 0; n < 10000; n++)
		assert_int_equal(v[n], n);
	assert_true(cap >= 10000 && cap < 40000);
	free(v);
}

/* Sizes that cannot be had end the process with a sentence, not with a small
 * block. */
static int dies(void (*f)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(0);
		f();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static volatile size_t half = SIZE_MAX / 2 + 2;

static void too_much(void)
{
	free(xcalloc(half, 2));
}

static void far_too_much(void)
{
	free(xmalloc(half));
}

static void test_mem_dies(void **state)
{
#ifndef CPUPROF_ASAN
	assert_true(dies(too_much));
	assert_true(dies(far_too_much));
#else
	(void)dies;
	(void)too_much;
	(void)far_too_much;
#endif
}

static void test_io(void **state)
{
	char dir[] = "/tmp/test_base-XXXXXX", path[128], data[100000], back[100];
	struct err err = { 0 };
	struct buf b = BUF_INIT;
	struct io_map map;
	struct stat st;
	int fds[2];

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a/b//c", dir);
	assert_int_equal(io_mkdirs(path, &err), 0);
	assert_int_equal(io_mkdirs(path, &err), 0);
	snprintf(path, sizeof(path), "%s/a/f", dir);
	memset(data, 'd', sizeof(data));
	assert_int_equal(io_write_file(path, data, sizeof(data), &err), 0);
	assert_int_equal(io_read_file(path, sizeof(data), &b, &err), 0);
	assert_int_equal(b.len, sizeof(data));
	assert_int_equal(io_read_file(path, sizeof(data) - 1, &b, &err), -EFBIG);
	assert_non_null(strstr(err.msg, "is larger than 99999 bytes"));
	assert_int_equal(io_map_file(path, &map, &err), 0);
	assert_int_equal(map.len, sizeof(data));
	assert_memory_equal(map.data, data, sizeof(data));
	io_map_release(&map);
	io_map_release(&map);
	/* It replaces; a failure leaves the old one and nothing beside it. */
	assert_int_equal(io_write_file(path, "new", 3, &err), 0);
	buf_clear(&b);
	assert_int_equal(io_read_file(path, 10, &b, &err), 0);
	assert_string_equal(buf_str(&b), "new");
	assert_int_equal(io_mkdirs(path, &err), -ENOTDIR);
	strcat(path, "/x");
	assert_true(io_mkdirs(path, &err) < 0);
	assert_true(io_write_file(path, "x", 1, &err) < 0);
	assert_non_null(strstr(err.msg, path));
	snprintf(path, sizeof(path), "%s/a", dir);
	assert_int_equal(io_map_file(path, &map, &err), -EINVAL);
	assert_true(io_write_file(path, "x", 1, &err) < 0);
	snprintf(path, sizeof(path), "%s/a.tmp", dir);
	assert_true(stat(path, &st) < 0);
	snprintf(path, sizeof(path), "%s/empty", dir);
	assert_int_equal(io_write_file(path, NULL, 0, &err), 0);
	assert_int_equal(io_map_file(path, &map, &err), 0);
	assert_true(map.len == 0 && map.data == NULL);
	io_map_release(&map);
	assert_int_equal(io_read_file("/nonexistent", 1, &b, &err), -ENOENT);
	assert_int_equal(io_read_file("/", 1, &b, &err), -EISDIR);
	buf_release(&b);

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(io_write(fds[1], "12345", 5), 0);
	close(fds[1]);
	assert_int_equal(io_read(fds[0], back, 100), 5);
	assert_int_equal(io_read(fds[0], back, 100), 0);
	close(fds[0]);
	assert_int_equal(io_read(fds[0], back, 1), -EBADF);
	assert_int_equal(io_write(fds[1], back, 1), -EBADF);
	fds[0] = open("/dev/full", O_WRONLY);
	if (fds[0] >= 0) {
		assert_int_equal(io_write(fds[0], back, 1), -ENOSPC);
		close(fds[0]);
	}
	snprintf(path, sizeof(path), "rm -rf %s", dir);
	assert_int_equal(system(path), 0);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A signal in the middle of a transfer is nobody's business. */
static void test_interrupted(void **state)
{
	struct sigaction sa = { .sa_handler = on_alarm };	/* no SA_RESTART */
	char c;
	int fds[2];
	pid_t pid, parent = getpid();

	sigaction(SIGUSR1, &sa, NULL);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 5; i++) {
			usleep(20000);
			kill(parent, SIGUSR1);
		}
		usleep(20000);
		_exit(write(fds[1], "x", 1) != 1);
	}
	assert_int_equal(io_read(fds[0], &c, 1), 1);
	assert_int_equal(c, 'x');
	while (waitpid(pid, NULL, 0) < 0)
		;
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buf),
		cmocka_unit_test(test_cursor),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_strtab),
		cmocka_unit_test(test_err),
		cmocka_unit_test(test_mem),
		cmocka_unit_test(test_mem_dies),
		cmocka_unit_test(test_io),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
