/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/program.h"
#include "src/base/io.h"
#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OUTPUT ((size_t)1 << 20)

extern char **environ;

char *program_in(const char *folders, const char *name)
{
	char *copy = xstrdup(folders), *found = NULL, *save = NULL;

	for (char *dir = strtok_r(copy, ":", &save); dir && !found; dir = strtok_r(NULL, ":", &save)) {
		struct stat st;

		found = xasprintf("%s/%s", dir, name);
		if (access(found, X_OK) < 0 || stat(found, &st) < 0 || !S_ISREG(st.st_mode)) {
			free(found);
			found = NULL;
		}
	}
	free(copy);
	return found;
}

int program_find(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");
	char *list = xasprintf("%s:/usr/local/sbin:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin");
	char *found = program_in(list, name);
	int rc = found && snprintf(out, size, "%s", found) < (int)size ? 0 : -ENOENT;

	free(found);
	free(list);
	return rc;
}

int program_file(const char *dir, const char *name, const void *data, size_t len, struct err *err)
{
	char *path = xasprintf("%s/%s", dir, name);
	int rc = io_write_file(path, data, len, err);

	if (rc == 0 && chmod(path, 0644) < 0)
		rc = err_set(err, -errno, "'%s': %s", path, strerror(errno));
	free(path);
	return rc;
}

int program_run(char *const *argv, struct buf *out)
{
	posix_spawn_file_actions_t files;
	int pipe_fd[2], status = 0, rc;
	char room[4096];
	pid_t pid;
	ssize_t n;

	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return -errno;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, pipe_fd[1], 1);
	posix_spawn_file_actions_adddup2(&files, pipe_fd[1], 2);
	rc = -posix_spawn(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	close(pipe_fd[1]);
	while (rc == 0 && ((n = read(pipe_fd[0], room, sizeof(room))) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0 && out->len < MAX_OUTPUT)
			buf_add(out, room, (size_t)n);
	close(pipe_fd[0]);
	if (rc < 0)
		return rc;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
