package sessions

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// beatEvery is how often a session that runs has a Heartbeat.
const beatEvery = Time(15 * time.Second)

// deltas is what was seen since the last Heartbeat.
type deltas struct{ llm, tokens, tools int64 }

// beating keeps the sessions that have heartbeats in the order in which they are
// due: those of which this run was told and that are open.
func (b *Board) beating(s *session, now Time, beat bool) {
	open := s.live && s.row.EndedAt == 0
	switch {
	case !open && s.due != nil:
		b.beats.Remove(s.due)
		s.due = nil
	case open && s.due == nil:
		s.due, s.beatAt = b.beats.PushBack(s), now
	case open && beat:
		b.beats.MoveToBack(s.due)
		s.beatAt = now
	}
}

// Beat is the heartbeats that are due, at most limit, and the progress that
// waited. A session that stalls has none: nothing says that it lives.
func (b *Board) Beat(limit int) []Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.time()
	events := b.lateProgress(now)
	for n := 0; n < limit; {
		e := b.beats.Front()
		if e == nil || now < e.Value.(*session).beatAt+beatEvery {
			break
		}
		s := e.Value.(*session)
		b.beating(s, now, true)
		if s.row.conclude(now); s.row.State == Running || s.row.State == Waiting {
			events = append(events, s.beats(now))
			n++
		}
	}
	return events
}

func (s *session) beats(now Time) Event {
	d := s.unhosted()
	s.pending = deltas{}
	return Event{
		Type: inspectorwire.TypeHeartbeat, SessionID: s.row.ID, Timestamp: now,
		LLMCalls: &d.llm, Tokens: &d.tokens, ToolCalls: &d.tools,
	}
}

// lateProgress is the last progress of those sessions whose progress came too
// often.
func (b *Board) lateProgress(now Time) (events []Event) {
	for s := range b.waiting {
		if now < s.progressAt+progressEvery {
			continue
		}
		if s.progress != nil && s.row.EndedAt == 0 {
			events = append(events, Event{
				Type: inspectorwire.TypeProgressUpdate, SessionID: s.row.ID, Timestamp: now, Progressed: s.progress,
			})
			s.progressAt = now
		}
		s.progress = nil
		delete(b.waiting, s)
	}
	return events
}

// leave takes a session that is dropped out of what waits.
func (b *Board) leave(s *session) {
	delete(b.waiting, s)
	if s.due != nil {
		b.beats.Remove(s.due)
		s.due = nil
	}
}
