/*
 * paths.h - where files of the package and of the user lie.
 */
#ifndef CPUPROF_BASE_PATHS_H
#define CPUPROF_BASE_PATHS_H

/* The package's folder NAME: beside the program or one folder up, for a program
 * that is run where it was built (it is there when it holds FILE), else where it
 * was installed. Caller frees. */
char *paths_package(const char *name, const char *file);
/* $CPUPROF_DATA/NAME; NULL when that is not set. Caller frees. */
char *paths_data(const char *name);
/* $XDG_CONFIG_HOME/cpuprof/NAME or ~/.config/cpuprof/NAME; NULL without a home.
 * Caller frees. */
char *paths_config(const char *name);

/* Where temporary folders are made: $TMPDIR or /tmp. Borrowed. */
const char *paths_temporary(void);

#endif
