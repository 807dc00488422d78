/*
 * demangle.h - readable names of C++ functions. The only file that calls the
 * C++ runtime's demangler.
 */
#ifndef CPUPROF_SYMBOL_DEMANGLE_H
#define CPUPROF_SYMBOL_DEMANGLE_H

/* The readable name, caller frees; NULL when name is not a mangled one. */
char *demangle(const char *name);

#endif
