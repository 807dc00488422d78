/* SPDX-License-Identifier: MIT */
/* Digests. */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/openssl.h"

#include <stdlib.h>
#include <string.h>

#define DIGEST 32
#define BLOCKS 64		/* in a batch */

static int digest_in_pieces(const struct crypto *c, const EVP_MD *md, const uint8_t *data,
			    size_t len, uint8_t *out)
{
	EVP_MD_CTX *ctx = c->EVP_MD_CTX_new();
	int ok = ctx && c->EVP_DigestInit_ex(ctx, md, NULL);

	for (size_t at = 0; at < len && ok; at += OPENSSL_PIECE)
		ok = c->EVP_DigestUpdate(ctx, data + at, len - at < OPENSSL_PIECE ? len - at : OPENSSL_PIECE);
	ok = ok && c->EVP_DigestFinal_ex(ctx, out, NULL);
	c->EVP_MD_CTX_free(ctx);
	return ok;
}

/* Whole, as it is measured, and in pieces, as it is checked. */
static int digest_known(const struct openssl_shared *s, const EVP_MD *md, struct err *err)
{
	for (const struct digest_vector *v = s->a->digests; v->text; v++) {
		size_t n = strlen(v->text);
		uint8_t want[DIGEST], got[EVP_MAX_MD_SIZE], pieces[EVP_MAX_MD_SIZE];
		uint8_t *text = xmalloc(n * v->times);
		int ok;

		for (size_t i = 0; i < v->times; i++)
			memcpy(text + i * n, v->text, n);
		openssl_from_hex(v->digest, want, sizeof(want));
		ok = s->c.EVP_Digest(text, n * v->times, got, NULL, md, NULL) &&
			digest_in_pieces(&s->c, md, text, n * v->times, pieces) &&
			!memcmp(got, want, DIGEST) && !memcmp(pieces, want, DIGEST);
		free(text);
		if (!ok)
			return openssl_wrong("not the digest's published test vector", err);
	}
	return 0;
}

static int digest_begin(struct openssl_state *st, struct err *err)
{
	const struct crypto *c = &st->shared->c;

	st->md = c->EVP_MD_fetch(NULL, st->shared->a->name, NULL);
	if (!st->md)
		return openssl_failed(c, st->shared->a->name, err);
	return digest_known(st->shared, st->md, err);
}

uint64_t openssl_digest_batch(void *p)
{
	struct openssl_state *st = p;
	size_t len = st->shared->block;

	for (int i = 0; i < BLOCKS; i++)
		if (!st->shared->c.EVP_Digest(st->block, len, st->digest, NULL, st->md, NULL))
			st->broken = "libcrypto refused to digest a block";
	return BLOCKS * len;
}

static int digest_verify(struct openssl_state *st, struct err *err)
{
	uint8_t want[EVP_MAX_MD_SIZE];

	if (st->shared->flip_byte)
		st->digest[DIGEST / 2] ^= 1;
	if (!digest_in_pieces(&st->shared->c, st->md, st->block, st->shared->block, want))
		return openssl_failed(&st->shared->c, st->shared->a->name, err);
	if (memcmp(st->digest, want, DIGEST))
		return openssl_wrong("the digest of a block is not that of its pieces", err);
	return digest_known(st->shared, st->md, err);
}

const struct openssl_kind openssl_digest = { digest_begin, digest_verify };
