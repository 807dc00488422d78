/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/timer.h"
#include "src/base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct timer_sampler {
	timer_t timer;
	bool armed;
	uint32_t tid;
	uintptr_t stack_low, stack_high;	/* frame pointers must lie here */
	struct protocol_sample *v;
	size_t n, max;
	uint64_t dropped;
};

/* The handler finds its thread's sampler here. */
static __thread struct timer_sampler *own;

/* Return addresses by frame pointers. Code built without them leaves anything
 * in the register, so each step must lie on the stack and lead upwards. */
static uint32_t walk(const struct timer_sampler *t, uintptr_t fp, uint64_t *chain, uint32_t max)
{
	uint32_t n = 0;

	while (n < max && fp >= t->stack_low && fp < t->stack_high && t->stack_high - fp >= 16 &&
	       !(fp & 7)) {
		const uintptr_t *frame = (const uintptr_t *)fp;

		if (frame[1] < 4096)
			break;
		chain[n++] = frame[1];
		if (frame[0] <= fp)
			break;
		fp = frame[0];
	}
	return n;
}

static void on_timer(int sig, siginfo_t *info, void *context)
{
	struct timer_sampler *t = own;
	const ucontext_t *uc = context;
	struct protocol_sample *s;
	struct timespec ts;
	uintptr_t fp;

	(void)sig;
	if (!t || !t->armed)
		return;
	if (t->n == t->max) {
		t->dropped++;
		return;
	}
	s = &t->v[t->n];
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	s->time_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	s->tid = t->tid;
	s->weight = 1 + (uint32_t)(info->si_overrun > 0 ? info->si_overrun : 0);
#if defined(__x86_64__)
	s->ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	fp = (uintptr_t)uc->uc_mcontext.gregs[REG_RBP];
#elif defined(__aarch64__)
	s->ip = uc->uc_mcontext.pc;
	fp = uc->uc_mcontext.regs[29];
#endif
	s->n_chain = walk(t, fp, s->chain, PROTOCOL_CHAIN);
	t->n++;
}

static int start(struct timer_sampler *t, int rate_hz, struct err *err)
{
	struct sigaction sa = { .sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	long ns = 1000000000L / rate_hz;
	struct itimerspec every = { { 0, ns }, { 0, ns } };

	sigaction(SIGPROF, &sa, NULL);
	ev.sigev_notify_thread_id = (int)t->tid;
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &ev, &t->timer) < 0)
		return err_set(err, -errno, "cannot make a CPU timer: %s", strerror(errno));
	own = t;
	t->armed = true;
	if (timer_settime(t->timer, 0, &every, NULL) < 0) {
		t->armed = false;
		timer_delete(t->timer);
		return err_set(err, -errno, "cannot start a CPU timer: %s", strerror(errno));
	}
	return 0;
}

struct timer_sampler *timer_arm(int rate_hz, size_t max, struct err *err)
{
	struct timer_sampler *t = xcalloc(1, sizeof(*t));
	pthread_attr_t attr;
	void *low;
	size_t size;

	t->tid = (uint32_t)syscall(SYS_gettid);
	t->max = max;
	t->v = xcalloc(max, sizeof(*t->v));
	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		if (pthread_attr_getstack(&attr, &low, &size) == 0) {
			t->stack_low = (uintptr_t)low;
			t->stack_high = (uintptr_t)low + size;
		}
		pthread_attr_destroy(&attr);
	}
	if (start(t, rate_hz, err) < 0) {
		timer_free(t);
		return NULL;
	}
	return t;
}

void timer_disarm(struct timer_sampler *t)
{
	if (!t->armed)
		return;
	t->armed = false;
	timer_delete(t->timer);
	own = NULL;
}

const struct protocol_sample *timer_samples(const struct timer_sampler *t, size_t *n,
					    uint64_t *dropped)
{
	*n = t->n;
	*dropped = t->dropped;
	return t->v;
}

void timer_free(struct timer_sampler *t)
{
	if (!t)
		return;
	free(t->v);
	free(t);
}
