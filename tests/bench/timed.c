/* SPDX-License-Identifier: MIT */
/*
 * timed FILE ROUND NAME COMMAND [ARG...] - runs COMMAND and appends to FILE its
 * CPU time ("ROUND NAME.cpu seconds"), wall time (NAME.wall) and largest
 * resident size (NAME.rss, MiB). Its output is dropped. Status of the command.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	struct rusage r;
	double start = now_s();
	int status, null;
	pid_t pid;
	FILE *f;

	if (argc < 5)
		return 2;
	pid = fork();
	if (pid == 0) {
		null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 1);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &r) != pid)
		return 1;
	f = fopen(argv[1], "a");
	if (!f)
		return 1;
	fprintf(f, "%s %s.cpu %.6f\n%s %s.wall %.6f\n%s %s.rss %.1f\n", argv[2], argv[3],
		seconds(r.ru_utime) + seconds(r.ru_stime), argv[2], argv[3], now_s() - start,
		argv[2], argv[3], (double)r.ru_maxrss / 1024);
	if (fclose(f) != 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
