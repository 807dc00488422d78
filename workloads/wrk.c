/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/wrk.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "workloads/program.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESULT "cpuprof:"
#define FIELDS 14

static const char script[] =
	"local requests, at, threads = {}, 0, 0\n"
	"function setup(thread)\n"
	"	thread:set('first', threads * 13)\n"
	"	threads = threads + 1\n"
	"end\n"
	"function init(args)\n"
	"	for i, path in ipairs(paths) do requests[i] = wrk.format('GET', path) end\n"
	"	at = first % #requests\n"
	"end\n"
	"function request()\n"
	"	at = at % #requests + 1\n"
	"	return requests[at]\n"
	"end\n"
	"function done(s, latency, all)\n"
	"	local e = s.errors\n"
	"	io.write(string.format('" RESULT
	" %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %d\\n',\n"
	"		s.duration, s.requests, s.bytes, e.connect, e.read, e.write, e.status, e.timeout,\n"
	"		latency:percentile(50), latency:percentile(75), latency:percentile(90),\n"
	"		latency:percentile(99), latency.max, connections))\n"
	"end\n";

int wrk_configure(const struct wrk *w, const char *paths, struct workload_serving *s,
		  struct err *err)
{
	char *path = xasprintf("%s/wrk.lua", w->dir);
	/* It gives each of its threads as many, and drops the rest. */
	int connections = w->connections - w->connections % s->load_threads;
	struct buf b = BUF_INIT;
	int n = 0, rc;

	buf_adds(&b, "paths = {\n");
	for (const char *p = paths; *p; p += strcspn(p, "\n") + 1)
		buf_printf(&b, "\t'%.*s',\n", (int)strcspn(p, "\n"), p);
	buf_printf(&b, "}\nconnections = %d\n", connections);
	if (w->encoding)
		buf_printf(&b, "wrk.headers['Accept-Encoding'] = '%s'\n", w->encoding);
	if (w->close)
		buf_adds(&b, "wrk.headers['Connection'] = 'close'\n");
	buf_adds(&b, script);
	rc = program_file(w->dir, "wrk.lua", b.data, b.len, err);
	s->load[n++] = xstrdup(w->program);
	s->load[n++] = xasprintf("-t%d", s->load_threads);
	s->load[n++] = xasprintf("-c%d", connections);
	/* Whole seconds are all it takes. */
	s->load[n++] = xasprintf("-d%.0fs", fmax(1, ceil(s->seconds)));
	s->load[n++] = xstrdup("-s");
	s->load[n++] = path;
	s->load[n] = xasprintf("https://127.0.0.1:%d/", s->port);
	buf_release(&b);
	return rc;
}

int wrk_read(const char *text, struct workload_load *out, struct err *err)
{
	const char *p = strstr(text, RESULT);
	double v[FIELDS];

	memset(out, 0, sizeof(*out));
	if (!p)
		return err_set(err, -EBADMSG, "wrk did not say what it counted: %.200s", text);
	p += strlen(RESULT);
	for (int i = 0; i < FIELDS; i++) {
		char *end;

		v[i] = strtod(p, &end);
		if (end == p || !(v[i] >= 0 && v[i] < 1e18))
			return err_set(err, -EBADMSG, "wrk's count number %d cannot be read: %.100s",
				       i + 1, p);
		p = end;
	}
	if (v[0] <= 0 || v[1] <= 0)
		return err_set(err, -EIO, "wrk was answered no request (%.0f errors)",
			       v[3] + v[4] + v[5] + v[6] + v[7]);
	out->seconds = v[0] * 1e-6;
	out->requests = (uint64_t)v[1];
	out->bytes = (uint64_t)v[2];
	out->errors = (uint64_t)(v[3] + v[4] + v[5] + v[6] + v[7]);
	for (int i = 0; i < 4; i++)
		out->latency_s[i] = v[8 + i] * 1e-6;
	out->latency_max_s = v[12] * 1e-6;
	out->connections = (int)fmin(v[13], 1e9);
	return 0;
}
