/*
 * timer.h - sampling without perf: a CPU-time timer for each thread of our own
 * worker and a signal, for machines where perf_event_open is closed.
 *
 * Worker side: timer_arm() and timer_disarm() in the thread itself; the handler
 * stores address and frame-pointer chain. Parent side: timer_write() makes a
 * perf.data file of what the worker sent, so that everything later is the same.
 * User code only; the kernel checks such timers at its tick, so rates above
 * CONFIG_HZ (250 or 1000) give fewer samples, each with the weight of those
 * that were missed.
 */
#ifndef CPUPROF_RUN_TIMER_H
#define CPUPROF_RUN_TIMER_H

#include "src/base/err.h"
#include "src/machine/machine.h"
#include "src/run/protocol.h"

#include <stdbool.h>
#include <stddef.h>

#define TIMER_EVENT "thread-timer:u"

struct timer_sampler;

/* For the calling thread; room for max samples. NULL with a sentence. */
struct timer_sampler *timer_arm(int rate_hz, size_t max, struct err *err);
/* Stops it; the samples stay readable until timer_free(). */
void timer_disarm(struct timer_sampler *t);
const struct protocol_sample *timer_samples(const struct timer_sampler *t, size_t *n,
					    uint64_t *dropped);
void timer_free(struct timer_sampler *t);	/* NULL-safe */

/* A recording of n samples; maps is the text of the worker's /proc/self/maps. */
int timer_write(const char *path, const struct machine *m, const char *comm, uint32_t pid,
		int rate_hz, const char *maps, const struct protocol_sample *v, size_t n,
		struct flight *f, char *const *argv, struct err *err);

#endif
