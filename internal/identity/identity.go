// Package identity derives trace and span IDs from what a message says about
// itself, so that any replica gives the same answer and a message that comes
// twice gives the same span.
//
// The recipe is frozen by testdata/identity.json: a trace ID is the first 16
// bytes of SHA-256("mcp/trace/v1" LP(namespace) LP(session)), a span ID the
// first 8 bytes of SHA-256("mcp/span/v1" traceID LP(kind) LP(key)…), where
// LP(x) is the length of x in 4 bytes, big-endian, then x. The lengths keep
// ("a", "b") and ("ab", "") apart.
package identity

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// TraceID is a W3C trace ID; never all zero.
type TraceID [16]byte

// SpanID is a W3C span ID; all zero means none.
type SpanID [8]byte

// String is the ID in lower-case hex.
func (id TraceID) String() string { return hex.EncodeToString(id[:]) }

// String is the ID in lower-case hex.
func (id SpanID) String() string { return hex.EncodeToString(id[:]) }

// IsZero tells whether there is no span.
func (id SpanID) IsZero() bool { return id == SpanID{} }

// IsZero tells whether there is no trace.
func (id TraceID) IsZero() bool { return id == TraceID{} }

// The kinds of span that have a derived ID, and the keys that follow each.
const (
	Session = "session" // the root: none
	Summary = "summary" // none
	Call    = "call"    // connection, direction, JSON-RPC id, remote parent in hex or ""
	Agent   = "agent"   // session, sub-agent id
	Wait    = "wait"    // session, signal name, start in Unix ns
	Phase   = "phase"   // session, phase, start in Unix ns
	Start   = "start"   // session, the announced span's ID in hex
	Notice  = "notice"  // session, method or event type, a stable id, or time and SHA-256
)

// Trace is the trace of a session.
func Trace(namespace, session string) (id TraceID) {
	var space [192]byte
	sum := sha256.Sum256(appendLP(appendLP(append(space[:0], "mcp/trace/v1"...), namespace), session))
	copy(id[:], sum[:])
	if id.IsZero() {
		id[15] = 1 // an all-zero ID is invalid; one in 2^128
	}
	return id
}

// Span is a span of the trace.
func Span(trace TraceID, kind string, keys ...string) (id SpanID) {
	var space [320]byte
	b := append(append(space[:0], "mcp/span/v1"...), trace[:]...)
	b = appendLP(b, kind)
	for _, key := range keys {
		b = appendLP(b, key)
	}
	sum := sha256.Sum256(b)
	copy(id[:], sum[:])
	if id.IsZero() {
		id[7] = 1
	}
	return id
}

func appendLP(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s))) //nolint:gosec // no body holds 4 GiB
	return append(b, s...)
}
