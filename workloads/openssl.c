/* SPDX-License-Identifier: MIT */
/*
 * openssl - libcrypto by its EVP functions: public keys, AEAD ciphers and a
 * digest, one workload each; another algorithm is a row at the end of this file.
 *
 * An operation is what "openssl speed -elapsed -aead" takes for one, so that
 * scores can be compared (apps/speed.c of 3.0.19, and what its calls show):
 *
 *	aes-128-gcm	a message: length of the IV, key and IV set, 13 bytes of
 *			additional data, the block in place, the tag
 *	chacha20-poly1305	the next block of one long message: speed passes over
 *			-aead for ciphers whose mode is not GCM, CCM, OCB or SIV, so
 *			it sets no IV and makes no tag. Here the message ends after
 *			1 MiB, so that there is a tag to check.
 *	chacha20-poly1305-tls	what aes-128-gcm does; speed has no such thing
 *	sha-256		EVP_Digest() of a block, a context of its own included
 *	signatures	EVP_PKEY_sign() or EVP_PKEY_verify() of 36 bytes (RSA, PKCS #1
 *			v1.5 without a digest's name) or 20 bytes (ECDSA)
 *
 * Every thread has a key object of its own: one that is shared takes a lock for
 * the blinding of RSA.
 */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/openssl.h"
#include "workloads/openssl_vectors.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

#define SPARE 16		/* behind a block, for a tag */

static const char *const names[] = { OPENSSL_FUNCTIONS(LIBRARY_NAME) NULL };
static const struct library library = { "libcrypto", "libcrypto.so.3", names };

int openssl_failed(const struct crypto *c, const char *what, struct err *err)
{
	unsigned long code = c->ERR_get_error();
	const char *why = code ? c->ERR_reason_error_string(code) : NULL;

	return err_set(err, -EIO, "libcrypto: %s failed%s%s", what, why ? ": " : "",
		       why ? why : "");
}

int openssl_wrong(const char *what, struct err *err)
{
	return err_set(err, -EBADMSG, "wrong output: %s", what);
}

size_t openssl_from_hex(const char *text, uint8_t *out, size_t room)
{
	size_t n = 0;
	unsigned v;

	while (n < room && sscanf(text + 2 * n, "%2x", &v) == 1)
		out[n++] = (uint8_t)v;
	return n;
}

static int load_crypto(struct openssl_shared *s, const char *path, struct workload_info *info,
		       struct err *err)
{
	int rc = library_open(&s->handle, &library, path, &s->c, info, err);

	if (rc == 0)
		snprintf(info->library_version, sizeof(info->library_version), "%s",
			 s->c.OpenSSL_version(OPENSSL_VERSION_STRING));
	return rc;
}

static void openssl_teardown(void *p)
{
	struct openssl_shared *s = p;

	if (!s)
		return;
	free(s->key);
	if (s->handle)
		dlclose(s->handle);
	free(s);
}

static int openssl_probe(struct workload_info *info, struct err *err)
{
	struct openssl_shared *s = xcalloc(1, sizeof(*s));
	int rc = load_crypto(s, NULL, info, err);

	openssl_teardown(s);
	return rc;
}

static int openssl_setup(const struct workload_env *env, void **shared,
			 struct workload_info *info, struct err *err)
{
	struct openssl_shared *s = xcalloc(1, sizeof(*s));
	int rc;

	s->a = env->row;
	s->block = (size_t)env->variant;
	s->flip_byte = env->flip_byte;
	rc = load_crypto(s, env->library, info, err);
	if (rc == 0 && s->a->signature)
		rc = openssl_make_key(s, err);
	if (rc < 0) {
		openssl_teardown(s);
		return rc;
	}
	*shared = s;
	return 0;
}

static void openssl_thread_end(void *p)
{
	struct openssl_state *st = p;
	const struct crypto *c;

	if (!st)
		return;
	c = &st->shared->c;
	c->EVP_CIPHER_CTX_free(st->seal);
	c->EVP_CIPHER_free(st->cipher);
	c->EVP_MD_free(st->md);
	c->EVP_PKEY_CTX_free(st->sign);
	c->EVP_PKEY_CTX_free(st->verify);
	c->EVP_PKEY_free(st->pkey);
	free(st->plain);
	free(st->block);
	free(st);
}

