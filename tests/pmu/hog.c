/* SPDX-License-Identifier: MIT */
/*
 * hog N COMMAND [ARG...] - runs COMMAND where somebody else has N hardware
 * counters, or as many as there are: pinned on every CPU, the cycle counter first.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(a),
		.config = PERF_COUNT_HW_CPU_CYCLES, .pinned = 1,
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int want = argc > 2 ? atoi(argv[1]) : 0;

	if (want <= 0)
		return 2;
	for (int cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; i < want; i++) {
			long fd = syscall(SYS_perf_event_open, &a, -1, cpu, -1, 0);
			uint64_t v[1];

			if (fd < 0) {
				perror("hog");
				return 77;
			}
			/* One that finds no counter reads as end of file. */
			if (read((int)fd, v, sizeof(v)) != sizeof(v)) {
				close((int)fd);
				break;
			}
		}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
