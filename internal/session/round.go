package session

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
)

// inputRequired tells whether the result asks for input before it can be one
// (MCP 2026-07-28, multi round trip requests).
func inputRequired(m *jsonrpc.Message) bool {
	return m.Result.Type.Str() == "input_required" && m.Result.RequestState.Str() != ""
}

// goesOn keeps the call open until the client goes on with it; it is false if
// the call must end now, since another one names the same state.
func (tx *Tx) goesOn(s *Session, o *Observation, m *jsonrpc.Message, c *Call) bool {
	if other := tx.park(s, c, parkedRound, stateKey(m.Result.RequestState.Str())); other != nil {
		tx.note(AmbiguousState)
		if other != c {
			tx.close(s, other, CallEnd{Time: other.wait.Start})
		}
		return false
	}
	method, prompt, schema := m.Result.Input()
	w := &Wait{
		Name: signalOf(method), Start: o.Time, Call: c, Trace: c.Trace, Parent: c.Span,
	}
	if tx.t.opt.KeepPayloads {
		w.Prompt, w.Schema = strings.Clone(prompt), clone(schema)
	}
	w.Span = identity.Span(w.Trace, identity.Wait, s.Identity, w.Name, decimal(w.Start), c.Span.String())
	more := w.bytes()
	c.wait = w
	tx.grow(c, more)
	tx.onUndo(func() { c.wait, c.bytes = nil, c.bytes-more })
	tx.count(s)
	tx.sink.WaitStarted(s.telemetry(), w, identity.Span(w.Trace, identity.Start, s.Identity, w.Span.String()))
	return true
}

// signalOf names what is waited for by the method of the request that asks.
func signalOf(method string) string {
	switch method {
	case "elicitation/create":
		return "elicitation"
	case "sampling/createMessage":
		return "sampling"
	case "roots/list":
		return "roots"
	}
	return "input"
}

// continued is the call that the request goes on with, nil if it begins one.
func (tx *Tx) continued(s *Session, o *Observation, m *jsonrpc.Message) *Call {
	state := m.Params.RequestState.Str()
	if state == "" || len(s.parked) == 0 {
		return nil
	}
	c := s.parkedBy(parkedRound, o.connection(), stateKey(state), o.sent(m) == FromClient)
	if c == nil || c.Method != m.Method || c.Target != jsonrpc.Cut(target(m), tx.t.opt.TextBytes) {
		return nil
	}
	return c
}

// goOn makes the request the latest of the call's.
func (tx *Tx) goOn(s *Session, o *Observation, m *jsonrpc.Message, c *Call) {
	tx.endWait(s, c, &WaitEnd{Time: o.Time, Action: m.Params.Action()})
	key := callKey{c.Connection, string(m.ID), c.FromClient}
	if old := s.calls[key]; old != nil {
		tx.note(ReusedID)
		tx.close(s, old, CallEnd{Time: o.Time, Incomplete: true})
	}
	leg, token, raw, start := c.leg, c.Token, c.raw, c.legStart
	tx.onUndo(func() { c.leg, c.Token, c.raw, c.legStart = leg, token, raw, start })
	c.leg, c.raw, c.legStart = clone(m.ID), xxhash.Sum64String(string(m.Raw)), o.Time
	if next := m.Params.Meta.ProgressToken; next != "" {
		c.Token = clone(next)
	}
	tx.growUndone(c, int64(len(c.Token)-len(token)+len(c.leg)-len(leg)))
	tx.unpark(s, c)
}

// growUndone is grow, taken back with the transaction.
func (tx *Tx) growUndone(c *Call, bytes int64) {
	tx.grow(c, bytes)
	tx.onUndo(func() { c.bytes -= bytes })
}

// endWait ends the call's wait for its client, if it is in one.
func (tx *Tx) endWait(s *Session, c *Call, end *WaitEnd) {
	w := c.wait
	if w == nil {
		return
	}
	c.wait = nil
	bytes := w.bytes()
	tx.grow(c, -bytes)
	tx.onUndo(func() { c.wait, c.bytes = w, c.bytes+bytes })
	end.Session, end.Wait, end.Time = s.telemetry(), w, max(end.Time, w.Start)
	s.Summary.WaitingNs += end.Time - w.Start
	tx.count(s)
	tx.sink.WaitEnded(end)
}
