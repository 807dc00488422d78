/* SPDX-License-Identifier: MIT */
/* What a web server answers and what the load generator says. */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/http.h"
#include "workloads/wrk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"

static void answers(void **state)
{
	static const struct {
		int line;
		const char *text;
		int status;		/* 0: refused, with the words of body */
		const char *encoding, *body;
	} row[] = {
		{ __LINE__, OK "Content-Length: 3\r\n\r\nabc", 200, "", "abc" },
		{ __LINE__, OK "\r\nabc", 200, "", "abc" },
		{ __LINE__, "HTTP/1.0 404 Not Found\n\nno", 404, "", "no" },
		{ __LINE__, OK "content-encoding:  gzip\r\nContent-Length: 0\r\n\r\n", 200, "gzip", "" },
		{ __LINE__, CHUNKED "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", 200, "", "abcde" },
		{ __LINE__, CHUNKED "A\r\n0123456789\r\n0\r\n", 200, "", "0123456789" },
		{ __LINE__, "", 0, "", "gave no answer" },
		{ __LINE__, "HTTP/2 200\r\n\r\n", 0, "", "does not speak HTTP" },
		{ __LINE__, "220 mail.example ESMTP\r\n\r\n", 0, "", "does not speak HTTP" },
		{ __LINE__, OK "Content-Length: 3\r\n", 0, "", "cut short" },
		{ __LINE__, OK "Content-Length: 4\r\n\r\nabc", 0, "", "has 3 bytes, not 4" },
		{ __LINE__, OK "Content-Length: 2\r\n\r\nabc", 0, "", "has 3 bytes, not 2" },
		{ __LINE__, CHUNKED "3\r\nabc\r\n", 0, "", "cut short" },
		{ __LINE__, CHUNKED "9\r\nabc\r\n0\r\n\r\n", 0, "", "cut short" },
		{ __LINE__, CHUNKED "ffffffffffffffff\r\nabc\r\n0\r\n\r\n", 0, "", "cut short" },
		{ __LINE__, CHUNKED "3x\r\nabc\r\n0\r\n\r\n", 0, "", "chunk of no length" },
		{ __LINE__, CHUNKED "\r\nabc\r\n0\r\n\r\n", 0, "", "cut short" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		char *text = xstrdup(row[i].text);
		struct http_answer a;
		struct err err = { 0 };
		int rc = http_parse(text, strlen(text), &a, &err);

		if ((rc == 0) != (row[i].status != 0) || (rc < 0 && !strstr(err.msg, row[i].body)) ||
		    (rc == 0 && (a.status != row[i].status || strcmp(a.encoding, row[i].encoding) ||
				 a.len != strlen(row[i].body) || memcmp(a.body, row[i].body, a.len))))
			fail_msg("line %d: %d '%s'", row[i].line, rc, err.msg);
		free(text);
	}
}

static void loads(void **state)
{
	static const char good[] = "Running 1s test\n  2 threads\ncpuprof: 2000000 40000 7e8 1 2 3 4 5 "
				   "440 610 790 1500 7000 64\n";
	static const struct { int line; const char *text, *error; } bad[] = {
		{ __LINE__, "", "did not say what it counted" },
		{ __LINE__, "unable to connect to 127.0.0.1:4433 Connection refused\n",
		  "did not say what it counted: unable to connect" },
		{ __LINE__, "cpuprof: 1 2 3\n", "count number 4 cannot be read" },
		{ __LINE__, "cpuprof: 1000000 -5 1 0 0 0 0 0 1 1 1 1 1 32\n", "count number 2" },
		{ __LINE__, "cpuprof: 1000000 nan 1 0 0 0 0 0 1 1 1 1 1 32\n", "count number 2" },
		{ __LINE__, "cpuprof: 1000000 0 0 7 0 0 0 0 1 1 1 1 1 32\n",
		  "answered no request (7 errors)" },
		{ __LINE__, "cpuprof: 0 10 10 0 0 0 0 0 1 1 1 1 1 32\n", "answered no request" },
	};
	struct workload_load load;
	struct err err = { 0 };

	assert_int_equal(wrk_read(good, &load, &err), 0);
	assert_true(fabs(load.seconds - 2) < 1e-9 && load.requests == 40000 && load.bytes == 700000000);
	assert_int_equal(load.errors, 15);
	assert_int_equal(load.connections, 64);
	assert_true(fabs(load.latency_s[0] - 440e-6) < 1e-12 && fabs(load.latency_s[3] - 1500e-6) < 1e-12 &&
		    fabs(load.latency_max_s - 7e-3) < 1e-12);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		err = (struct err){ 0 };
		if (wrk_read(bad[i].text, &load, &err) == 0 || !strstr(err.msg, bad[i].error))
			fail_msg("line %d: '%s'", bad[i].line, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
