/*
 * sha256.h - SHA-256 (FIPS 180-4) of what a command wrote. Not one of the
 * workloads: those run libraries, in a worker.
 */
#ifndef CPUPROF_BASE_SHA256_H
#define CPUPROF_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint8_t block[64];
	uint64_t bytes;
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
/* Ends it: 64 hexadecimal digits in lower case. */
void sha256_hex(struct sha256 *s, char out[65]);

#endif
