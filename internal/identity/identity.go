// Package identity derives trace and span IDs, reads the trace contexts of others, and
// keeps the sessions of tenants apart. IDs derive from what a message says
// about itself, so that any replica gives the same answer and a message that comes twice
// gives the same span.
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
	"hash"
	"sync"
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

// The kinds of span that have a derived ID, and the keys that follow each. A stall
// or a stuck call, and its end, is a Notice of the session, with the span's name, the
// ID in hex of the call's span or "", and the message time in Unix ns from which on
// nothing moved, or at which it moved again.
const (
	Session = "session" // the root: none
	Summary = "summary" // none
	Call    = "call"    // connection (the session if there is none), direction, JSON-RPC id, remote parent in hex or "", start in Unix ns
	Agent   = "agent"   // session, sub-agent id
	Wait    = "wait"    // session, signal name, start in Unix ns, and if a call waits its span's ID in hex
	Phase   = "phase"   // session, phase, start in Unix ns
	Start   = "start"   // of a marker: session, the marked span's ID in hex
	Turn    = "turn"    // session, the turn's id, or its start in Unix ns
	Notice  = "notice"  // session, method or event type, a stable id, or time in Unix ns and the raw message
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

// keysBytes bounds the keys, in bytes, that are hashed without a digest of
// their own: most are.
const keysBytes = 512

// Span is a span of the trace. Keys of any length are hashed in one pass, and
// not copied if they are long.
func Span(trace TraceID, kind string, keys ...string) (id SpanID) {
	var space [keysBytes]byte
	b := appendLP(append(append(space[:0], "mcp/span/v1"...), trace[:]...), kind)
	n := len(b)
	for _, key := range keys {
		n += lengthBytes + len(key)
	}
	if n > keysBytes {
		id = long(b, keys)
	} else {
		for _, key := range keys {
			b = appendLP(b, key)
		}
		sum := sha256.Sum256(b)
		copy(id[:], sum[:])
	}
	if id.IsZero() {
		id[7] = 1
	}
	return id
}

// digest is a hash and what it writes to, which would be allocated otherwise.
type digest struct {
	hash.Hash
	space [keysBytes]byte
}

var digests = sync.Pool{New: func() any { return &digest{Hash: sha256.New()} }}

// long hashes the head and the keys behind it.
func long(head []byte, keys []string) (id SpanID) {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	d.Reset()
	_, _ = d.Write(append(d.space[:0], head...)) // never fails (hash.Hash)
	for _, key := range keys {
		_, _ = d.Write(binary.BigEndian.AppendUint32(d.space[:0], uint32(len(key)))) //nolint:gosec // no body holds 4 GiB
		for key != "" {                                                              // in pieces, so that keys need not be on the heap
			n := copy(d.space[:], key)
			_, _ = d.Write(d.space[:n])
			key = key[n:]
		}
	}
	copy(id[:], d.Sum(d.space[:0]))
	return id
}

const lengthBytes = 4

func appendLP(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s))) //nolint:gosec // no body holds 4 GiB
	return append(b, s...)
}
