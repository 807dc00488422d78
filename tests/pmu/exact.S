/* SPDX-License-Identifier: MIT */
/*
 * Programs whose user instructions are known to the last one: no libc, nothing
 * before the entry. Linked once for each entry, `-nostdlib -static -Wl,-e,loop`.
 * tiny		3
 * loop		1 + 2 * 64 * 65536 + 3 = 8,388,612
 * calls	2 + 3 * 5000 + 3 = 15,005, with 5,000 system calls
 * forks	3 * 13 + 3 and, in three children, 3 * (2 + 3) + 2 * 15 * 65536:
 *		1,966,137
 * threads	3 * 8 + 3 and, in three threads, the same: 1,966,122; and 3 to 6 to
 *		wait for each, twice that when a signal or a race wakes it
 */
	.arch armv8-a
	.text
	.macro	end			// 3
	mov	x0, #0
	mov	x8, #93			// exit
	svc	#0
	.endm
	.macro	spin n			// 1 and twice n * 65536
	mov	x1, #(\n << 16)
1:	subs	x1, x1, #1
	b.ne	1b
	.endm

	.globl	tiny, loop, calls, forks, threads
tiny:	end

loop:	spin	64
	end

calls:	mov	w19, #5000
	mov	x8, #173		// getppid
1:	svc	#0
	subs	w19, w19, #1
	b.ne	1b
	end

	/* Three children, each of 1 + 2 n + 3; the parent waits for each. */
	.macro	child n
	mov	x0, #17			// SIGCHLD; 7 in the parent, 2 in the child
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		// clone
	svc	#0
	cbnz	x0, 2f
	spin	\n
	end
2:	mov	x1, #0			// pid is in x0
	mov	x2, #0
	mov	x3, #0
	mov	x8, #260		// wait4
	svc	#0
	.endm
forks:	child	3
	child	5
	child	7
	end

	/* Three threads. Each ends by thread exit; the kernel wakes the futex. */
	.macro	thread n, stack
	ldr	x0, =0x350f00		// VM FS FILES SIGHAND THREAD SYSVSEM SETTID CLEARTID
	adr	x1, \stack
	adr	x2, \stack + 8
	mov	x3, #0
	adr	x4, \stack + 8
	mov	x8, #220		// clone
	svc	#0
	cbnz	x0, 2f
	spin	\n
	end
2:
	.endm
	.macro	join stack
2:	adr	x0, \stack + 8
	ldr	w2, [x0]
	cbz	w2, 3f			// three when it has ended
	mov	x1, #0			// FUTEX_WAIT
	mov	x3, #0
	mov	x8, #98
	svc	#0
	b	2b
3:
	.endm
threads:
	thread	3, stack1
	thread	5, stack2
	thread	7, stack3
	join	stack1
	join	stack2
	join	stack3
	end
	.ltorg

	.bss
	.balign	16
	.skip	64
stack1:	.skip	64
stack2:	.skip	64
stack3:	.skip	64
