/* SPDX-License-Identifier: MIT */
/* needle_main - is there a clock? Exit 0 yes, 3 no (the reason is printed). */
#include "src/machine/needles.h"

#include <stdio.h>

int main(void)
{
	struct needle_check c;

	needle_check(0.3, &c);
	if (!c.ok) {
		printf("unavailable: %s\n", c.reason);
		return 3;
	}
	printf("%.0f MHz, a multiplication takes %.2f cycles\n", c.clock_hz / 1e6, c.mul_cycles);
	return 0;
}
