// SPDX-License-Identifier: MIT

#include "textflag.h"

#define X4(s) s s s s
#define X16(s) X4(X4(s))
#define CHAIN ADD R1, R0, R0;
#define SIX ADD R1, R0, R0; ADD R1, R2, R2; ADD R1, R3, R3; ADD R1, R4, R4; ADD R1, R5, R5; ADD R1, R6, R6;

// func addChain(loops uint64): 64 additions a turn, each needs the one before.
TEXT ·addChain(SB), NOSPLIT, $0-8
	MOVD loops+0(FP), R7
	MOVD $1, R0
	MOVD $3, R1
chain:
	X4(X16(CHAIN))
	SUBS $1, R7, R7
	BNE  chain
	RET

// func addSix(loops uint64): six chains of 16 additions a turn.
TEXT ·addSix(SB), NOSPLIT, $0-8
	MOVD loops+0(FP), R7
	MOVD $1, R0
	MOVD $2, R2
	MOVD $3, R3
	MOVD $4, R4
	MOVD $5, R5
	MOVD $6, R6
	MOVD $1, R1
six:
	X16(SIX)
	SUBS $1, R7, R7
	BNE  six
	RET
