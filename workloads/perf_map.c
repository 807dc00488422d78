/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/perf_map.h"
#include "src/base/io.h"
#include "src/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/tmp"
#define MAX_KEPT ((size_t)64 << 20)
/* Covers no address, and tells ours from those of other programs. */
#define MARK "0 0 cpuprof\n"

static void path_of(pid_t pid, char *path, size_t size)
{
	snprintf(path, size, FOLDER "/perf-%d.map", (int)pid);
}

/* A descriptor behind the mark of one of ours, -1. */
static int open_ours(const char *path)
{
	char text[sizeof(MARK)] = "";
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	/* Anybody may write there. */
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
			io_read(fd, text, strlen(MARK)) != (ssize_t)strlen(MARK) || strcmp(text, MARK))) {
		close(fd);
		return -1;
	}
	return fd;
}

void perf_map_keep(pid_t pid, const char *folder)
{
	char path[64], *kept, room[4096];
	struct buf b = BUF_INIT;
	int fd;
	ssize_t n;

	path_of(pid, path, sizeof(path));
	fd = open_ours(path);
	if (fd < 0)
		return;
	while (b.len < MAX_KEPT && (n = io_read(fd, room, sizeof(room))) > 0)
		buf_add(&b, room, (size_t)n);
	close(fd);
	kept = xasprintf("%s/perf-%d.map", folder, (int)pid);
	if (b.len)
		io_write_file(kept, b.data, b.len, NULL);
	free(kept);
	buf_release(&b);
}

void perf_map_remove(pid_t pid)
{
	char path[64];
	int fd;

	path_of(pid, path, sizeof(path));
	fd = open_ours(path);
	if (fd < 0)
		return;
	unlink(path);
	close(fd);
}

/* A zombie does not, and has no program any more. */
static bool runs(pid_t pid)
{
	char path[64], program[8];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, program, sizeof(program)) >= 0 || errno != ENOENT;
}

/* Of processes that are no more. */
static void sweep(void)
{
	DIR *d = opendir(FOLDER);
	struct dirent *e;
	int pid, end;

	while (d && (e = readdir(d))) {
		end = 0;
		if (sscanf(e->d_name, "perf-%d.map%n", &pid, &end) == 1 && end &&
		    !e->d_name[end] && !runs(pid))
			perf_map_remove(pid);
	}
	if (d)
		closedir(d);
}

char *perf_map_create(void)
{
	char path[64];
	int fd, rc;

	sweep();
	path_of(getpid(), path, sizeof(path));
	unlink(path);		/* of a process that had this number before */
	/* Never what somebody else has put there. */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return NULL;
	rc = io_write(fd, MARK, strlen(MARK));
	close(fd);
	return rc < 0 ? NULL : xstrdup(path);
}
