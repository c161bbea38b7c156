package index

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
)

// Value is the hash of a stitch key's value: 16 bytes whatever the client sends,
// and a client cannot make two values collide.
type Value [16]byte

// Hash turns the text of a value into a Value.
type Hash func(string) Value

// SharedHash is the first half of the SHA-256, so that all replicas agree.
func SharedHash(s string) Value {
	var buf [64]byte // fits a usual id without an allocation
	sum := sha256.Sum256(append(buf[:0], s...))
	return Value(sum[:16])
}

// LocalHash returns a faster hash that differs from process to process.
func LocalHash() Hash {
	a, b := maphash.MakeSeed(), maphash.MakeSeed()
	return func(s string) (v Value) {
		binary.LittleEndian.PutUint64(v[:8], maphash.String(a, s))
		binary.LittleEndian.PutUint64(v[8:], maphash.String(b, s))
		return v
	}
}
