package sessions

import (
	"container/list"
	"slices"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// beatEvery is how often a session that runs has a Heartbeat.
const beatEvery = Time(15 * time.Second)

// deltas is what is counted between two Heartbeats.
type deltas struct{ llm, tokens, tools int64 }

// deltas are the counts of the row.
func (r *Row) deltas() deltas {
	d := deltas{llm: r.LLMCalls, tools: r.ToolCalls}
	if r.Usage != nil {
		d.tokens = plus(r.Usage.Input, r.Usage.Output)
	}
	return d
}

// pulse is what a session's heartbeats need.
type pulse struct {
	due    *list.Element // in beats
	beatAt Time
	beaten deltas // the counts at the last Heartbeat
}

// beats is the sessions that have heartbeats in the order in which they are due:
// those of which this run was told and that are open.
type beats struct{ *list.List }

// keep puts the session where its next heartbeat is due; beat tells that one was.
func (b beats) keep(s *session, now Time, beat bool) {
	open := s.live && s.row.EndedAt == 0
	switch {
	case !open:
		b.drop(s)
	case s.due == nil:
		s.due, s.beatAt = b.PushBack(s), now
	case beat:
		b.MoveToBack(s.due)
		if s.beatAt += beatEvery; now-s.beatAt >= beatEvery {
			s.beatAt = now // not all that were missed at once
		}
	}
}

func (b beats) drop(s *session) {
	if s.due != nil {
		b.Remove(s.due)
		s.due = nil
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
		b.beats.keep(s, now, true)
		if s.conclude(now); slices.Contains(alive, s.row.State) {
			events = append(events, s.beat(now))
			n++
		}
	}
	return events
}

// alive are the states of sessions that have heartbeats.
var alive = []string{Running, Idle, Waiting}

// beat is the Heartbeat of what was counted since the last one.
func (s *session) beat(now Time) Event {
	d := s.row.deltas()
	llm, tokens, tools := max(0, d.llm-s.beaten.llm), max(0, d.tokens-s.beaten.tokens), max(0, d.tools-s.beaten.tools)
	s.beaten = d
	return Event{
		Type: inspectorwire.TypeHeartbeat, SessionID: s.row.ID, Timestamp: now,
		LLMCalls: &llm, Tokens: &tokens, ToolCalls: &tools,
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
				Type: inspectorwire.TypeProgressUpdate, SessionID: s.row.ID, Timestamp: s.madeAt, Progressed: s.progress,
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
	b.beats.drop(s)
}
