package session

import (
	"slices"
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
	tx.CloseWaitsIf(s, at, incomplete, func(*store.Wait) bool { return true })
}

// CloseWaitsIf ends the waits of the session that are over.
func (tx *Tx) CloseWaitsIf(s *store.Session, at int64, incomplete bool, over func(*store.Wait) bool) {
	if len(s.Waits) == 0 {
		return
	}
	var rest store.List[store.Wait]
	for _, w := range s.Waits {
		if !over(w) {
			rest = rest.With(w)
			continue
		}
		end := max(at, w.Start)
		s.Summary.WaitingNs += end - w.Start
		s.Held -= w.Bytes()
		s.Spans++
		tx.Sink.WaitEnded(&WaitEnd{Session: &s.SessionRecord, Wait: w, Time: end, Incomplete: incomplete})
	}
	s.Waits = rest
}

// BeatWaits notes that a heartbeat of the Inspector came. One that counts something
// ends the waits that began before the heartbeat before it: the first after the start of a
// wait counts what was done until then.
func (tx *Tx) BeatWaits(s *store.Session, at int64, counts bool) {
	if counts {
		tx.CloseWaitsIf(s, at, false, func(w *store.Wait) bool { return w.Beaten })
	}
	for i, w := range s.Waits {
		if !w.Beaten {
			beaten := *w
			beaten.Beaten = true
			s.Waits = slices.Concat(s.Waits[:i], store.List[store.Wait]{&beaten}, s.Waits[i+1:])
		}
	}
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
