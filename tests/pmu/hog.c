/* SPDX-License-Identifier: MIT */
/*
 * hog COMMAND [ARG...] - runs COMMAND where somebody else has every hardware
 * counter: cycles, pinned on every CPU until no more of them count.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(a),
		.config = PERF_COUNT_HW_CPU_CYCLES, .pinned = 1,
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), held = 0;

	if (argc < 2)
		return 2;
	for (int cpu = 0; cpu < cpus; cpu++)
		for (;;) {
			long fd = syscall(SYS_perf_event_open, &a, -1, cpu, -1, 0);
			uint64_t v;

			if (fd < 0) {
				perror("hog");
				return 77;
			}
			/* One that finds no counter reads as end of file. */
			if (read((int)fd, &v, sizeof(v)) != sizeof(v)) {
				close((int)fd);
				break;
			}
			held++;
		}
	fprintf(stderr, "hog: holds %ld counters on %ld CPUs\n", held, cpus);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