static int openssl_thread_begin(void *p, void **state, struct err *err)
{
	struct openssl_shared *s = p;
	struct openssl_state *st = xcalloc(1, sizeof(*st));
	int rc;

	st->shared = s;
	st->plain = xmalloc(s->block + SPARE);
	st->block = xmalloc(s->block + SPARE);
	for (size_t i = 0; i < s->block + SPARE; i++)
		st->plain[i] = st->block[i] = (uint8_t)(i * 7 + i / 256);
	rc = s->a->kind->begin(st, err);
	if (rc < 0) {
		openssl_thread_end(st);
		return rc;
	}
	*state = st;
	return 0;
}

static int openssl_verify(void *p, struct err *err)
{
	struct openssl_state *st = p;

	return st->broken ? openssl_wrong(st->broken, err) : st->shared->a->kind->verify(st, err);
}

static const int block_sizes[] = { 16, 64, 256, 1024, 8192, 16384, 0 };

#define WORKLOAD(ID, NAME, SUMMARY, BATCH, ...) \
	extern const struct workload workload_##ID; \
	const struct workload workload_##ID = { \
		.name = NAME, .summary = SUMMARY, .library = "libcrypto", \
		.package = "libssl3", .probe = openssl_probe, .setup = openssl_setup, \
		.thread_begin = openssl_thread_begin, .batch = BATCH, \
		.verify = openssl_verify, .thread_end = openssl_thread_end, \
		.teardown = openssl_teardown, __VA_ARGS__ }

/* The default is a full record of TLS. */
#define BLOCKS \
	.unit = "B", .score_unit = "MB/s", .score_scale = 1e-6, \
	.variant_name = "block size", .variant_unit = "B", .variant_steps = block_sizes, \
	.variant_min = 16, .variant_max = 16384, .variant_default = 16384
#define SIGNATURES .unit = "signature", .score_unit = "signs/s", .score_scale = 1
#define VERIFICATIONS .unit = "verification", .score_unit = "verifies/s", .score_scale = 1

#define ROW(...) .row = &(const struct algorithm){ __VA_ARGS__ }
#define RSA_2048 ROW(&openssl_key, "RSA", "rsa_keygen_bits", "2048", 36, .signature = &rsa_2048_vector)
#define CHACHA20_POLY1305(KIND) \
	ROW(KIND, "chacha20-poly1305", .aead = &chacha20_poly1305_vector)
#define ECDSA_P256 ROW(&openssl_key, "EC", "ec_paramgen_curve", "P-256", 20, .signature = &ecdsa_p256_vector)

WORKLOAD(rsa_2048_sign, "rsa-2048-sign", "sign with RSA, 2048 bits", openssl_sign_batch,
	 SIGNATURES, RSA_2048);
WORKLOAD(rsa_2048_verify, "rsa-2048-verify", "verify signatures of RSA, 2048 bits",
	 openssl_verify_batch, VERIFICATIONS, RSA_2048);
WORKLOAD(ecdsa_p256_sign, "ecdsa-p256-sign", "sign with ECDSA on curve P-256", openssl_sign_batch,
	 SIGNATURES, ECDSA_P256);
WORKLOAD(ecdsa_p256_verify, "ecdsa-p256-verify", "verify signatures of ECDSA on curve P-256",
	 openssl_verify_batch, VERIFICATIONS, ECDSA_P256);
WORKLOAD(aes_128_gcm, "aes-128-gcm", "encrypt and authenticate messages, AES-128-GCM",
	 openssl_message_batch, BLOCKS,
	 ROW(&openssl_messages, "aes-128-gcm", .aead = &aes_128_gcm_vector));
WORKLOAD(chacha20_poly1305, "chacha20-poly1305",
	 "encrypt and authenticate a stream of blocks", openssl_stream_batch, BLOCKS,
	 CHACHA20_POLY1305(&openssl_stream));
WORKLOAD(chacha20_poly1305_tls, "chacha20-poly1305-tls",
	 "the same, each block a record as TLS has them", openssl_message_batch, BLOCKS,
	 CHACHA20_POLY1305(&openssl_messages));
WORKLOAD(sha_256, "sha-256", "digests of blocks, SHA-256", openssl_digest_batch, BLOCKS,
	 ROW(&openssl_digest, "sha256", .digests = sha_256_vectors));
