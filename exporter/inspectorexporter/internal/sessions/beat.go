package sessions

import (
	"container/list"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// beatEvery is how often a session that runs has a Heartbeat.
const beatEvery = Time(15 * time.Second)

// deltas is what was seen since the last Heartbeat.
type deltas struct{ llm, tokens, tools int64 }

// pulse is what a session's heartbeats need.
type pulse struct {
	due       *list.Element // in Board.beats
	beatAt    Time
	pending   deltas
	hosted    struct{ llm, tokens, tools bool } // what the host itself counts
	toolTotal int64                             // the host's last total
	used      int64                             // tokens, of which heartbeats were told
}

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
		if s.beatAt += beatEvery; now-s.beatAt >= beatEvery {
			s.beatAt = now // not all that were missed at once
		}
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

// heartbeat tells what was added since the last one.
func (s *session) heartbeat(m pcommon.Map, u *Update) {
	llm, okLLM := number(m, mcpconv.HeartbeatLLM)
	tokens, okTokens := number(m, mcpconv.HeartbeatTokens)
	tools, okTools := number(m, mcpconv.HeartbeatTools)
	if okTokens && tokens > 0 {
		s.add(tokens)
	}
	if total, ok := number(m, mcpconv.HostToolCalls); ok {
		tools, okTools = max(0, total-s.toolTotal), true
		s.toolTotal = total
	}
	if used, ok := number(m, mcpconv.HostTokensUsed); ok {
		tokens, okTokens = max(0, used-s.used), true
		s.used = used
	}
	s.hostTells(okLLM, okTokens, okTools)
	if okLLM || okTokens || okTools {
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeHeartbeat, LLMCalls: &llm, Tokens: &tokens, ToolCalls: &tools})
	}
}

// hostTells keeps what the host counts itself out of the next Heartbeat, in which
// it would be told twice.
func (s *session) hostTells(llm, tokens, tools bool) {
	h := &s.hosted
	h.llm, h.tokens, h.tools = h.llm || llm, h.tokens || tokens, h.tools || tools
	s.pending = s.unhosted()
}

// unhosted is what was seen and is not counted by the host.
func (s *session) unhosted() deltas {
	d := s.pending
	if s.hosted.llm {
		d.llm = 0
	}
	if s.hosted.tokens {
		d.tokens = 0
	}
	if s.hosted.tools {
		d.tools = 0
	}
	return d
}
