/* SPDX-License-Identifier: MIT */
/* Ciphers that encrypt and authenticate: messages, or one long message. */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/openssl.h"

#include <string.h>

#define TAG 16
#define MESSAGES 64		/* in a batch; even, see message_verify() */
#define STREAM ((size_t)1 << 20)	/* bytes of the one message in a batch */
#define BLOCKS_MIN ((size_t)64)		/* of it */

static const uint8_t key[32] = "cpuprof's key of thirty-two byte";
static const uint8_t iv[12] = "an IV of 12.";
static const uint8_t aad[13] = { 0xcc };

/* One message, as it is measured. */
static int seal(const struct crypto *c, EVP_CIPHER_CTX *ctx, const uint8_t *with_key,
		const uint8_t *with_iv, const uint8_t *with_aad, size_t aad_len, uint8_t *block,
		size_t len)
{
	int n = 0, ok = c->EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, sizeof(iv), NULL);

	ok &= c->EVP_CipherInit_ex(ctx, NULL, NULL, with_key, with_iv, -1);
	ok &= c->EVP_EncryptUpdate(ctx, NULL, &n, with_aad, (int)aad_len);
	ok &= c->EVP_EncryptUpdate(ctx, block, &n, block, (int)len);
	ok &= c->EVP_EncryptFinal_ex(ctx, block, &n);
	return ok;
}

static int aead_known(const struct openssl_shared *s, EVP_CIPHER *cipher, struct err *err)
{
	const struct aead_vector *v = s->a->aead;
	const struct crypto *c = &s->c;
	EVP_CIPHER_CTX *ctx = c->EVP_CIPHER_CTX_new();
	uint8_t k[32], n[12], more[32], text[128], want[128], tag[TAG], want_tag[TAG];
	size_t len = openssl_from_hex(v->in, text, sizeof(text));
	size_t more_len = openssl_from_hex(v->aad, more, sizeof(more));
	int ok;

	openssl_from_hex(v->key, k, sizeof(k));
	openssl_from_hex(v->iv, n, sizeof(n));
	openssl_from_hex(v->out, want, sizeof(want));
	openssl_from_hex(v->tag, want_tag, sizeof(want_tag));
	ok = ctx && c->EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, 1) &&
		seal(c, ctx, k, n, more, more_len, text, len) &&
		c->EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag) &&
		!memcmp(text, want, len) && !memcmp(tag, want_tag, TAG);
	c->EVP_CIPHER_CTX_free(ctx);
	return ok ? 0 : openssl_wrong("not the cipher's published test vector", err);
}

static int aead_begin(struct openssl_state *st, struct err *err)
{
	const struct crypto *c = &st->shared->c;

	st->cipher = c->EVP_CIPHER_fetch(NULL, st->shared->a->name, NULL);
	st->seal = c->EVP_CIPHER_CTX_new();
	if (!st->cipher || !st->seal ||
	    !c->EVP_CipherInit_ex(st->seal, st->cipher, NULL, NULL, NULL, 1))
		return openssl_failed(c, st->shared->a->name, err);
	/* As speed does; it is set anew with every key. */
	c->EVP_CIPHER_CTX_set_padding(st->seal, 0);
	return aead_known(st->shared, st->cipher, err);
}

uint64_t openssl_message_batch(void *p)
{
	struct openssl_state *st = p;
	size_t len = st->shared->block;

	for (int i = 0; i < MESSAGES; i++)
		if (!seal(&st->shared->c, st->seal, key, iv, aad, sizeof(aad), st->block, len))
			st->broken = "libcrypto refused to encrypt a block";
	return MESSAGES * len;
}

/* Block and tag back to what was sealed, a piece at a time. */
static int aead_open(struct openssl_state *st, uint8_t *tag, EVP_CIPHER_CTX *ctx)
{
	const struct crypto *c = &st->shared->c;
	size_t len = st->shared->block;
	int n, ok = c->EVP_DecryptInit_ex(ctx, st->cipher, NULL, key, iv) &&
		c->EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, tag) &&
		c->EVP_DecryptUpdate(ctx, NULL, &n, aad, sizeof(aad));

	for (size_t at = 0; at < len && ok; at += OPENSSL_PIECE)
		ok = c->EVP_DecryptUpdate(ctx, st->block + at, &n, st->block + at,
					  (int)(len - at < OPENSSL_PIECE ? len - at : OPENSSL_PIECE));
	return ok && c->EVP_DecryptFinal_ex(ctx, st->block + len, &n) > 0 &&
		!memcmp(st->block, st->plain, len);
}

