/* SPDX-License-Identifier: MIT */
/*
 * hot [ROUNDS] - ninety percent of its instructions are in hot(), ten in cold():
 * both run the same loop of two instructions. One round is 20,000 instructions.
 * Both are called by way of way(), for the call chains.
 */
#include <stdlib.h>

#define LOOP(n)						\
	do {						\
		unsigned long left = (n);		\
		__asm__ volatile("1: subs %0, %0, #1\n\t" \
				 "b.ne 1b" : "+r"(left) :: "cc"); \
	} while (0)

static __attribute__((noinline, noclone)) void hot(void)
{
	LOOP(9000);
}

static __attribute__((noinline, noclone)) void cold(void)
{
	LOOP(1000);
}

static __attribute__((noinline, noclone)) void way(long rounds)
{
	while (rounds-- > 0) {
		hot();
		cold();
	}
}

int main(int argc, char **argv)
{
	way(argc > 1 ? atol(argv[1]) : 10000);
	return 0;
}
