/*
 * sampling.h - one recording of a child: the best event that opens, the file,
 * and the profile made from it.
 */
#ifndef CPUPROF_RUN_SAMPLING_H
#define CPUPROF_RUN_SAMPLING_H

#include "src/machine/machine.h"
#include "src/perf/recorder.h"
#include "src/profile/profile.h"
#include "src/result/result.h"
#include "src/run/child.h"

struct sampling {
	struct recorder rec;
	struct flight *flight;
	const struct machine *machine;
	char *path;			/* owned */
	int rate_hz;			/* after clamping */
	const char *event;		/* name of what is sampled, static */
	char reason[400];		/* why not something better; "" */
	bool open;
	bool closed;			/* perf lets nothing be sampled here */
};

/* Events on a child that has not exec'd yet. from_exec: sample from its exec
 * on; else sampling_enable() starts it and only maps are recorded before.
 * -errno with a sentence when nothing can be sampled here. */
int sampling_open(struct sampling *s, struct flight *f, const struct machine *m, pid_t pid,
		  int rate_hz, bool from_exec, const char *path, struct err *err);
void sampling_enable(struct sampling *s, bool on);
/* 1 when fd has become readable. */
int sampling_poll(struct sampling *s, int fd, int timeout_ms);
/* Ends the file. A full disk is a sentence; what was written stays. */
int sampling_finish(struct sampling *s, char *const *argv, struct err *err);
void sampling_release(struct sampling *s);

/* A finished recording as a part of the result. */
int sampling_profile(const char *path, struct flight *f, const struct machine *m,
		     struct result_profile *out, struct err *err);
void sampling_copy_profile(const struct profile *p, struct result_profile *out);

#endif
