/* SPDX-License-Identifier: MIT */
/*
 * runlimited SECONDS OUT ERR COMMAND...: runs a command with a time limit and
 * prints "exit CODE" or "signal N" or "timeout", and its largest resident set
 * in KiB. Its output goes to files.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void child(char **argv)
{
	int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	int err = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	int in = open("/dev/null", O_RDONLY);

	if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(err, 2) < 0)
		_exit(126);
	close(in);
	close(out);
	close(err);
	execvp(argv[4], argv + 4);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct timespec limit = { 0, 0 };
	struct rusage ru;
	sigset_t set;
	int status;
	pid_t pid;
	bool late;

	if (argc < 5)
		return 2;
	limit.tv_sec = atoi(argv[1]);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid = fork();
	if (pid < 0)
		return 2;
	if (pid == 0) {
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		child(argv);
	}
	late = sigtimedwait(&set, NULL, &limit) < 0 && errno == EAGAIN;
	if (late)
		kill(pid, SIGKILL);
	if (wait4(pid, &status, 0, &ru) < 0)
		return 2;
	if (late)
		printf("timeout 0");
	else if (WIFEXITED(status))
		printf("exit %d", WEXITSTATUS(status));
	else
		printf("signal %d", WTERMSIG(status));
	printf(" %ld\n", ru.ru_maxrss);
	return 0;
}
