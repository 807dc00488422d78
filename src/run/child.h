/*
 * child.h - starting, watching and ending the process that does the work: a
 * worker of ours, or a command.
 */
#ifndef CPUPROF_RUN_CHILD_H
#define CPUPROF_RUN_CHILD_H

#include "src/base/buf.h"
#include "src/base/err.h"
#include "src/base/flight.h"
#include "src/run/protocol.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	struct flight *flight;		/* borrowed */
	/* Borrowed. 0: go on; a signal that asks to stop, negative when the
	 * child got it as well. */
	const volatile sig_atomic_t *stop;
	int passed_on;			/* the last one given to the child */
	pid_t pid;
	int control;			/* worker: write end, -1 */
	int messages;			/* worker: read end, -1 */
	int ended;			/* command: readable when it has ended, -1 */
	int failure;			/* read end; errno of a failed exec, -1 */
	uint64_t stopped_since_ns;	/* 0: runs */
	double stopped_s;
	bool gentle;			/* see child_how */
};

/* What a finished child used. */
struct child_usage {
	int status;			/* as waitpid() gives it */
	double user_s, sys_s;
	double run_delay_s;		/* -1: not known, it worked in further threads */
	double stopped_s;		/* as seen by looking every 0.2 s */
	uint64_t faults, major_faults, voluntary, involuntary;
};

/* How a child runs. */
struct child_how {
	const char *env, *env2;		/* "VAR=VALUE" added for it, or NULL */
	const char *program;		/* a worker's, when it is not this one; path */
	bool worker;			/* give it the protocol's descriptors */
	bool show_output;		/* a command's; else it is dropped */
	unsigned long fd_limit;		/* a command's soft limit, 0: as it is */
	char *const *envs;		/* a command's, before env; ends with NULL; or NULL */
	const char *folder;		/* a command's working folder, NULL: as it is */
	int in, out;			/* a command's standard input and output, 0: as above */
	const char *cpus;		/* a command's: "0,2", NULL: all */
	bool unprivileged;		/* a command's: nobody instead of root */
	bool gentle;			/* SIGTERM and some seconds before it is killed */
};

/* A child that waits before its exec, so that events can be attached to it.
 * argv: what to run, found as execvp does. A command finds the signals and the
 * limit of descriptors as cpuprof found them. */
int child_start(struct child *c, struct flight *f, const volatile sig_atomic_t *stop,
		char *const *argv, const struct child_how *how, struct err *err);
/* Let it exec. A command that cannot be executed is an error here: -ENOENT ... */
int child_release(struct child *c, struct err *err);
/* The next message: its type; 0 at the end, -EINTR when stopped. */
int child_message(struct child *c, struct buf *payload, struct err *err);
/* Let a worker that is ready begin. */
int child_go(struct child *c);
/* Readable when the child has something to say or has ended (commands). */
int child_fd(const struct child *c);
/* Has it ended, where there is no descriptor to tell (child_fd() is -1)? */
bool child_ended(const struct child *c);
/* Gives a command the signal that asked cpuprof to stop. For loops of callers;
 * child_wait() does it itself. */
void child_pass_signals(struct child *c);
/* Waits; kills it first when asked to. */
int child_wait(struct child *c, bool kill_it, struct child_usage *u);

#endif
