/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/share_cache.h"
#include "src/base/io.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_READINGS 20

/* What the readings are good for, one line. */
static void identity(struct flight *f, const struct machine *m, struct buf *out)
{
	struct buf boot = BUF_INIT;

	flight_read_text(f, "/proc/sys/kernel/random/boot_id", &boot);
	buf_printf(out, "%.*s %s", (int)strcspn(buf_str(&boot), "\n"), buf_str(&boot), m->model);
	buf_release(&boot);
}

/* The file's text. A flight knows it by a fixed name, wherever home is. */
static void read_cache(struct flight *f, struct buf *out)
{
	const void *data;
	size_t len;
	char *path;

	if (flight_replaying(f)) {
		if (flight_get(f, "core share cache", &data, &len))
			buf_add(out, data, len);
		return;
	}
	path = io_cache_path("core-share", false);
	if (path)
		io_read_file(path, 1 << 16, out, NULL);
	flight_put(f, "core share cache", buf_str(out), out->len);
	free(path);
}

void share_cache_load(struct result *r, struct flight *f, const struct machine *m)
{
	struct buf text = BUF_INIT, id = BUF_INIT;
	const char *p;

	read_cache(f, &text);
	identity(f, m, &id);
	p = buf_str(&text);
	if (id.len && !strncmp(p, buf_str(&id), id.len) && p[id.len] == '\n')
		for (p += id.len + 1; *p; p += strcspn(p, "\n"), p += *p == '\n') {
			unsigned cpu;
			double adds;

			if (sscanf(p, "%u %lf", &cpu, &adds) != 2 || !(adds > 0 && adds < 16) ||
			    cpu >= MACHINE_MAX_CPUS)
				continue;
			result_ref(r, cpu)->adds = adds;
			result_ref(r, cpu)->remembered = true;
		}
	buf_release(&text);
	buf_release(&id);
}

void share_cache_save(const struct result *r, const struct machine *m)
{
	struct buf b = BUF_INIT;
	char *path = io_cache_path("core-share", true);

	if (path && r->n_refs) {
		identity(NULL, m, &b);
		buf_addc(&b, '\n');
		for (size_t i = 0; i < r->n_refs; i++)
			/* Few readings may owe their best to luck. */
			if (r->refs[i].adds > 0 && (r->refs[i].remembered ||
						    r->refs[i].readings >= LEAST_READINGS))
				buf_printf(&b, "%u %.5f\n", r->refs[i].cpu, r->refs[i].adds);
		io_write_file(path, b.data, b.len, NULL);
	}
	buf_release(&b);
	free(path);
}
