/* SPDX-License-Identifier: MIT */
/* as UID COMMAND [ARG...] - runs COMMAND as an ordinary user without rights. */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned id = argc > 2 ? (unsigned)atol(argv[1]) : 0;

	if (!id || setgroups(0, NULL) < 0 || setresgid(id, id, id) < 0 ||
	    setresuid(id, id, id) < 0) {
		fprintf(stderr, "usage, as root: as UID COMMAND [ARG...]\n");
		return 2;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
