/*
 * insn.h - what kind of instruction this is: what says which code path ran, whatever
 * CPUID says could have run.
 */
#ifndef CPUPROF_SYMBOL_INSN_H
#define CPUPROF_SYMBOL_INSN_H

#include <stddef.h>
#include <stdint.h>

enum insn_class {
	INSN_BRANCH = 1, INSN_LOAD = 2, INSN_STORE = 4,
	/* x86 by the width it works on; heavy: multiplies or floating point. */
	INSN_SSE = 8, INSN_AVX256 = 16, INSN_AVX512 = 32, INSN_HEAVY = 64,
	INSN_AES = 128, INSN_CLMUL = 256, INSN_SHA = 512, INSN_VAES = 1024, INSN_IFMA = 2048,
	INSN_ADX = 4096,
	INSN_NEON = 8192, INSN_SVE = 16384,	/* Arm; AES, CLMUL and SHA are shared */
	INSN_LAST = 16384
};
const char *insn_class_name(enum insn_class c);	/* "AVX-512" */

/* The instruction at the start of code (len bytes): bits of enum insn_class, 0 for
 * plain scalar work; *size: its length, 0 when it cannot be decoded. machine:
 * EM_X86_64 (Intel SDM by way of Zydis) or EM_AARCH64 (Arm ARM, section C4.1). */
unsigned insn_classes(uint16_t machine, const void *code, size_t len, unsigned *size);

#endif
