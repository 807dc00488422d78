/*
 * parts.h - where the time of a profile went: by object, the kernel by its parts, Go's
 * runtime by what it does.
 */
#ifndef CPUPROF_RUN_PARTS_H
#define CPUPROF_RUN_PARTS_H

#include "src/profile/profile.h"
#include "src/result/result.h"

void parts_of_profile(const struct profile *p, const struct profile_event *e,
		      struct result_profile *out);

#endif
