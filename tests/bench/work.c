/* SPDX-License-Identifier: MIT */
/*
 * work FILE ROUND NAME ROUNDS - fixed work of ROUNDS times about 0.1 s at the
 * bottom of calls of different depths, then appends its own CPU time to FILE as
 * "ROUND NAME seconds". With a sampler at work, what that takes more is what
 * sampling costs the program. FILE "-" writes nothing; ROUNDS 0 never ends.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static volatile uint64_t sink;

static __attribute__((noinline)) uint64_t leaf(uint64_t x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static __attribute__((noinline)) uint64_t table(uint64_t x, int n)
{
	static uint32_t t[16384];

	for (int i = 0; i < n; i++) {
		x = x * 6364136223846793005u + t[x >> 50];
		t[x >> 50] += (uint32_t)i;
	}
	return x;
}

/* The sum keeps the call from becoming a jump. */
static __attribute__((noinline)) uint64_t down(uint64_t x, int depth)
{
	if (depth == 0)
		return leaf(x, 40000) ^ table(x, 15000);
	return down(x + 1, depth - 1) + (uint64_t)depth;
}

int main(int argc, char **argv)
{
	long rounds = argc > 4 ? atol(argv[4]) : 4;
	struct rusage r;
	uint64_t x = 1;
	FILE *f;

	for (long k = 0; rounds == 0 || k < rounds; k++)
		for (int i = 0; i < 1300; i++)
			x = down(x, i % 20);
	sink = x;
	if (argc < 4 || !strcmp(argv[1], "-"))
		return 0;
	getrusage(RUSAGE_SELF, &r);
	f = fopen(argv[1], "a");
	if (!f)
		return 1;
	fprintf(f, "%s %s %.6f\n", argv[2], argv[3],
		(double)r.ru_utime.tv_sec + (double)r.ru_utime.tv_usec * 1e-6 +
		(double)r.ru_stime.tv_sec + (double)r.ru_stime.tv_usec * 1e-6);
	return fclose(f) != 0;
}
