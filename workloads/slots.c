/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/slots.h"
#include "src/base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void slots_init(struct slots *s, const struct corpus *c,
		size_t (*bound)(const void *ctx, size_t len), const void *ctx)
{
	size_t total = 0;

	memset(s, 0, sizeof(*s));
	s->corpus = c;
	s->at = xcalloc(c->n, sizeof(*s->at));
	s->room = xcalloc(c->n, sizeof(*s->room));
	s->got = xcalloc(c->n, sizeof(*s->got));
	for (size_t i = 0; i < c->n; i++) {
		s->at[i] = total;
		s->room[i] = bound(ctx, c->docs[i].len);
		total += s->room[i];
	}
	s->out = xmalloc(total);
	memset(s->out, 0, total);	/* page faults belong to set-up */
}

void slots_put(struct slots *s, size_t i, size_t len)
{
	if (s->got[i] && s->got[i] != len)
		s->broken = "the same document gave outputs of different length";
	s->got[i] = len;
}

int slots_verify(struct slots *s, bool flip,
		 bool (*decompress)(const void *ctx, const uint8_t *in, size_t len, uint8_t *out,
				    size_t room), const void *ctx, struct err *err)
{
	const struct corpus *c = s->corpus;
	uint8_t *room;
	int rc = 0;

	if (s->broken)
		return err_set(err, -EBADMSG, "wrong output: %s", s->broken);
	if (flip)
		s->out[s->at[0] + s->got[0] / 2] ^= 1;
	room = xmalloc(c->len);
	for (size_t i = 0; i < c->n && rc == 0; i++) {
		const struct corpus_doc *d = &c->docs[i];

		if (s->got[i] && (!decompress(ctx, s->out + s->at[i], s->got[i], room, d->len) ||
				  memcmp(room, d->data, d->len)))
			rc = err_set(err, -EBADMSG, "wrong output: document %zu (%s, %zu bytes) "
				     "does not decompress to what went in", i, d->kind, d->len);
	}
	free(room);
	return rc;
}

void slots_release(struct slots *s)
{
	free(s->out);
	free(s->at);
	free(s->room);
	free(s->got);
}
