/*
 * err.h - an error is a code and a finished sentence.
 *
 * Functions that can fail return 0 (or a count) on success and -errno on
 * failure; their last parameter receives the sentence. It is untouched on
 * success. Sentences are lower case without a full stop; callers add context
 * in front with err_prefix(). Only src/cli prints them.
 */
#ifndef CPUPROF_BASE_ERR_H
#define CPUPROF_BASE_ERR_H

struct err {
	int code;		/* negative errno, 0 while unset */
	char msg[768];
};

/* Exit codes of the program, documented in cpuprof(1). */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,	/* something broke */
	EXIT_USAGE = 2,		/* the command line is wrong */
	EXIT_NOT_HERE = 3,	/* not possible on this machine */
};

/* Set the sentence; returns code (negative errno) for "return err_set(...)".
 * err may be NULL. */
int err_set(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "context: " in front of the sentence; returns err->code. */
int err_prefix(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
