/* SPDX-License-Identifier: MIT */
/* A recording, from its first byte to the named functions. */
#include "config.h"
#include "src/profile/profile.h"
#include "src/profile/reading.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The reader wants a file; one in memory, of the input's size, serves. */
static void in_file(const uint8_t *data, size_t size, char path[64], int *fd)
{
	ssize_t n;

	*fd = memfd_create("fuzz", MFD_CLOEXEC);
	n = pwrite(*fd, data, size, 0);
	assert(n == (ssize_t)size);
	snprintf(path, 64, "/proc/self/fd/%d", *fd);
}

/* The hits by command too, which a report does not ask for. */
static void read_by_comm(const char *path)
{
	const struct profile_options o = { 0 };
	struct profile p = { 0 };
	struct reading r;
	struct err err = { 0 };

	if (reading_open(&r, &p, path, &err) == 0) {
		r.by_comm = true;
		reading_run(&r, &o);
	} else {
		assert(err.msg[0]);
	}
	reading_release(&r);
	profile_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct profile_options flat = { 0 }, all = {
		.entries = true, .branches = true, .insns = true };
	struct err err = { 0 };
	struct profile p;
	char path[64];
	int fd;

	in_file(data, size, path, &fd);
	if (profile_read(&p, path, &flat, &err) == 0) {
		uint64_t samples = 0, again = 0;

		for (size_t i = 0; i < p.n_events; i++)
			samples += p.events[i].samples;
		profile_release(&p);
		/* With call chains everything is counted in a second pass. */
		assert(profile_read(&p, path, &all, &err) == 0);
		for (size_t i = 0; i < p.n_events; i++)
			again += p.events[i].samples;
		assert(samples == again);
		profile_release(&p);
		read_by_comm(path);
	} else {
		assert(err.code < 0 && err.msg[0]);
	}
	close(fd);
	return 0;
}
