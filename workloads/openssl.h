/*
 * openssl.h - what the files of the openssl workloads share. openssl.c has the
 * table of algorithms; openssl_aead.c, openssl_digest.c and openssl_key.c are
 * the kinds of work.
 */
#ifndef CPUPROF_WORKLOADS_OPENSSL_H
#define CPUPROF_WORKLOADS_OPENSSL_H

#include "workloads/library.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#define OPENSSL_PIECE 40	/* bytes at a time when checking: other code than whole blocks */

#define OPENSSL_FUNCTIONS(X) \
	X(OpenSSL_version) X(ERR_get_error) X(ERR_reason_error_string) \
	X(EVP_CIPHER_fetch) X(EVP_CIPHER_free) X(EVP_CIPHER_CTX_new) X(EVP_CIPHER_CTX_free) \
	X(EVP_CIPHER_CTX_ctrl) X(EVP_CIPHER_CTX_set_padding) X(EVP_CipherInit_ex) \
	X(EVP_EncryptUpdate) X(EVP_EncryptFinal_ex) \
	X(EVP_DecryptInit_ex) X(EVP_DecryptUpdate) X(EVP_DecryptFinal_ex) \
	X(EVP_MD_fetch) X(EVP_MD_free) X(EVP_Digest) X(EVP_MD_CTX_new) X(EVP_MD_CTX_free) \
	X(EVP_DigestInit_ex) X(EVP_DigestUpdate) X(EVP_DigestFinal_ex) \
	X(EVP_PKEY_CTX_new_from_name) X(EVP_PKEY_CTX_new) X(EVP_PKEY_CTX_free) \
	X(EVP_PKEY_keygen_init) X(EVP_PKEY_CTX_ctrl_str) X(EVP_PKEY_keygen) X(EVP_PKEY_free) \
	X(EVP_PKEY_sign_init) X(EVP_PKEY_sign) X(EVP_PKEY_verify_init) X(EVP_PKEY_verify) \
	X(EVP_PKEY_CTX_set_signature_md) \
	X(i2d_PrivateKey) X(d2i_AutoPrivateKey) X(d2i_PUBKEY)

struct crypto {
	OPENSSL_FUNCTIONS(LIBRARY_MEMBER)
};

/* Published answers, in hexadecimal. */
struct aead_vector {
	const char *key, *iv, *aad, *in, *out, *tag;
};

/* A text that many times over; ends with a NULL text. */
struct digest_vector {
	const char *text;
	size_t times;
	const char *digest;
};

/* A SHA-256 digest, its signature, and the key as SubjectPublicKeyInfo in DER. */
struct signature_vector {
	const char *public_key, *digest, *signature;
};

struct openssl_state;

/* A kind of work. */
struct openssl_kind {
	int (*begin)(struct openssl_state *st, struct err *err);
	int (*verify)(struct openssl_state *st, struct err *err);
};
extern const struct openssl_kind openssl_messages, openssl_stream, openssl_digest,
	openssl_key;
uint64_t openssl_message_batch(void *state);
uint64_t openssl_stream_batch(void *state);
uint64_t openssl_digest_batch(void *state);
uint64_t openssl_sign_batch(void *state);
uint64_t openssl_verify_batch(void *state);

/* What differs between the workloads: libcrypto's name for it, how to make a
 * key, and the answers that are known. */
struct algorithm {
	const struct openssl_kind *kind;
	const char *name;
	const char *option, *value;	/* of EVP_PKEY_CTX_ctrl_str() */
	size_t message;			/* bytes signed */
	const struct aead_vector *aead;
	const struct digest_vector *digests;
	const struct signature_vector *signature;
};

struct openssl_shared {
	void *handle;
	struct crypto c;
	const struct algorithm *a;
	size_t block;
	uint8_t *key;			/* private key in DER, owned */
	int key_len;
	int flip_byte;
};

struct openssl_state {
	const struct openssl_shared *shared;	/* borrowed */
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *seal;
	EVP_MD *md;
	EVP_PKEY *pkey;
	EVP_PKEY_CTX *sign, *verify;
	uint8_t *plain, *block;		/* what it was, and what is worked on; owned */
	uint8_t message[64], digest[EVP_MAX_MD_SIZE], signature[512];
	size_t signature_len;
	const char *broken;		/* what went wrong inside a batch */
};

/* The private key of s, in set-up. */
int openssl_make_key(struct openssl_shared *s, struct err *err);
/* "libcrypto: WHAT failed" and the last thing it complained about. */
int openssl_failed(const struct crypto *c, const char *what, struct err *err);
int openssl_wrong(const char *what, struct err *err);
/* Bytes of text in hexadecimal, at most room of them. */
size_t openssl_from_hex(const char *text, uint8_t *out, size_t room);

#endif
