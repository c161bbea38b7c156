package index

import (
	"iter"
	"math/bits"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// KeyEntry is what is known about a value.
type KeyEntry struct {
	Claim    Claim
	Root     Root
	HasClaim bool
	HasRoot  bool
	Linked   pcommon.SpanID // the claim that is linked with a root
	Queue    uint32         // the caller's; the entry is kept while it is not 0
}

// Trace is what is known about a trace.
type Trace struct {
	Resolution Resolution
	Resolved   bool
	Pending    uint32 // the caller's; the trace is kept while it is not 0
}

// Memory is the index of this process. It is not safe for concurrent use and
// reads no clock: now is nanoseconds of a clock that does not run backwards. A
// pointer that it returns is valid until the next Add.
type Memory struct {
	keys   *ttlMap[Value, KeyEntry]
	traces *ttlMap[pcommon.TraceID, Trace]
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
		traces: newTTLMap[pcommon.TraceID](limit, int64(remember), func(t *Trace) bool { return t.Pending != 0 }),
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
func (m *Memory) AddTrace(id pcommon.TraceID, now int64) (*Trace, Place) {
	return m.traces.add(id, now)
}

// Trace returns the entry of a trace, nil if there is none.
func (m *Memory) Trace(id pcommon.TraceID, now int64) *Trace { return m.traces.get(id, now) }

// Resolve stores where a trace went. It is faster if p is the place of the trace.
func (m *Memory) Resolve(p Place, id pcommon.TraceID, r Resolution, now int64) {
	*m.traces.addAt(p, id, now) = Trace{Resolution: r, Resolved: true}
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
			qs = append(qs, Query{Kind: PutClaim, Value: v, Span: k.Claim.SpanRef, Seq: k.Claim.Seq})
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
