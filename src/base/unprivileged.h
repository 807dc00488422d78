/*
 * unprivileged.h - what root starts without a need to be root.
 */
#ifndef CPUPROF_BASE_UNPRIVILEGED_H
#define CPUPROF_BASE_UNPRIVILEGED_H

#include <sys/types.h>

/* Is this process root, so that there is something to give up? */
int unprivileged_due(void);
/* Is what belongs to uid this program's to remove: its own, and root's nobody's? */
int unprivileged_ours(uid_t uid);
/* Gives the path to nobody. 0, also for others than root, or -errno. */
int unprivileged_own(const char *path);
/* In a child before its exec: nobody from now on, with no groups. 0, also for
 * others than root, or -errno. */
int unprivileged_become(void);

#endif
