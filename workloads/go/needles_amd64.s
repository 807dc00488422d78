// SPDX-License-Identifier: MIT

#include "textflag.h"

#define X4(s) s s s s
#define X16(s) X4(X4(s))
#define CHAIN ADDQ BX, AX;
#define SIX ADDQ BX, AX; ADDQ BX, DX; ADDQ BX, SI; ADDQ BX, DI; ADDQ BX, R8; ADDQ BX, R9;

// func addChain(loops uint64): 64 additions a turn, each needs the one before.
TEXT ·addChain(SB), NOSPLIT, $0-8
	MOVQ loops+0(FP), CX
	MOVQ $1, AX
	MOVQ $3, BX
chain:
	X4(X16(CHAIN))
	DECQ CX
	JNZ  chain
	RET

// func addSix(loops uint64): six chains of 16 additions a turn.
TEXT ·addSix(SB), NOSPLIT, $0-8
	MOVQ loops+0(FP), CX
	MOVQ $1, AX
	MOVQ $2, DX
	MOVQ $3, SI
	MOVQ $4, DI
	MOVQ $5, R8
	MOVQ $6, R9
	MOVQ $1, BX
six:
	X16(SIX)
	DECQ CX
	JNZ  six
	RET
