package session

import (
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// start opens a wait of the session for a signal.
func (tx *waits) start(s *store.Session, env *event.Envelope, e *event.WaitStarted, hash uint64) {
	w := &store.Wait{Name: tx.shortText(e.Name), Start: env.Time, Hash: hash, Invalid: env.Invalid}
	tx.store.Count(env.Invalid)
	if tx.opt.KeepPayloads {
		w.Prompt, w.Schema = strings.Clone(e.Prompt), strings.Clone(string(e.Schema))
		s.Held += w.Bytes()
	}
	w.Trace, w.Parent = traceOf(s)
	w.Span = identity.Span(w.Trace, identity.Wait, s.Identity, tx.cut(w.Name), decimal(w.Start))
	s.Waits = s.Waits.With(w)
	s.Spans++
	tx.sink.WaitStarted(&WaitStart{Session: &s.SessionRecord, Wait: w, Marker: s.Marker(w.Span)})
}

// closeAll ends all waits of the session.
func (tx *waits) closeAll(s *store.Session, at int64, incomplete bool) {
	tx.closeWaitsIf(s, at, incomplete, func(*store.Wait) bool { return true })
}

// closeWaitsIf ends the waits of the session that are over.
func (tx *waits) closeWaitsIf(s *store.Session, at int64, incomplete bool, over func(*store.Wait) bool) {
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
		s.Contain(w.Trace, w.Start, end)
		tx.sink.WaitEnded(&WaitEnd{Session: &s.SessionRecord, Wait: w, Time: end, Incomplete: incomplete})
	}
	s.Waits = rest
}

// beatWaits notes that a heartbeat of the Inspector came. One that counts something
// ends the waits that began before the heartbeat before it: the first after the start of a
// wait counts what was done until then.
func (tx *waits) beatWaits(s *store.Session, at int64, counts bool) {
	if counts {
		tx.closeWaitsIf(s, at, false, func(w *store.Wait) bool { return w.Beaten })
	}
	for i, w := range s.Waits {
		if !w.Beaten {
			beaten := *w
			beaten.Beaten = true
			s.Waits = slices.Concat(s.Waits[:i], store.List[store.Wait]{&beaten}, s.Waits[i+1:])
		}
	}
}

// startOfCall opens the wait of a call for its client.
func (tx *waits) startOfCall(s *store.Session, c *store.Call, w *store.Wait) {
	w.Trace, w.Parent = c.Trace, c.Span
	w.Span = identity.Span(w.Trace, identity.Wait, s.Identity, w.Name, decimal(w.Start), c.Span.String())
	tx.store.Edit(c)
	c.Wait = w
	tx.store.Grow(c, w.Bytes())
	s.Spans++
	tx.sink.WaitStarted(&WaitStart{
		Session: s.Reported(), Wait: w, Call: &c.CallRecord,
		Marker: identity.Span(w.Trace, identity.Start, s.Identity, w.Span.String()),
	})
}

// endOfCall ends the call's wait for its client, if it is in one.
func (tx *waits) endOfCall(s *store.Session, c *store.Call, at int64, action string, incomplete bool) {
	w := c.Wait
	if w == nil {
		return
	}
	tx.store.Edit(c)
	c.Wait = nil
	tx.store.Grow(c, -w.Bytes())
	at = max(at, w.Start)
	s.Summary.WaitingNs += at - w.Start
	s.Spans++
	s.Contain(w.Trace, w.Start, at)
	tx.sink.WaitEnded(&WaitEnd{
		Session: s.Reported(), Wait: w, Call: &c.CallRecord, Time: at, Action: action, Incomplete: incomplete,
	})
}
