/* SPDX-License-Identifier: MIT */
/*
 * exact - a program of x86-64 whose instructions are known: no libc; its entry is
 * start. 1 + 2 * 1,000,000 for a loop, of which 1,000,000 are branches that are
 * taken but for the last; then 4 instructions to set up, one "rep movsb" of a
 * mebibyte, which is one; and 3 to exit: 2,000,009, with 2 for the calls below.
 */
static char from[1 << 20], to[1 << 20];

__attribute__((naked, used)) void start(void)
{
	__asm__ volatile(
		"mov $1000000, %%ecx\n"
		"1: dec %%ecx\n"
		"jnz 1b\n"
		"mov %0, %%rsi\n"
		"mov %1, %%rdi\n"
		"mov $1048576, %%ecx\n"
		"cld\n"
		"rep movsb\n"
		"mov $60, %%eax\n"
		"xor %%edi, %%edi\n"
		"syscall\n"
		:: "i"(from), "i"(to));
}
