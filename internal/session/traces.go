package session

import (
	"context"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// A program that is no agent that is known may name the conversation on some spans of a
// trace only, and others of them may come first. Those are of a session of the trace, which
// the conversation absorbs once it is named.

// traceWait is the time after its last span until the session of a trace has ended whose root
// does not come.
const traceWait = 10 * time.Minute

// TraceSession is the name of the session of a trace in which no span names one.
func TraceSession(trace identity.TraceID) string { return store.TracePrefix + trace.String() }

// SessionOf is the session of the spans of a trace that name none: the one that others
// of the trace name, as far as is known.
func (tx *Tx) SessionOf(tenant string, trace identity.TraceID) string {
	name := tenant + TraceSession(trace)
	if parent := tx.ParentOf(name); parent != "" {
		return parent
	}
	return name
}

// RootOf is the root of the session of that name. It is not valid if the session is not
// known, or has no root.
func (tx *Tx) RootOf(ctx context.Context, name string) (identity.Context, error) {
	e, err := tx.store.TouchExtra(ctx, store.BySession, name)
	if err != nil {
		return identity.Context{}, err
	}
	s := e.Session()
	if s == nil || !s.Announced || s.Connection {
		return identity.Context{}, nil
	}
	return identity.Context{Trace: s.Trace, Span: s.Root}, nil
}

// span takes that a span of the session came, whatever it reports.
func (tx *traces) span(ctx context.Context, s *store.Session, env *event.Envelope, e *event.SpanOfTrace) error {
	if !s.Open() {
		return nil
	}
	if !e.Derived {
		return tx.named(ctx, s, env, &e.Native)
	}
	s.Derived = true
	tx.awaitRoot(s, env, e)
	return nil
}

// awaitRoot ends the session of a trace some time after its last span: soon, if its root
// came.
func (tx *traces) awaitRoot(s *store.Session, env *event.Envelope, e *event.SpanOfTrace) {
	c := heldEnd(s)
	if c == nil {
		tx.turns.holdEnd(s, env, &e.SelfReport, traceWait)
		c = heldEnd(s)
	}
	tx.turns.change(c, func(t *store.Turn) {
		t.Last = max(t.Last, e.Native.End)
		t.Prompted = t.Prompted || e.Root
	})
	wait := traceWait
	if c.Turn.Prompted {
		wait = tx.agentOpt.JoinWait
	}
	tx.store.SetDeadline(c, tx.store.Now()+int64(wait))
}

// named takes that the trace of the span is of the session, which absorbs what came before
// that was known.
func (tx *traces) named(ctx context.Context, s *store.Session, env *event.Envelope, span *event.Native) error {
	name := tx.Tenant + TraceSession(span.Trace)
	if span.Trace.IsZero() || hadAgent(s, name) {
		return nil
	}
	tx.include(s, name, env.Time)
	if !tx.store.Knows(name) {
		return nil
	}
	entry, err := tx.store.Touch(ctx, store.BySession, name)
	if err != nil {
		return err
	}
	if own := entry.Session(); own != nil && own.Open() && own.Agent != nil {
		tx.absorb(s, own)
	}
	return nil
}

// absorb ends the session of a trace, and counts what it did in the conversation.
func (tx *traces) absorb(s, own *store.Session) {
	if c := heldEnd(own); c != nil {
		tx.store.Close(own, c)
	}
	tx.ends.absorb(s, own, "")
	s.Start, s.Last = min(s.Start, own.Start), max(s.Last, own.Last)
	from, agent := own.Agent, editAgent(s)
	agent.Turns += from.Turns
	if from.ModelAt > agent.ModelAt {
		agent.Model, agent.ModelAt = from.Model, from.ModelAt
	}
	before := own.More()
	s.SetFill(before.Fill)
	if more := s.More(); before.LastFailure != nil && (more.LastFailure == nil || more.LastFailure.At < before.LastFailure.At) {
		more.LastFailure = before.LastFailure
		s.Extra = &more
	}
}

// wireEnded takes the call of a tool as an MCP client or server saw it, which may be
// another layer of its agent's.
func (tx *traces) wireEnded(s *store.Session, env *event.Envelope, e *event.ToolEnded, about subject) {
	if about.again() {
		tx.store.Count(Repeated)
		return
	}
	how := Outcome{}
	if e.Failed {
		how = outcomeOfTool(e.Text, e.Interrupted)
		if e.Use.ErrorType != "" {
			how.Type = tx.text(e.Use.ErrorType)
		}
	}
	n := &e.Native
	f := &deed{
		Kind: event.ToolCall, Name: tx.cut(toolName(&e.Use)), Start: began(n.Start, env.Time), Source: event.Wire,
		Key: store.CallKey{Connection: env.Scope(), ID: store.GeneratedID + n.Span.String() + `"`, FromClient: true},
	}
	c := tx.agentTools.newTool(s, env, &e.Use, f, about)
	c.Report, c.Trace, c.Span, c.Parent, c.Remote = nil, n.Trace, n.Span, n.Parent, true
	if !n.Parent.IsZero() {
		c.Context = identity.Context{Trace: n.Trace, Span: n.Parent}
	}
	c.Bytes = c.CallRecord.Bytes()
	s.Start = min(s.Start, c.Start)
	tx.store.Open(s, c)
	tx.calls.close(s, c, CallEnd{Time: n.End, Outcome: how, Native: n})
}
