/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/libpfm.h"
#include "src/base/lazy.h"
#include "src/base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pfmlib_perf_event.h>

/* Tables of other CPUs may be asked for by name. A command that is run does not
 * see the variable. */
static int initialize(__typeof__(pfm_initialize) *init)
{
	bool set = getenv("LIBPFM_ENCODE_INACTIVE");
	int rc;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 0);
	rc = init();
	if (!set)
		unsetenv("LIBPFM_ENCODE_INACTIVE");
	return rc;
}

int libpfm_encode(const char *name, struct perf_event_attr *attr, bool *here, struct err *err)
{
	static struct lazy_function pfm[] = {
		{ .name = "pfm_initialize" }, { .name = "pfm_get_os_event_encoding" },
		{ .name = "pfm_get_event_info" }, { .name = "pfm_get_pmu_info" },
		{ .name = "pfm_strerror" },
	};
	struct perf_event_attr a = { .size = sizeof(a) };
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	pfm_perf_encode_arg_t arg = { .attr = &a, .size = sizeof(arg) };
	int rc;

	if (lazy_load("libpfm.so.4", pfm, ARRAY_SIZE(pfm)) < 0)
		return err_set(err, -ENOENT, "libpfm4 is not installed, which might know '%s'", name);
	rc = initialize((__typeof__(pfm_initialize) *)pfm[0].at);
	if (rc == PFM_SUCCESS)
		rc = ((__typeof__(pfm_get_os_event_encoding) *)pfm[1].at)
			(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (rc != PFM_SUCCESS)
		return err_set(err, -ENOENT, "libpfm4 does not know '%s': %s", name,
			       ((__typeof__(pfm_strerror) *)pfm[4].at)(rc));
	attr->type = a.type;
	attr->config = a.config;
	attr->config1 = a.config1;
	*here = ((__typeof__(pfm_get_event_info) *)pfm[2].at)(arg.idx, PFM_OS_NONE, &event) ==
		PFM_SUCCESS &&
		((__typeof__(pfm_get_pmu_info) *)pfm[3].at)(event.pmu, &pmu) == PFM_SUCCESS &&
		pmu.is_present;
	return 0;
}
