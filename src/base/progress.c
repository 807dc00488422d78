/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void progress_init(struct progress *p, double total_s, bool on)
{
	memset(p, 0, sizeof(*p));
	p->on = on && isatty(STDERR_FILENO);
	p->total_s = total_s;
	p->start_s = now_s();
}

void progress_step(struct progress *p, const char *what)
{
	enum { WIDTH = 24 };
	char bar[WIDTH + 1];
	double now = now_s(), done, left;
	int full;

	if (!p->on || now - p->drawn_s < 0.2)
		return;
	p->drawn_s = now;
	done = p->total_s > 0 ? (now - p->start_s) / p->total_s : 1;
	if (done > 1)
		done = 1;
	left = p->total_s - (now - p->start_s);
	full = (int)(done * WIDTH);
	memset(bar, '.', WIDTH);
	memset(bar, '#', (size_t)full);
	bar[WIDTH] = '\0';
	fprintf(stderr, "\r\033[K[%s] %3.0f s left  %.40s", bar, left > 0 ? left : 0, what);
	fflush(stderr);
	p->shown = true;
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
