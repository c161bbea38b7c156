package session

import (
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// agentsMax bounds the sub-agents that are open in one session; one more closes
// the oldest.
const agentsMax = 256

// Agent is a sub-agent that a host started. Its strings are its own, and it
// never changes.
type Agent struct {
	ID      string
	Type    string
	Task    string
	Model   string
	Spawned string // params of the notification that told of it, JSON
	Start   int64
	Trace   identity.TraceID
	Span    identity.SpanID
	Parent  identity.SpanID
	Context Context // of the notification
	Link    Context // of the push request
	Sender  string
	Invalid string
	seen    bool // its start was
}

// Seen tells whether the start was told, rather than derived from the end.
func (a *Agent) Seen() bool { return a.seen }

// AgentEnd is the end of a sub-agent's work.
type AgentEnd struct {
	Session    *Session // nil if there is none
	Agent      *Agent
	Time       int64
	Completed  *jsonrpc.HostEvent // what its end told, nil if that was not seen
	Tokens     jsonrpc.Value
	Params     string // of the notification that told of the end
	Outcome    Outcome
	Context    Context // of that notification
	Incomplete bool
	Invalid    string
}

// spawned opens a sub-agent; it is false when there is nothing to know it by
// again, or no session to keep it.
func (tx *Tx) spawned(s *Session, o *Observation, n *Notice) bool {
	id := n.HostEvent.AgentID.Str()
	if id == "" || s.Connection || s.ended != 0 {
		return false
	}
	id = jsonrpc.Cut(id, tx.t.opt.TextBytes)
	if open := s.agent(id); open != nil {
		if open.Start == o.Time && xxhash.Sum64String(open.Spawned) == xxhash.Sum64String(string(n.Message.Params.Raw)) {
			tx.note(Repeated)
			return true
		}
		tx.note(ReusedID)
		tx.closeAgent(s, open, AgentEnd{Time: o.Time, Incomplete: true})
	}
	a := tx.newAgent(s, o, n, strings.Clone(id), o.Time)
	a.Spawned = clone(n.Message.Params.Raw)
	a.seen = true
	s.held += a.bytes()
	s.agents = append(slices.Clip(s.agents), a)
	tx.count(s)
	tx.sink.AgentStarted(s, a, s.marker(a.Span))
	if len(s.agents) > agentsMax {
		tx.closeAgent(s, s.agents[0], AgentEnd{Time: o.Time, Incomplete: true})
	}
	return true
}

func (tx *Tx) newAgent(s *Session, o *Observation, n *Notice, id string, start int64) *Agent {
	e := n.HostEvent
	a := &Agent{
		ID: id, Type: tx.text(e.AgentType), Model: tx.text(e.Model), Start: start,
		Context: tx.contextOf(o, &n.Message.Params.Meta), Link: o.Push, Sender: s.own(s.sender(o, true)), Invalid: strings.Clone(n.Invalid),
	}
	if tx.t.opt.KeepPayloads {
		a.Task = tx.text(e.Task)
	}
	tx.note(n.Invalid)
	a.Trace, a.Parent = s.traceOf()
	if id == "" {
		return a
	}
	hash := xxhash.Sum64String(id)
	if again := s.spawned.find(hash); again != 0 && again != a.Start {
		a.Span = identity.Span(a.Trace, identity.Agent, s.Identity, id, decimal(a.Start))
		return a
	}
	a.Span = identity.Span(a.Trace, identity.Agent, s.Identity, id)
	s.spawned = s.spawned.with(hash, a.Start)
	return a
}

// text is a copy of a short text within the limit.
func (tx *Tx) text(v jsonrpc.Value) string {
	return strings.Clone(jsonrpc.Cut(v.Str(), tx.t.opt.TextBytes))
}

func (a *Agent) bytes() int64 {
	const each = 256 // beside its strings, about
	return each + int64(len(a.ID)+len(a.Type)+len(a.Task)+len(a.Model)+len(a.Spawned))
}

// agent is the open sub-agent with that id.
func (s *Session) agent(id string) *Agent {
	for _, a := range s.agents {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// completed closes a sub-agent. One of whose start nothing is known began as
// long ago as it says that it took.
func (tx *Tx) completed(s *Session, o *Observation, n *Notice) {
	e := n.HostEvent
	id := jsonrpc.Cut(e.AgentID.Str(), tx.t.opt.TextBytes)
	a := s.agent(id)
	if a == nil || id == "" {
		start := o.Time
		if seconds, ok := e.Duration.Float(); ok && seconds > 0 && seconds < elapsedMax {
			start = max(o.Time-int64(seconds*float64(time.Second)), 1)
		}
		a = tx.newAgent(s, o, n, strings.Clone(id), start)
		if id == "" {
			n.Time, n.Trace = o.Time, a.Trace
			a.Span = n.identify(s)
		}
	} else {
		tx.note(n.Invalid)
	}
	tx.closeAgent(s, a, AgentEnd{
		Time: o.Time, Completed: e, Tokens: n.Message.Params.Host.TokensUsed, Params: string(n.Message.Params.Raw),
		Outcome: agentOutcome(e.Outcome.Str()), Context: tx.contextOf(o, &n.Message.Params.Meta), Invalid: n.Invalid,
	})
}

func agentOutcome(outcome string) Outcome {
	switch outcome {
	case "error":
		return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther}
	case "timeout":
		return Outcome{Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout}
	}
	return Outcome{}
}

// closeAgent ends a sub-agent and tells so.
func (tx *Tx) closeAgent(s *Session, a *Agent, end AgentEnd) {
	if i := slices.Index(s.agents, a); i >= 0 {
		s.agents = slices.Concat(s.agents[:i], s.agents[i+1:])
		s.held -= a.bytes()
	}
	end.Session, end.Agent, end.Time = s.telemetry(), a, max(end.Time, a.Start)
	end.Invalid = first(a.Invalid, end.Invalid)
	tx.count(s)
	s.Summary.Agents++
	if end.Outcome.Failed {
		s.Summary.Errors++
	}
	tx.sink.AgentEnded(&end)
}

// closeAgents ends all sub-agents of a session that ends.
func (tx *Tx) closeAgents(s *Session, at int64) {
	for len(s.agents) > 0 {
		tx.closeAgent(s, s.agents[0], AgentEnd{Time: at, Incomplete: true})
	}
}
