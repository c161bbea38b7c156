package stitch

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"iter"
	"math/bits"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
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

// SpanRef names a span by the ids that it arrived with.
type SpanRef struct {
	Trace pcommon.TraceID
	Span  pcommon.SpanID
}

// Claim is the client span that sent a value.
type Claim struct {
	SpanRef
	Seq       uint64 // when it was first seen here; 0 if another replica saw it
	Parent    pcommon.SpanID
	Start     pcommon.Timestamp // of all claims of the value in the trace
	End       pcommon.Timestamp // likewise
	Split     bool              // the trace has two claims, and none that both are inside of
	Ambiguous bool              // another trace claimed the same value, so it joins nothing
}

// Usable reports whether the claim is the only one of its value.
func (c *Claim) Usable() bool { return !c.Ambiguous && !c.Split }

// around reports whether other, of the same trace, is inside of the span.
func (c *Claim) around(other *Claim) bool {
	switch {
	case other.Parent == c.Span:
		return true
	case c.Parent == other.Span || c.Start == 0 || other.Start == 0:
		return false
	case c.Start == other.Start && c.End == other.End:
		return !other.Split && bytes.Compare(c.Span[:], other.Span[:]) < 0
	}
	return c.Start <= other.Start && other.End <= c.End
}

// Merge adds another claim of the same trace: that counts which all others are inside
// of, whatever came first. It reports whether the claim changed.
func (c *Claim) Merge(other *Claim) (changed bool) {
	switch {
	case other.around(c):
		start, end := c.Start, c.End
		*c = *other
		c.Start, c.End = min(c.Start, start), max(c.End, end)
		return true
	case !c.Split && c.around(other):
		c.End = max(c.End, other.End)
		return false
	}
	changed = !c.Split
	c.Split = true
	if c.Parent != other.Parent {
		c.Parent = pcommon.SpanID{}
	}
	c.Start, c.End = min(c.Start, other.Start), max(c.End, other.End)
	return changed
}

// Root is the root of a server's trace that left without a client.
type Root struct {
	SpanRef
	Seq uint64 // as a claim's
}

// Resolution is where a trace went: Final is the trace id that its spans have
// now. If that is not its own, the span Root is a child of Parent.
type Resolution struct {
	Final  pcommon.TraceID
	Root   pcommon.SpanID
	Parent pcommon.SpanID
	Shared bool // other replicas need to know
}

// Decision returns what other replicas need to know about the trace with this id.
func (r *Resolution) Decision(id pcommon.TraceID) Decision {
	return Decision{Join: r.Final != id, To: SpanRef{Trace: r.Final, Span: r.Parent}, Root: r.Root}
}

// Decision holds what a replica decided about a trace: that it stays, or that it
// joins the client span To, of which the span Root becomes a child.
type Decision struct {
	Join bool
	To   SpanRef
	Root pcommon.SpanID
}

// KeyEntry holds what is known about a value.
type KeyEntry struct {
	Claim    Claim
	Root     Root
	HasClaim bool
	HasRoot  bool
	Linked   pcommon.SpanID // the claim that is linked with a root
	Queue    uint32         // the caller's; the entry is kept while it is not 0
}

// TraceEntry holds what is known about a trace.
type TraceEntry struct {
	Resolution Resolution
	Resolved   bool
	Pending    uint32 // the caller's; the trace is kept while it is not 0
}

// Memory is the index of this process. It is not safe for concurrent use and
// reads no clock: now is nanoseconds of a clock that does not run backwards. A
// pointer that it returns is valid until the next Add.
type Memory struct {
	keys   *ttlMap[Value, KeyEntry]
	traces *ttlMap[pcommon.TraceID, TraceEntry]
}

// NewMemory keeps entries for that long. It has room for at least limit values
// and limit traces, and for twice as many at most, besides those that the caller
// keeps.
func NewMemory(limit int, remember time.Duration) *Memory {
	// A little more than limit, so that a caller that keeps limit of them does not
	// always keep the oldest; rounded up to the size of a ring.
	limit = 1 << bits.Len(uint(limit+limit/32))
	return &Memory{
		keys:   newTTLMap[Value](limit, int64(remember), func(k *KeyEntry) bool { return k.Queue != 0 }),
		traces: newTTLMap[pcommon.TraceID](limit, int64(remember), func(t *TraceEntry) bool { return t.Pending != 0 }),
	}
}

// AddKey returns the entry of a value, a new one if there is none, and its place.
// The entry's time starts again.
func (m *Memory) AddKey(v Value, now int64) (*KeyEntry, Place) { return m.keys.add(v, now) }

// AddKeyAt is AddKey, and faster if p is the place of the value.
func (m *Memory) AddKeyAt(p Place, v Value, now int64) *KeyEntry { return m.keys.addAt(p, v, now) }

// KeyAt returns the entry of a value, nil if there is none. It is faster if p is
// the place of the value.
func (m *Memory) KeyAt(p Place, v Value, now int64) *KeyEntry { return m.keys.at(p, v, now) }

// Claim returns the claim of a value, nil if there is none.
func (m *Memory) Claim(v Value, now int64) *Claim {
	if k := m.keys.get(v, now); k != nil && k.HasClaim {
		return &k.Claim
	}
	return nil
}

// AddTrace returns the entry of a trace, a new one if there is none, and its
// place. The entry's time starts again.
func (m *Memory) AddTrace(id pcommon.TraceID, now int64) (*TraceEntry, Place) {
	return m.traces.add(id, now)
}

// Trace returns the entry of a trace, nil if there is none.
func (m *Memory) Trace(id pcommon.TraceID, now int64) *TraceEntry { return m.traces.get(id, now) }

// Resolve stores where a trace went. It is faster if p is the place of the trace.
func (m *Memory) Resolve(p Place, id pcommon.TraceID, r Resolution, now int64) {
	*m.traces.addAt(p, id, now) = TraceEntry{Resolution: r, Resolved: true}
}

// Resolution returns where a trace went, nil if it is pending or unknown.
func (m *Memory) Resolution(id pcommon.TraceID, now int64) *Resolution {
	if t := m.traces.get(id, now); t != nil && t.Resolved {
		return &t.Resolution
	}
	return nil
}

// PrefetchKeys makes AddKey of a batch's values faster.
func (m *Memory) PrefetchKeys(vs iter.Seq[Value]) { m.keys.prefetch(vs) }

// PrefetchTraces makes AddTrace of a batch's traces faster.
func (m *Memory) PrefetchTraces(ids iter.Seq[pcommon.TraceID]) { m.traces.prefetch(ids) }

// Queries returns the queries that restore a shared index that lost everything.
func (m *Memory) Queries(now int64) (qs []Query) {
	for id, t := range m.traces.all(now) {
		if t.Resolved && t.Resolution.Shared {
			qs = append(qs, Query{Kind: PutDecision, Trace: id, Decision: t.Resolution.Decision(id)})
		}
	}
	for v, k := range m.keys.all(now) {
		if k.HasClaim {
			qs = append(qs, Query{Kind: PutClaim, Value: v, Span: k.Claim.SpanRef, Mine: k.Claim})
		}
		if k.HasClaim && !k.Claim.Usable() {
			qs = append(qs, Query{Kind: MarkAmbiguous, Value: v})
		}
		if k.HasRoot {
			qs = append(qs, Query{Kind: PutRoot, Value: v, Span: k.Root.SpanRef})
		}
	}
	return qs
}
