package index

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Value stands for the value of a stitch key: 16 bytes, so that what a client
// sends has one size, by a hash that it cannot make collide.
type Value [16]byte

// Hash makes values of texts.
type Hash func(string) Value

// SharedHash is the same at every replica: the first bytes of the SHA-256.
func SharedHash(s string) Value {
	var buf [64]byte // for a usual id, so that nothing is allocated
	sum := sha256.Sum256(append(buf[:0], s...))
	return Value(sum[:16])
}

// LocalHash returns a quicker one that differs from process to process.
func LocalHash() Hash {
	a, b := maphash.MakeSeed(), maphash.MakeSeed()
	return func(s string) (v Value) {
		binary.LittleEndian.PutUint64(v[:8], maphash.String(a, s))
		binary.LittleEndian.PutUint64(v[8:], maphash.String(b, s))
		return v
	}
}

// Site is a span, by the ids with which it came.
type Site struct {
	Trace pcommon.TraceID
	Span  pcommon.SpanID
}

// Claim is the client span that sent a value.
type Claim struct {
	Site
	Seq   uint64 // of its first sight here; 0 if another replica saw it
	Twice bool   // another span claimed the same value: worthless
}

// Root is a server's root that was let go without a client.
type Root struct {
	Site
	Seq uint64 // as a claim's
}

// Fate is what became of a trace: Final is the trace id that its spans have.
// If that is not its own, the span Root is now a child of Parent.
type Fate struct {
	Final  pcommon.TraceID
	Root   pcommon.SpanID
	Parent pcommon.SpanID
	Shared bool // others need to know
}
