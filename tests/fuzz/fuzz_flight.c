/* SPDX-License-Identifier: MIT */
/* A flight from anywhere: refused, or it hands out answers that stay inside. */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/flight.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void ask(struct flight *f)
{
	static const char *const keys[] = { "argv", "clock raw", "ring 0", "worker message", "" };
	struct buf text = BUF_INIT;
	volatile unsigned char sum = 0;

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		const void *data;
		size_t len;

		while (flight_get(f, keys[k], &data, &len))
			for (size_t i = 0; i < len; i++)
				sum ^= ((const unsigned char *)data)[i];
	}
	flight_read_text(f, "/proc/stat", &text);
	flight_read_folder(f, "/sys", &text);
	flight_now_ns(f);
	buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("flight", MFD_CLOEXEC);
	char path[64];
	struct flight *f;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (io_write(fd, data, size) == 0 && (f = flight_replay(path, NULL))) {
		ask(f);
		flight_close(f, NULL);
	}
	close(fd);
	return 0;
}