/* Both ciphers add a key stream, the same for the same IV: after an even number
 * of operations the block is what it was, and a byte that was ever wrong still
 * is. Once more, then opened the other way. */
static int message_verify(struct openssl_state *st, struct err *err)
{
	const struct crypto *c = &st->shared->c;
	size_t len = st->shared->block;
	EVP_CIPHER_CTX *ctx;
	uint8_t tag[TAG];
	int ok;

	if (st->shared->flip_byte)
		st->block[len / 2] ^= 1;
	if (memcmp(st->block, st->plain, len))
		return openssl_wrong("a block encrypted twice is not what it was", err);
	ctx = c->EVP_CIPHER_CTX_new();
	ok = ctx && seal(c, st->seal, key, iv, aad, sizeof(aad), st->block, len) &&
		c->EVP_CIPHER_CTX_ctrl(st->seal, EVP_CTRL_AEAD_GET_TAG, TAG, tag) &&
		memcmp(st->block, st->plain, len) && aead_open(st, tag, ctx);
	c->EVP_CIPHER_CTX_free(ctx);
	return ok ? aead_known(st->shared, st->cipher, err) :
		openssl_wrong("a block does not decrypt to what went in", err);
}

/* One message in blocks; its tag is made in the end. */

static size_t blocks_of(const struct openssl_state *st)
{
	size_t n = STREAM / st->shared->block;

	return n < BLOCKS_MIN ? BLOCKS_MIN : n;
}

uint64_t openssl_stream_batch(void *p)
{
	struct openssl_state *st = p;
	const struct crypto *c = &st->shared->c;
	size_t len = st->shared->block, blocks = blocks_of(st);
	int n, ok = c->EVP_CipherInit_ex(st->seal, NULL, NULL, key, iv, -1);

	memcpy(st->block, st->plain, len);
	for (size_t i = 0; i < blocks; i++)
		ok &= c->EVP_EncryptUpdate(st->seal, st->block, &n, st->block, (int)len);
	ok &= c->EVP_EncryptFinal_ex(st->seal, st->block, &n);
	if (!ok)
		st->broken = "libcrypto refused to encrypt a block";
	return blocks * len;
}

/* The same message, a piece at a time. */
static int stream_verify(struct openssl_state *st, struct err *err)
{
	const struct crypto *c = &st->shared->c;
	size_t len = st->shared->block, blocks = blocks_of(st);
	EVP_CIPHER_CTX *ctx = c->EVP_CIPHER_CTX_new();
	uint8_t tag[TAG], want[TAG];
	int n, ok = ctx && c->EVP_CIPHER_CTX_ctrl(st->seal, EVP_CTRL_AEAD_GET_TAG, TAG, tag) &&
		c->EVP_CipherInit_ex(ctx, st->cipher, NULL, key, iv, 1);

	if (st->shared->flip_byte)
		st->block[len / 2] ^= 1;
	for (size_t i = 0; i < blocks; i++)
		for (size_t at = 0; at < len && ok; at += OPENSSL_PIECE)
			ok = c->EVP_EncryptUpdate(ctx, st->plain + at, &n, st->plain + at,
						  (int)(len - at < OPENSSL_PIECE ? len - at :
							OPENSSL_PIECE));
	ok = ok && c->EVP_EncryptFinal_ex(ctx, st->plain, &n) &&
		c->EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, want) &&
		!memcmp(st->block, st->plain, len) && !memcmp(tag, want, TAG);
	c->EVP_CIPHER_CTX_free(ctx);
	return ok ? aead_known(st->shared, st->cipher, err) :
		openssl_wrong("the blocks of a message are not those of its pieces", err);
}

const struct openssl_kind openssl_messages = { aead_begin, message_verify };
const struct openssl_kind openssl_stream = { aead_begin, stream_verify };
