//go:build !amd64

package jsonscan

// marks fills in the marks of each block of b, which has as many as to.
func marks(b []byte, to []uint64) { marksGeneric(b, to) }
