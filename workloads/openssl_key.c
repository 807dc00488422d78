/* SPDX-License-Identifier: MIT */
/* Signatures: made, and verified. */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/openssl.h"

#define DIGEST 32

static int key_known(const struct openssl_shared *s, struct err *err)
{
	const struct signature_vector *v = s->a->signature;
	const struct crypto *c = &s->c;
	uint8_t der[512], digest[DIGEST], sig[512];
	size_t len = openssl_from_hex(v->public_key, der, sizeof(der));
	size_t sig_len = openssl_from_hex(v->signature, sig, sizeof(sig));
	const uint8_t *at = der;
	EVP_PKEY *pkey = c->d2i_PUBKEY(NULL, &at, (long)len);
	EVP_PKEY_CTX *ctx = pkey ? c->EVP_PKEY_CTX_new(pkey, NULL) : NULL;
	EVP_MD *md = c->EVP_MD_fetch(NULL, "sha256", NULL);
	int ok;

	openssl_from_hex(v->digest, digest, sizeof(digest));
	ok = ctx && md && c->EVP_PKEY_verify_init(ctx) == 1 &&
		c->EVP_PKEY_CTX_set_signature_md(ctx, md) == 1 &&
		c->EVP_PKEY_verify(ctx, sig, sig_len, digest, sizeof(digest)) == 1;
	digest[0] ^= 1;
	ok = ok && c->EVP_PKEY_verify(ctx, sig, sig_len, digest, sizeof(digest)) != 1;
	c->EVP_MD_free(md);
	c->EVP_PKEY_CTX_free(ctx);
	c->EVP_PKEY_free(pkey);
	return ok ? 0 : openssl_wrong("not the published test vector of a signature", err);
}

int openssl_make_key(struct openssl_shared *s, struct err *err)
{
	const struct crypto *c = &s->c;
	EVP_PKEY_CTX *ctx = c->EVP_PKEY_CTX_new_from_name(NULL, s->a->name, NULL);
	EVP_PKEY *pkey = NULL;
	uint8_t *at;
	int ok = ctx && c->EVP_PKEY_keygen_init(ctx) == 1 &&
		c->EVP_PKEY_CTX_ctrl_str(ctx, s->a->option, s->a->value) == 1 &&
		c->EVP_PKEY_keygen(ctx, &pkey) == 1;

	s->key_len = ok ? c->i2d_PrivateKey(pkey, NULL) : 0;
	if (s->key_len > 0) {
		s->key = at = xmalloc((size_t)s->key_len);
		c->i2d_PrivateKey(pkey, &at);
	}
	c->EVP_PKEY_free(pkey);
	c->EVP_PKEY_CTX_free(ctx);
	return s->key ? key_known(s, err) : openssl_failed(c, "making a key", err);
}

static int sign(struct openssl_state *st)
{
	st->signature_len = sizeof(st->signature);
	return st->shared->c.EVP_PKEY_sign(st->sign, st->signature, &st->signature_len,
					   st->message, st->shared->a->message) == 1;
}

static int verifies(struct openssl_state *st)
{
	return st->shared->c.EVP_PKEY_verify(st->verify, st->signature, st->signature_len,
					     st->message, st->shared->a->message) == 1;
}

static int key_begin(struct openssl_state *st, struct err *err)
{
	const struct crypto *c = &st->shared->c;
	const uint8_t *at = st->shared->key;

	for (size_t i = 0; i < sizeof(st->message); i++)
		st->message[i] = (uint8_t)i;
	st->pkey = c->d2i_AutoPrivateKey(NULL, &at, st->shared->key_len);
	st->sign = st->pkey ? c->EVP_PKEY_CTX_new(st->pkey, NULL) : NULL;
	st->verify = st->pkey ? c->EVP_PKEY_CTX_new(st->pkey, NULL) : NULL;
	if (!st->sign || !st->verify || c->EVP_PKEY_sign_init(st->sign) != 1 ||
	    c->EVP_PKEY_verify_init(st->verify) != 1 || !sign(st))
		return openssl_failed(c, "signing", err);
	return 0;
}

uint64_t openssl_sign_batch(void *p)
{
	struct openssl_state *st = p;

	if (!sign(st))
		st->broken = "libcrypto refused to sign";
	return 1;
}

uint64_t openssl_verify_batch(void *p)
{
	struct openssl_state *st = p;

	if (!verifies(st))
		st->broken = "a right signature is refused";
	return 1;
}

/* The last signature is right, and no longer when a bit of it changes. */
static int key_verify(struct openssl_state *st, struct err *err)
{
	uint8_t *middle = &st->signature[st->signature_len / 2];

	if (st->shared->flip_byte)
		*middle ^= 1;
	if (!verifies(st))
		return openssl_wrong("a signature does not verify", err);
	*middle ^= 1;
	if (verifies(st))
		return openssl_wrong("a spoilt signature verifies", err);
	return key_known(st->shared, err);
}

const struct openssl_kind openssl_key = { key_begin, key_verify };
