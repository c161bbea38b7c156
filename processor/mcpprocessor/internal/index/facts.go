package index

import (
	"crypto/sha256"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Value stands for the value of a stitch key: 16 bytes of its SHA-256, so that
// what a client sends has one size and cannot be made to collide.
type Value [16]byte

// ValueOf is the same at every replica.
func ValueOf(s string) Value {
	sum := sha256.Sum256([]byte(s))
	return Value(sum[:16])
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
