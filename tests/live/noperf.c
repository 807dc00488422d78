/* SPDX-License-Identifier: MIT */
/*
 * noperf ERRNO COMMAND [ARG...] - runs COMMAND where perf_event_open fails, as
 * in a container whose seccomp profile denies it. ERRNO is EPERM, EACCES,
 * ENOSYS or a number. 77 where no such filter can be installed.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int number(const char *s)
{
	return !strcmp(s, "EPERM") ? EPERM : !strcmp(s, "EACCES") ? EACCES :
		!strcmp(s, "ENOSYS") ? ENOSYS : atoi(s);
}

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };
	int e = argc > 2 ? number(argv[1]) : 0;

	if (e <= 0) {
		fprintf(stderr, "usage: noperf ERRNO COMMAND [ARG...]\n");
		return 2;
	}
	code[2].k |= (unsigned)e & SECCOMP_RET_DATA;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0) {
		fprintf(stderr, "noperf: no seccomp filter here: %s\n", strerror(errno));
		return 77;
	}
	execvp(argv[2], argv + 2);
	fprintf(stderr, "noperf: cannot run '%s': %s\n", argv[2], strerror(errno));
	return 127;
}
