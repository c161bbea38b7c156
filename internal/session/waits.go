package session

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// StartWait opens a wait of the session for a signal.
func (tx *Tx) StartWait(s *store.Session, env *event.Envelope, e *event.WaitStarted, hash uint64) {
	w := &store.Wait{Name: tx.Text(e.Name), Start: env.Time, Hash: hash, Invalid: env.Invalid}
	tx.Count(env.Invalid)
	if tx.Options.KeepPayloads {
		w.Prompt, w.Schema = strings.Clone(e.Prompt), strings.Clone(string(e.Schema))
		s.Held += w.Bytes()
	}
	w.Trace, w.Parent = traceOf(s)
	w.Span = identity.Span(w.Trace, identity.Wait, s.Identity, w.Name, Decimal(w.Start))
	s.Waits = s.Waits.With(w)
	s.Spans++
	tx.Sink.WaitStarted(&WaitStart{Session: &s.SessionRecord, Wait: w, Marker: s.Marker(w.Span)})
}

// CloseWaits ends all waits of the session.
func (tx *Tx) CloseWaits(s *store.Session, at int64, incomplete bool) {
	for _, w := range s.Waits {
		end := max(at, w.Start)
		s.Summary.WaitingNs += end - w.Start
		s.Held -= w.Bytes()
		s.Spans++
		tx.Sink.WaitEnded(&WaitEnd{Session: &s.SessionRecord, Wait: w, Time: end, Incomplete: incomplete})
	}
	s.Waits = nil
}

// StartCallWait opens the wait of a call for its client.
func (tx *Tx) StartCallWait(s *store.Session, c *store.Call, w *store.Wait) {
	w.Trace, w.Parent = c.Trace, c.Span
	w.Span = identity.Span(w.Trace, identity.Wait, s.Identity, w.Name, Decimal(w.Start), c.Span.String())
	tx.Edit(c)
	c.Wait = w
	tx.Grow(c, w.Bytes())
	s.Spans++
	tx.Sink.WaitStarted(&WaitStart{
		Session: s.Reported(), Wait: w, Call: &c.CallRecord,
		Marker: identity.Span(w.Trace, identity.Start, s.Identity, w.Span.String()),
	})
}

// EndCallWait ends the call's wait for its client, if it is in one.
func (tx *Tx) EndCallWait(s *store.Session, c *store.Call, at int64, action string, incomplete bool) {
	w := c.Wait
	if w == nil {
		return
	}
	tx.Edit(c)
	c.Wait = nil
	tx.Grow(c, -w.Bytes())
	at = max(at, w.Start)
	s.Summary.WaitingNs += at - w.Start
	s.Spans++
	tx.Sink.WaitEnded(&WaitEnd{
		Session: s.Reported(), Wait: w, Call: &c.CallRecord, Time: at, Action: action, Incomplete: incomplete,
	})
}
