/* SPDX-License-Identifier: MIT */
/*
 * flight_edit HOW IN OUT [KEY|SEED] - writes an edited copy of a flight.
 *
 * list: prints the keys. drop: without the answers under KEY. first: without
 * the first of them. short, grow: each loses its second half, or is doubled.
 * zero, ones: its bytes become 0 or 255. halve, clear: its last eight bytes are
 * a number, which is halved, or 0 (of a counter: how long it ran). noise: one byte in 500 of any
 * answer becomes another, by SEED. Lengths stay true in all of them.
 */
#include "src/base/buf.h"
#include "src/base/cursor.h"
#include "src/base/io.h"
#include "src/base/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "cpuprof flight 1\n"

static void add(struct buf *out, const void *key, uint32_t key_len, const void *data,
		uint32_t len)
{
	buf_addu32(out, key_len);
	buf_addu32(out, len);
	buf_add(out, key, key_len);
	buf_add(out, data, len);
}

static void edit(struct buf *out, const char *how, const void *key, uint32_t key_len,
		 const char *data, uint32_t len)
{
	struct buf b = BUF_INIT;
	uint64_t last;

	if (!strcmp(how, "short"))
		len /= 2;
	buf_add(&b, data, len);
	if (!strcmp(how, "grow"))
		buf_add(&b, data, len);
	if (!strcmp(how, "zero") && len)
		memset(b.data, 0, b.len);
	if (!strcmp(how, "ones") && len)
		memset(b.data, 0xff, b.len);
	if ((!strcmp(how, "halve") || !strcmp(how, "clear")) && len >= sizeof(last)) {
		memcpy(&last, b.data + b.len - sizeof(last), sizeof(last));
		last = !strcmp(how, "halve") ? last / 2 : 0;
		memcpy(b.data + b.len - sizeof(last), &last, sizeof(last));
	}
	add(out, key, key_len, b.data, (uint32_t)b.len);
	buf_release(&b);
}

static void noise(struct buf *out, const void *key, uint32_t key_len, const char *data,
		  uint32_t len, struct rng *r)
{
	struct buf b = BUF_INIT;

	buf_add(&b, data, len);
	for (uint32_t i = 0; i < len; i++)
		if (rng_below(r, 500) == 0)
			b.data[i] = (char)rng_u64(r);
	add(out, key, key_len, b.data, len);
	buf_release(&b);
}

int main(int argc, char **argv)
{
	struct buf in = BUF_INIT, out = BUF_INIT;
	struct err err = { 0 };
	struct cursor c;
	struct rng r;
	const char *how = argc > 3 ? argv[1] : "", *want = argc > 4 ? argv[4] : "";
	bool seen = false;

	if (argc < 4 || io_read_file(argv[2], (size_t)1 << 30, &in, &err) < 0) {
		fprintf(stderr, "flight_edit: %s\n", argc < 4 ? "HOW IN OUT [KEY]" : err.msg);
		return 2;
	}
	c = cursor_of(in.data, in.len, false);
	cursor_bytes(&c, strlen(MAGIC));
	buf_adds(&out, MAGIC);
	rng_init(&r, (uint64_t)atol(want));
	while (!c.bad && cursor_left(&c)) {
		uint32_t key_len = cursor_u32(&c), len = cursor_u32(&c);
		const char *key = cursor_bytes(&c, key_len), *data = cursor_bytes(&c, len);
		bool match;

		if (c.bad)
			return 2;
		match = strlen(want) == key_len && !memcmp(key, want, key_len);
		if (!strcmp(how, "list"))
			printf("%.*s\n", (int)key_len, key);
		else if (!strcmp(how, "noise"))
			noise(&out, key, key_len, data, len, &r);
		else if (!match || (seen && !strcmp(how, "first")))
			add(&out, key, key_len, data, len);
		else if (strcmp(how, "drop") && strcmp(how, "first"))
			edit(&out, how, key, key_len, data, len);
		seen |= match;
	}
	if (strcmp(how, "list") && io_write_file(argv[3], out.data, out.len, &err) < 0) {
		fprintf(stderr, "flight_edit: %s\n", err.msg);
		return 2;
	}
	buf_release(&in);
	buf_release(&out);
	return 0;
}
