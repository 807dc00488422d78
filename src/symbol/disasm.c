/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/disasm.h"
#include "src/base/lazy.h"
#include "src/base/mem.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdio.h>
#ifdef __x86_64__
#include <Zydis/Zydis.h>

static int disasm_x86(const void *code, size_t len, uint64_t vaddr, char *out, size_t size)
{
	ZydisDisassembledInstruction in;

	if (!ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, vaddr, code, len, &in)))
		return 0;
	snprintf(out, size, "%s", in.text);
	return in.info.length;
}
#endif

#define TEXT(x) #x
#define SONAME(major) "libcapstone.so." TEXT(major)

static int disasm_capstone(cs_arch arch, cs_mode mode, const void *code, size_t len,
			   uint64_t vaddr, char *out, size_t size)
{
	static struct lazy_function cs[] = {
		{ .name = "cs_open" }, { .name = "cs_disasm" }, { .name = "cs_free" },
		{ .name = "cs_close" },
	};
	csh h;
	cs_insn *in;
	int n = 0;

	if (lazy_load(SONAME(CS_API_MAJOR), cs, ARRAY_SIZE(cs)) < 0 ||
	    ((__typeof__(cs_open) *)cs[0].at)(arch, mode, &h) != CS_ERR_OK)
		return 0;
	if (((__typeof__(cs_disasm) *)cs[1].at)(h, code, len, vaddr, 1, &in) == 1) {
		snprintf(out, size, "%s%s%s", in->mnemonic, in->op_str[0] ? " " : "", in->op_str);
		n = in->size;
		((__typeof__(cs_free) *)cs[2].at)(in, 1);
	}
	((__typeof__(cs_close) *)cs[3].at)(&h);
	return n;
}

int disasm(uint16_t machine, const void *code, size_t len, uint64_t vaddr, char *out,
	   size_t size)
{
	if (machine == EM_AARCH64)
		return disasm_capstone(CS_ARCH_ARM64, CS_MODE_ARM, code, len, vaddr, out, size);
	if (machine == EM_X86_64)
#ifdef __x86_64__
		return disasm_x86(code, len, vaddr, out, size);
#else	/* Zydis is wanted where x86 is profiled; elsewhere Capstone will do. */
		return disasm_capstone(CS_ARCH_X86, CS_MODE_64, code, len, vaddr, out, size);
#endif
	return 0;
}
