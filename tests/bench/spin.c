/* SPDX-License-Identifier: MIT */
/* spin N - N thousandths of a fixed work of about a second and nothing else. */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	volatile uint64_t out;
	uint64_t x = 1;
	long n = argc > 1 ? atol(argv[1]) : 100;

	for (long i = 0; i < n * 700000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	out = x;
	return out == 0;
}
