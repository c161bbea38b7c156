package index

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Memory is what this process remembers. It is not safe for concurrent use, and
// reads no clock: now is nanoseconds of a clock that does not run backwards.
type Memory struct {
	claims *memo[Value, Claim]
	roots  *memo[Value, Root]
	fates  *memo[pcommon.TraceID, Fate]
}

// NewMemory remembers for that long, and at most limit entries of each sort.
func NewMemory(limit int, remember time.Duration) *Memory {
	return &Memory{
		claims: newMemo[Value, Claim](limit, int64(remember)),
		roots:  newMemo[Value, Root](limit, int64(remember)),
		fates:  newMemo[pcommon.TraceID, Fate](limit, int64(remember)),
	}
}

// Claim is who claimed the value, nil if nobody did. It may be changed until
// the next PutClaim.
func (m *Memory) Claim(v Value, now int64) *Claim { return m.claims.get(v, now) }

// PutClaim remembers who claimed the value.
func (m *Memory) PutClaim(v Value, c Claim, now int64) { m.claims.put(v, c, now) }

// Root is the last root with this value that was let go without a client.
func (m *Memory) Root(v Value, now int64) *Root { return m.roots.get(v, now) }

// PutRoot remembers a root that was let go.
func (m *Memory) PutRoot(v Value, r Root, now int64) { m.roots.put(v, r, now) }

// Fate is what became of a trace, nil if that is open or forgotten.
func (m *Memory) Fate(id pcommon.TraceID, now int64) *Fate { return m.fates.get(id, now) }

// PutFate remembers what became of a trace. The first word counts.
func (m *Memory) PutFate(id pcommon.TraceID, f Fate, now int64) {
	if m.fates.get(id, now) == nil {
		m.fates.put(id, f, now)
	}
}

// Len is how many entries are remembered.
func (m *Memory) Len() int { return m.claims.len() + m.roots.len() + m.fates.len() }

// Questions tell all that others need to know to an index that has forgotten it.
func (m *Memory) Questions(now int64) (qs []Question) {
	for id, f := range m.fates.all(now) {
		if f.Shared {
			d := Decision{Join: f.Final != id, To: Site{Trace: f.Final, Span: f.Parent}, Root: f.Root}
			qs = append(qs, Question{Kind: AskDecide, Trace: id, Decision: d})
		}
	}
	for v, c := range m.claims.all(now) {
		qs = append(qs, Question{Kind: AskClaim, Value: v, Site: c.Site, Seq: c.Seq})
		if c.Twice {
			qs = append(qs, Question{Kind: AskTwice, Value: v})
		}
	}
	for v, r := range m.roots.all(now) {
		qs = append(qs, Question{Kind: AskRoot, Value: v, Site: r.Site})
	}
	return qs
}
