/*
 * server_start.h - inside the worker of a server: its processes begin and end.
 */
#ifndef CPUPROF_RUN_SERVER_START_H
#define CPUPROF_RUN_SERVER_START_H

#include "src/run/server.h"

#include <signal.h>
#include <sys/types.h>

struct server_process {
	const struct server_ask *ask;
	struct workload_serving serving;
	pid_t pid;			/* 0: does not run */
	pid_t *processes;		/* room for ask->n of them */
};

/* Set when the worker is asked to stop. */
extern volatile sig_atomic_t server_stopped;

/* On a free port, until it answers and all its processes are there, each in the place
 * of its CPU. 0 or a sentence; server_stop() is due then as well. */
int server_start(struct server_process *s, struct err *err);
void server_stop(struct server_process *s);
/* Frees the words of both commands. */
void server_forget_commands(struct server_process *s);

/* A file of its folder; caller frees. */
char *server_file(const struct server_process *s, const char *name);

#endif
