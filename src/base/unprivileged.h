/*
 * unprivileged.h - what root starts without a need to be root.
 */
#ifndef CPUPROF_BASE_UNPRIVILEGED_H
#define CPUPROF_BASE_UNPRIVILEGED_H

/* Is this process root, so that there is something to give up? */
int unprivileged_due(void);
/* Gives the path to nobody, in a folder that is root's: in another it may be anything
 * by now. 0, also for others than root, or -errno. */
int unprivileged_own(const char *path);
/* In a child before its exec: nobody from now on, with no groups. 0, also for
 * others than root, or -errno. */
int unprivileged_become(void);

#endif
