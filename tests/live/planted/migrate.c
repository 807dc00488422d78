/* SPDX-License-Identifier: MIT */
/*
 * migrate - a migration storm: moves itself to and fro between two CPUs, with
 * a little work on each. 77 when there is only one.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>

#define MOVES 12000

int main(void)
{
	cpu_set_t all, one;
	volatile uint64_t sink;
	uint64_t x = 1;
	int cpus[2], n = 0;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return 1;
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &all))
			cpus[n++] = i;
	if (n < 2)
		return 77;
	for (int i = 0; i < MOVES; i++) {
		CPU_ZERO(&one);
		CPU_SET(cpus[i & 1], &one);
		if (sched_setaffinity(0, sizeof(one), &one) < 0)
			return 1;
		for (int k = 0; k < 4000; k++)
			x = x * 6364136223846793005u + 1;
	}
	sink = x;
	(void)sink;
	return 0;
}
