package sessions

import (
	"container/list"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// beatEvery is how often a session that runs has a Heartbeat.
const beatEvery = Time(15 * time.Second)

// deltas is what was seen since the last Heartbeat.
type deltas struct{ llm, tokens, tools int64 }

// pulse is what a session's heartbeats need.
type pulse struct {
	due       *list.Element // in beats
	beatAt    Time
	pending   deltas
	byHost    struct{ llm, tokens, tools bool } // what the host itself counts
	toolTotal int64                             // the host's last total
	used      int64                             // tokens, of which heartbeats were told
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
		if s.row.conclude(now, s.recorded); slices.Contains(alive, s.row.State) {
			events = append(events, s.beat(s.row.ID, now))
			n++
		}
	}
	return events
}

// alive are the states of sessions that have heartbeats.
var alive = []string{Running, Idle, Waiting}

// beat is the Heartbeat of what was seen since the last one.
func (p *pulse) beat(id string, now Time) Event {
	d := p.unhosted()
	p.pending = deltas{}
	return Event{
		Type: inspectorwire.TypeHeartbeat, SessionID: id, Timestamp: now,
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

// heartbeat tells what was added since the last one. What a call of a model says of the
// context is no count of its host.
func (s *session) heartbeat(span ptrace.Span, u *Update) {
	m := span.Attributes()
	if facts.IsModel(span) || facts.Str(m, mcpconv.AmendedSpan) != "" {
		return
	}
	if tokens, ok := facts.Int(m, mcpconv.HeartbeatTokens); ok && tokens > 0 {
		s.row.Added(figures.When(span.StartTimestamp()), tokens)
	}
	if s.TakeDeltas(m) {
		s.Sum(&s.row.Totals)
	}
	if e, ok := s.counted(m); ok {
		u.Events = append(u.Events, e)
	}
}

// counted is the Heartbeat of what the host itself counts; ok is false if it tells
// of nothing.
func (p *pulse) counted(m pcommon.Map) (e Event, ok bool) {
	llm, okLLM := facts.Int(m, mcpconv.HeartbeatLLM)
	tokens, okTokens := facts.Int(m, mcpconv.HeartbeatTokens)
	tools, okTools := facts.Int(m, mcpconv.HeartbeatTools)
	if total, ok := facts.Int(m, mcpconv.HostToolCalls); ok {
		tools, okTools = max(0, total-p.toolTotal), true
		p.toolTotal = total
	}
	if used, ok := facts.Int(m, mcpconv.HostTokensUsed); ok {
		tokens, okTokens = max(0, used-p.used), true
		p.used = used
	}
	p.hostTells(okLLM, okTokens, okTools)
	e = Event{Type: inspectorwire.TypeHeartbeat, LLMCalls: &llm, Tokens: &tokens, ToolCalls: &tools}
	return e, okLLM || okTokens || okTools
}

// hostTells keeps what the host counts itself out of the next Heartbeat, in which
// it would be told twice.
func (p *pulse) hostTells(llm, tokens, tools bool) {
	h := &p.byHost
	h.llm, h.tokens, h.tools = h.llm || llm, h.tokens || tokens, h.tools || tools
	p.pending = p.unhosted()
}

// unhosted is what was seen and is not counted by the host.
func (p *pulse) unhosted() deltas {
	d := p.pending
	if p.byHost.llm {
		d.llm = 0
	}
	if p.byHost.tokens {
		d.tokens = 0
	}
	if p.byHost.tools {
		d.tools = 0
	}
	return d
}
