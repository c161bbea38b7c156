package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// agentsMax bounds the sub-agents that are open in one session; one more closes
// the oldest.
const agentsMax = 256

// spawn opens a sub-agent; it is false when there is nothing to know it by
// again, or no session to keep it.
func (tx *subAgents) spawn(s *store.Session, env *event.Envelope, n *event.Notice, e *event.SubAgent, about subject) bool {
	id := tx.cut(e.ID.Str())
	if id == "" || s.Connection || !s.Open() {
		return false
	}
	open := openAgent(s, id)
	if held := pendingEnd(s, open); held != nil {
		tx.emitDeferred(s, held, nil, Outcome{})
		open = nil
	}
	if open != nil {
		if open.Start == env.Time && open.Hash == xxhash.Sum64String(string(n.Params)) {
			tx.store.Count(Repeated)
			return true
		}
		tx.store.Count(ReusedID)
		tx.closeAgent(s, open, AgentEnd{Time: env.Time, Incomplete: true})
	}
	a := tx.newAgent(s, env, n, e, strings.Clone(id), env.Time)
	a.Hash, a.Seen, a.Account = xxhash.Sum64String(string(n.Params)), true, about.account
	if tx.opt.KeepPayloads {
		a.Spawned = strings.Clone(string(n.Params))
	}
	s.Held += a.Bytes()
	s.Agents = s.Agents.With(a)
	s.Spans++
	if n.Source == event.Wire {
		tx.reports.spawned(s, a)
	}
	tx.sink.AgentStarted(&s.SessionRecord, a, s.Marker(a.Span))
	if len(s.Agents) > agentsMax {
		tx.closeAgent(s, s.Agents[0], AgentEnd{Time: env.Time, Incomplete: true})
	}
	return true
}

func (tx *subAgents) newAgent(s *store.Session, env *event.Envelope, n *event.Notice, e *event.SubAgent, id string, start int64) *store.Agent {
	a := &store.Agent{
		ID: id, Type: tx.shortText(e.Type.Str()), Model: tx.text(e.Model.Str()), Start: start,
		Context: tx.context(env, n.Trace), Link: env.Push, Sender: intern(s, senderOf(s, env, true)), Invalid: strings.Clone(n.Invalid),
	}
	if tx.opt.KeepPayloads {
		a.Task = tx.shortText(e.Task.Str())
	}
	tx.store.Count(a.Invalid)
	a.Trace, a.Parent = traceOf(s)
	if id == "" {
		return a
	}
	hash := xxhash.Sum64String(tx.Tenant + id)
	if again := s.Spawned.Find(hash); again != 0 && again != a.Start {
		a.Span = identity.Span(a.Trace, identity.Agent, s.Identity, id, decimal(a.Start))
		return a
	}
	a.Span = identity.Span(a.Trace, identity.Agent, s.Identity, id)
	s.Spawned = s.Spawned.With(hash, a.Start)
	if !s.Connection {
		tx.store.Adopt(tx.Tenant+id, s.ID)
	}
	return a
}

