/* SPDX-License-Identifier: MIT */
/*
 * spin [ROUNDS] - computes and does nothing else: a chain of dependent
 * multiplications. ROUNDS of about 0.1 s, 4 by default; 0 never ends.
 */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 4;
	volatile uint64_t sink;
	uint64_t x = 1;

	for (long r = 0; rounds == 0 || r < rounds; r++)
		for (int i = 0; i < 75000000; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
	(void)sink;
	return 0;
}
