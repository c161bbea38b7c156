#include "textflag.h"

// As signed bytes, control characters and all outside ASCII are less than a space.

// func marksAVX2(b *byte, to *uint64, n int)
TEXT ·marksAVX2(SB), NOSPLIT, $0-24
	MOVQ b+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ n+16(FP), CX

	MOVQ         $0x2020202020202020, AX
	VMOVQ        AX, X0
	VPBROADCASTQ X0, Y0
	MOVQ         $0x2222222222222222, AX
	VMOVQ        AX, X1
	VPBROADCASTQ X1, Y1
	MOVQ         $0x5c5c5c5c5c5c5c5c, AX
	VMOVQ        AX, X2
	VPBROADCASTQ X2, Y2

block:
	VMOVDQU   (SI), Y3
	VMOVDQU   32(SI), Y4
	VPCMPGTB  Y3, Y0, Y5
	VPCMPGTB  Y4, Y0, Y8
	VPCMPEQB  Y3, Y1, Y6
	VPCMPEQB  Y4, Y1, Y9
	VPCMPEQB  Y3, Y2, Y7
	VPCMPEQB  Y4, Y2, Y10
	VPOR      Y5, Y6, Y5
	VPOR      Y8, Y9, Y8
	VPOR      Y5, Y7, Y5
	VPOR      Y8, Y10, Y8
	VPMOVMSKB Y5, AX
	VPMOVMSKB Y8, BX
	SHLQ      $32, BX
	ORQ       BX, AX
	MOVQ      AX, (DI)
	ADDQ      $64, SI
	ADDQ      $8, DI
	DECQ      CX
	JNZ       block

	VZEROUPPER
	RET