// openAgent is the open sub-agent with that id, nil if there is none.
func openAgent(s *store.Session, id string) *store.Agent {
	for _, a := range s.Agents {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// agentOf returns the open sub-agent that a report is about, nil if there is none. id is what
// its source calls it.
func agentOf(s *store.Session, about subject, id string) *store.Agent {
	if a := openAgent(s, id); a != nil && id != "" {
		return a
	}
	if about.account == 0 {
		return nil
	}
	for _, a := range s.Agents {
		if fact, ok := s.Facts.Of(a.Account); ok && fact == about.fact {
			return a
		}
	}
	return nil
}

// hadAgent reports whether a sub-agent with that id, behind its [Tx.Tenant], is known, open or not.
func hadAgent(s *store.Session, id string) bool { return s.Spawned.Find(xxhash.Sum64String(id)) != 0 }

// beganNear reports whether the sub-agent with that id, behind its [Tx.Tenant], began then, as far as two sources
// can agree on it.
func beganNear(s *store.Session, id string, at int64) bool {
	return near(s.Spawned.Find(xxhash.Sum64String(id)), at)
}

// elapsedMax bounds how far back something may be said to have begun, in seconds.
const elapsedMax = float64(366 * 24 * 60 * 60)

// complete closes a sub-agent, or holds its end. One of whose start nothing is
// known began as long ago as it says that it took. It is false if the end is known.
//
// native is the agent's own span of it, nil if there is none.
func (tx *subAgents) complete(
	s *store.Session, env *event.Envelope, n *event.Notice, e *event.SubAgent, native *event.Native, about subject,
) bool {
	id := tx.cut(e.ID.Str())
	a := agentOf(s, about, id)
	how := outcomeOfAgent(e.Outcome.Str())
	if held := pendingEnd(s, a); held != nil {
		if native == nil {
			tx.store.Count(Repeated)
			return false
		}
		tx.joins.reported(held, event.AgentSpan, store.Report{})
		tx.emitDeferred(s, held, native, how)
		return true
	}
	known := a != nil
	if !known {
		a = tx.unseenAgent(s, env, n, e, id)
		a.Account = about.account
	} else {
		tx.store.Count(n.Invalid)
		if a.Start == env.Time { // both came in one body without times
			a = backdated(s, a, startOf(env, e))
		}
	}
	end := AgentEnd{
		Time: env.Time, Native: native, Completed: e, Params: string(n.Params),
		Outcome: how, Context: tx.context(env, n.Trace), Invalid: n.Invalid,
	}
	if n.Source == event.Wire {
		tx.reports.completed(s, a, &end)
	}
	if known && tx.awaitsSpan(s, n.Source) {
		tx.deferEnd(s, a, &end, n.Source)
		return true
	}
	switch {
	case s.Agent == nil || n.Source == event.Wire:
	case known || about.left < 0:
		rememberAgent(s, a, native)
	case n.Source == event.Hook: // its span left before
		tx.store.Count(Repeated)
		return false
	default:
		end.Duplicate = s.Agent.Done[about.left].Span
	}
	tx.closeAgent(s, a, end)
	return true
}

// unseenAgent is a sub-agent of which nothing is known but its end.
func (tx *subAgents) unseenAgent(s *store.Session, env *event.Envelope, n *event.Notice, e *event.SubAgent, id string) *store.Agent {
	a := tx.newAgent(s, env, n, e, strings.Clone(id), startOf(env, e))
	if id == "" {
		a.Span = tx.notices.distinctNotice(n, s.Identity, tx.notices.noticeName(n), a.Trace, env.Time)
	}
	return a
}

// startOf is when a sub-agent began by how long its end says that it took.
func startOf(env *event.Envelope, e *event.SubAgent) int64 {
	if seconds, ok := e.Duration.Float(); ok && seconds > 0 && seconds < elapsedMax {
		return max(env.Time-int64(seconds*float64(time.Second)), 1)
	}
	return env.Time
}

// backdated is an open sub-agent of the session, which from now on began then.
func backdated(s *store.Session, a *store.Agent, start int64) *store.Agent {
	earlier := *a
	earlier.Start = start
	if at := slices.Index(s.Agents, a); at >= 0 {
		s.Agents = slices.Concat(s.Agents[:at], store.List[store.Agent]{&earlier}, s.Agents[at+1:])
	}
	return &earlier
}

// rememberAgent notes that a sub-agent has ended.
func rememberAgent(s *store.Session, a *store.Agent, native *event.Native) {
	left := store.Fact{Trace: a.Trace, Span: a.Span, Account: a.Account}
	if native != nil {
		left.Trace, left.Span = native.Trace, native.Span
	}
	leave(s, left)
}

// closeAgent ends a sub-agent and reports it.
func (tx *subAgents) closeAgent(s *store.Session, a *store.Agent, end AgentEnd) {
	if held := pendingEnd(s, a); held != nil {
		tx.store.Close(s, held)
	}
	if i := slices.Index(s.Agents, a); i >= 0 {
		s.Agents = s.Agents.Without(i)
		s.Held -= a.Bytes()
	}
	if t := turnAt(s, a.Start); t != nil && t.Turn.Prompted && (s.Agent.SpanSource == event.Hook || s.Agent.SpanSource == event.AgentLog) {
		below := *a
		below.Parent = t.Span
		a = &below
	}
	end.Session, end.Agent, end.Time = s.Reported(), a, max(end.Time, a.Start)
	end.Invalid, end.Late = cmp.Or(a.Invalid, end.Invalid), factOf(s, a.Account).Late
	s.Spans++
	if end.Native == nil {
		s.Contain(a.Trace, a.Start, end.Time)
	}
	tx.sink.AgentEnded(&end)
}

// closeAgents ends all sub-agents of a session that ends.
func (tx *subAgents) closeAgents(s *store.Session, at int64) {
	for len(s.Agents) > 0 {
		tx.closeAgent(s, s.Agents[0], AgentEnd{Time: at, Incomplete: true})
	}
}
