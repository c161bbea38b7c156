package sessions

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
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
	s := &session{}
	s.row.foreign = true
	s.row.ID, s.row.OriginalID = ID(own)
	s.row.ID = strings.Clone(s.row.ID)
	s.row.StartedAt, s.row.OpenCalls = at, []OpenCall{}
	b.insert(s)
	return s
}

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

// claim makes the trace the session's, if it is nobody's; of too many the first
// one is given up.
func (b *Board) claim(s *session, trace pcommon.TraceID) {
	if _, taken := b.byTrace[trace]; taken || trace.IsEmpty() {
		return
	}
	b.byTrace[trace] = s
	if len(s.traces) < maxTraces {
		s.traces = append(s.traces, trace)
		return
	}
	oldest := &s.traces[s.claimed%maxTraces]
	delete(b.byTrace, *oldest)
	*oldest = trace
	s.claimed++
}
