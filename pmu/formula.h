/*
 * formula.h - arithmetic over names: + - * / ( ) min(a,b) max(a,b).
 */
#ifndef CPUPROF_PMU_FORMULA_H
#define CPUPROF_PMU_FORMULA_H

#include "src/base/err.h"

#include <stdbool.h>

/* The value of a name; false when it has none, and the formula then has none
 * either. name is borrowed for the call. */
typedef bool formula_lookup(void *arg, const char *name, double *value);

/* 0 with *value; -ENODATA when a name has no value or a division by zero came
 * up (the sentence says which); -EINVAL when it is no formula. */
int formula_eval(const char *text, formula_lookup *lookup, void *arg, double *value,
		 struct err *err);

#endif
