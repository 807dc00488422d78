/*
 * progress.h - one line on the terminal with the time left; nothing when
 * standard error is not a terminal.
 */
#ifndef CPUPROF_BASE_PROGRESS_H
#define CPUPROF_BASE_PROGRESS_H

#include <stdbool.h>

struct progress {
	bool on;
	bool shown;		/* the line is on the screen */
	double total_s;		/* how long everything should take */
	double start_s;
	double drawn_s;
};

void progress_init(struct progress *p, double total_s, bool on);
/* what: the step now under way, a few words. Redraws at most 5 times a second. */
void progress_step(struct progress *p, const char *what);
void progress_clear(struct progress *p);

#endif
