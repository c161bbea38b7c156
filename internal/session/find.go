package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// subject is the thing that a report of an agent is about: its fact, and the call of it.
type subject struct {
	account correlate.Account // of the report, zero if it is of no fact
	fact    correlate.FactID  // of that
	call    *store.Call       // open or held, nil if there is none
	left    int               // where the call is among those that have left, -1 if it is not
	status  correlate.Status
}

// subjectOf returns what a report is about that changed the facts so.
func subjectOf(s *store.Session, how correlate.Change) subject {
	about := subject{account: how.Account, fact: how.Fact, status: how.Status, left: -1}
	if how.Account != 0 {
		about.call = s.CallOf(how.Fact)
		about.left = s.LeftOf(how.Fact)
	}
	return about
}

// again reports whether the source had reported it before.
func (a *subject) again() bool {
	return a.status == correlate.Repeated || a.status == correlate.Amended
}

// factOf returns the fact that the account is part of, an empty one if there is none.
func factOf(s *store.Session, a correlate.Account) (f correlate.Fact) {
	if s.Facts != nil {
		if fact, ok := s.Facts.Of(a); ok {
			f, _ = s.Facts.Get(fact)
		}
	}
	return f
}

// measured reports whether another call that is the same fact counts as an operation of MCP.
func measured(s *store.Session, c *store.Call, f *correlate.Fact, native bool) bool {
	if c.Kind != event.ToolCall || f.Kind == 0 {
		return false
	}
	if ownReport := native && !c.OfAgent(); f.Ended.Has(correlate.Wire) && !ownReport {
		return true
	}
	left := s.LeftOf(f.ID)
	return left >= 0 && s.Agent.Done[left].Counted
}

// agentCallOf returns the agent's own call of which c is the message, nil if it is not open.
func agentCallOf(s *store.Session, c *store.Call) *store.Call {
	if c.OfAgent() || s.Facts == nil {
		return nil
	}
	if fact, ok := s.Facts.Of(c.Account); ok {
		return s.CallOf(fact)
	}
	return nil
}

// messageOf returns the open message of the agent's call of whose silence would be told, nil
// if there is none.
func messageOf(s *store.Session, own *store.Call) *store.Call {
	if len(s.Calls) > store.NestedMax {
		return nil
	}
	for _, c := range s.Calls {
		if c.Dropped || c.Uncertain || c.Kept() || c.LongRunning() {
			continue
		}
		if agentCallOf(s, c) == own {
			return c
		}
	}
	return nil
}
