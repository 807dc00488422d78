/* SPDX-License-Identifier: MIT */
/*
 * Names of microarchitectures. Intel: mapfile.csv of github.com/intel/perfmon;
 * AMD: family and model ranges of the kernel's arch/x86/kernel/cpu/amd.c; Arm
 * and Qualcomm: part numbers of arch/arm64/include/asm/cputype.h.
 */
#include "config.h"
#include "src/machine/machine.h"
#include "src/base/mem.h"

#include <string.h>

static const struct {
	const char *vendor;
	int family, model_low, model_high, stepping_low, stepping_high;
	const char *name;
} rows[] = {
	{ "GenuineIntel", 6, 0x3f, 0x3f, 0, 99, "Haswell server" },
	{ "GenuineIntel", 6, 0x4f, 0x4f, 0, 99, "Broadwell server" },
	{ "GenuineIntel", 6, 0x56, 0x56, 0, 99, "Broadwell server" },
	{ "GenuineIntel", 6, 0x55, 0x55, 0, 4, "Skylake server" },
	{ "GenuineIntel", 6, 0x55, 0x55, 5, 9, "Cascade Lake" },
	{ "GenuineIntel", 6, 0x55, 0x55, 10, 99, "Cooper Lake" },
	{ "GenuineIntel", 6, 0x6a, 0x6a, 0, 99, "Ice Lake server" },
	{ "GenuineIntel", 6, 0x6c, 0x6c, 0, 99, "Ice Lake server" },
	{ "GenuineIntel", 6, 0x8f, 0x8f, 0, 99, "Sapphire Rapids" },
	{ "GenuineIntel", 6, 0xcf, 0xcf, 0, 99, "Emerald Rapids" },
	{ "GenuineIntel", 6, 0xad, 0xae, 0, 99, "Granite Rapids" },
	{ "GenuineIntel", 6, 0xaf, 0xaf, 0, 99, "Sierra Forest" },
	{ "AuthenticAMD", 0x17, 0x01, 0x0f, 0, 99, "Zen" },
	{ "AuthenticAMD", 0x17, 0x31, 0x31, 0, 99, "Zen 2" },
	{ "AuthenticAMD", 0x19, 0x00, 0x0f, 0, 99, "Zen 3" },
	{ "AuthenticAMD", 0x19, 0x10, 0x1f, 0, 99, "Zen 4" },
	{ "AuthenticAMD", 0x19, 0x60, 0x7f, 0, 99, "Zen 4" },
	{ "AuthenticAMD", 0x19, 0xa0, 0xaf, 0, 99, "Zen 4c" },
	{ "AuthenticAMD", 0x1a, 0x00, 0x1f, 0, 99, "Zen 5" },
	{ "0x41", -1, 0xd08, 0xd08, 0, 99, "Cortex-A72" },
	{ "0x41", -1, 0xd0c, 0xd0c, 0, 99, "Neoverse N1" },
	{ "0x41", -1, 0xd40, 0xd40, 0, 99, "Neoverse V1" },
	{ "0x41", -1, 0xd49, 0xd49, 0, 99, "Neoverse N2" },
	{ "0x41", -1, 0xd4f, 0xd4f, 0, 99, "Neoverse V2" },
	{ "0x51", -1, 0xc00, 0xc00, 0, 99, "Falkor" },
	{ "0xc0", -1, 0xac3, 0xac3, 0, 99, "Ampere-1" },
};

const char *machine_uarch(const char *vendor, int family, int model, int stepping)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].vendor, vendor) &&
		    (rows[i].family < 0 || rows[i].family == family) &&
		    model >= rows[i].model_low && model <= rows[i].model_high &&
		    stepping >= rows[i].stepping_low && stepping <= rows[i].stepping_high)
			return rows[i].name;
	return NULL;
}
