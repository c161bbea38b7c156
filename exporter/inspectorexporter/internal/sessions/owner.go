package sessions

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
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

func (b *Board) find(own string, trace pcommon.TraceID) *session {
	if own == "" {
		return b.byTrace[trace]
	}
	id, _ := ID(own)
	return b.byID[id]
}

func (b *Board) make(own string, trace pcommon.TraceID, at Time) *session {
	if own == "" {
		own = trace.String()
	}
	b.makeRoom()
	s := &session{told: Running}
	s.row.foreign = true
	s.row.ID, s.row.OriginalID = ID(own)
	s.row.ID = strings.Clone(s.row.ID)
	s.row.StartedAt, s.row.OpenCalls, s.row.Engine = at, []OpenCall{}, defaultEngine
	b.insert(s)
	return s
}

// defaultEngine is that of a session of which no Inspector told.
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
	for e := b.changed.Front(); e != nil && n < look; e = e.Next() {
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
	own := ownID(resource.Attributes(), span.Attributes())
	s := b.find(own, span.TraceID())
	if own == "" && s == nil {
		if s = b.byRequest[requestID(span.Attributes())]; s != nil {
			s.guests.add(span.TraceID())
		}
	}
	if s != nil {
		b.claim(s, span.TraceID())
	}
}

// leastRequestID keeps out ids that somebody counts up: they are not unique.
const leastRequestID = 8

func requestID(m pcommon.Map) string {
	id := str(m, mcpconv.RequestID)
	if len(id) < leastRequestID || len(id) > textBytes {
		return ""
	}
	return id
}

// asked notes that a call of the session has this request id: the server's spans
// of it, in a trace of their own, belong there too.
func (b *Board) asked(s *session, id string) {
	if _, taken := b.byRequest[id]; taken || id == "" {
		return
	}
	id = strings.Clone(id)
	b.byRequest[id] = s
	if given := s.requests.add(id); given != "" {
		delete(b.byRequest, given)
	}
}

// answered notes that the session served the call with this request id: who looks
// for the id finds both sides.
func (b *Board) answered(s *session, id string) {
	if _, taken := b.byAnswer[id]; taken || id == "" || b.byRequest[id] == s {
		return
	}
	id = strings.Clone(id)
	b.byAnswer[id] = s
	if given := s.answers.add(id); given != "" {
		delete(b.byAnswer, given)
	}
}

// claim makes the trace the session's, if it is nobody's.
func (b *Board) claim(s *session, trace pcommon.TraceID) {
	if _, taken := b.byTrace[trace]; taken || trace.IsEmpty() {
		return
	}
	b.byTrace[trace] = s
	if given := s.traces.add(trace); !given.IsEmpty() {
		delete(b.byTrace, given)
	}
}

// claims is the last maxClaims of what a session has claimed.
type claims[T comparable] struct{ ring[T] }

func (c *claims[T]) add(item T) (given T) { return c.ring.add(item, maxClaims) }

// ring is the last of many items.
type ring[T comparable] struct {
	items []T
	next  int
}

// add is what was given up for the new one, or nothing while there are fewer
// than most.
func (r *ring[T]) add(item T, most int) (given T) {
	if len(r.items) < most {
		r.items = append(r.items, item)
		return given
	}
	at := &r.items[r.next%most]
	given, *at = *at, item
	r.next++
	return given
}
