/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/libpfm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pfmlib_perf_event.h>

int libpfm_encode(const char *name, struct perf_event_attr *attr, bool *here, struct err *err)
{
	struct perf_event_attr a = { .size = sizeof(a) };
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	pfm_perf_encode_arg_t arg = { .attr = &a, .size = sizeof(arg) };
	bool set = getenv("LIBPFM_ENCODE_INACTIVE");
	int rc;

	/* Tables of other CPUs may be asked for by name. A command that is run does
	 * not see the variable. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 0);
	rc = pfm_initialize();
	if (!set)
		unsetenv("LIBPFM_ENCODE_INACTIVE");
	if (rc == PFM_SUCCESS)
		rc = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (rc != PFM_SUCCESS)
		return err_set(err, -ENOENT, "libpfm4 does not know '%s': %s", name,
			       pfm_strerror(rc));
	attr->type = a.type;
	attr->config = a.config;
	attr->config1 = a.config1;
	*here = pfm_get_event_info(arg.idx, PFM_OS_NONE, &event) == PFM_SUCCESS &&
		pfm_get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS && pmu.is_present;
	return 0;
}
