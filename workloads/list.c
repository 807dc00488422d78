/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/workload.h"

#include <string.h>

#define WORKLOAD(name) extern const struct workload workload_##name;
#include "workloads/list.def"
#undef WORKLOAD

const struct workload *const workloads[] = {
#define WORKLOAD(name) &workload_##name,
#include "workloads/list.def"
#undef WORKLOAD
	NULL
};

const struct workload *workload_find(const char *name)
{
	for (int i = 0; workloads[i]; i++)
		if (!strcmp(workloads[i]->name, name))
			return workloads[i];
	return NULL;
}
