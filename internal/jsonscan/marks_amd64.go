package jsonscan

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// marks fills in the marks of each block of b, which has as many as to.
func marks(b []byte, to []uint64) {
	if !hasAVX2 {
		marksGeneric(b, to)
		return
	}
	marksAVX2(&b[0], &to[0], len(to))
}

// marksAVX2 is marksGeneric for n blocks, 32 bytes at a time. It marks exactly
// the bytes that stop a plain string.
//
//go:noescape
func marksAVX2(b *byte, to *uint64, n int)
