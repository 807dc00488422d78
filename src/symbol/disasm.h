/*
 * disasm.h - one instruction as text. x86 by Zydis, Arm by Capstone.
 */
#ifndef CPUPROF_SYMBOL_DISASM_H
#define CPUPROF_SYMBOL_DISASM_H

#include <stddef.h>
#include <stdint.h>

/* The instruction at the start of code (len bytes, its address vaddr) in Intel
 * or Arm syntax into out; its length, or 0 when it cannot be decoded.
 * machine: EM_X86_64 or EM_AARCH64. */
int disasm(uint16_t machine, const void *code, size_t len, uint64_t vaddr, char *out,
	   size_t size);

#endif
