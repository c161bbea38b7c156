package sessions

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
)

// owner finds or makes the session; at is its start if it is new.
func (b *Board) owner(own string, trace pcommon.TraceID, at Time, mayMake bool) *session {
	s := b.find(own, trace)
	if s == nil {
		if own == "" && (!mayMake || trace.IsEmpty()) {
			return nil
		}
		s = b.make(own, trace, at)
	}
	b.claim(s, trace)
	return s
}

func (b *Board) make(own string, trace pcommon.TraceID, at Time) *session {
	if own == "" {
		own = trace.String()
	}
	b.makeRoom()
	s := &session{shown: shown{state: Running}}
	s.row.ID, s.row.OriginalID = attribute.ID(own)
	s.row.ID = strings.Clone(s.row.ID)
	s.row.StartedAt, s.row.OpenCalls, s.row.Engine = at, []OpenCall{}, defaultEngine
	b.insert(s)
	return s
}

// defaultEngine is that of a session which no Inspector runs.
const defaultEngine = "mcp"

// makeRoom drops the session that is longest unchanged, one that has ended if
// there is one among the oldest.
func (b *Board) makeRoom() {
	const look = 100
	if len(b.byID) < b.max {
		return
	}
	var victim *session
	n := 0
	for e := b.entries.Front(); e != nil && n < look; e = e.Next() {
		s, ok := e.Value.(*session)
		if !ok {
			continue // a removal
		}
		n++
		if victim == nil || victim.row.EndedAt == 0 && s.row.EndedAt != 0 {
			victim = s
		}
		if victim.row.EndedAt != 0 {
			break
		}
	}
	if victim != nil {
		b.drop(victim)
	}
}

// Foresee looks at a span before it and those beside it are taken: children come
// before their parents, and only the parent may tell whose they are.
func (b *Board) Foresee(resource pcommon.Resource, span ptrace.Span) {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := attribute.OwnID(resource.Attributes(), span.Attributes())
	b.foresee(own, span.Attributes())
	own, whole := b.parts.place(own, span.Attributes())
	own = cmp.Or(whole, own)
	b.gather(own, span.TraceID())
	if own != "" { // a new session too, so that those before it in its trace are part of it
		b.owner(own, span.TraceID(), cmp.Or(when(span.StartTimestamp()), b.time()), true)
	}
	b.foreseeGuest(own, span)
}
