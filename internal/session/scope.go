package session

import (
	"context"
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// entryEffect bounds the effect of a message on its session.
type entryEffect uint8

// The effects.
const (
	opens     entryEffect = iota // opens and reopens
	late                         // reopens nothing for a while after the end
	once                         // opens what is not known, never reopens
	keepAlive                    // a sign of life: neither opens nor reopens
)

// enter is the session or connection that the envelope belongs to, opened if
// need be; nil if it is not known and the message does not open it. The errors
// are those of [store.Tx.Touch].
func (tx *sessions) enter(ctx context.Context, env *event.Envelope, effect entryEffect) (*store.Session, error) {
	switch {
	case env.Session != "":
		e, err := tx.store.Touch(ctx, store.BySession, env.Session)
		if err != nil {
			return nil, err
		}
		return tx.epoch(e, env, effect), nil
	case env.Connection != "":
		e, err := tx.store.Touch(ctx, store.ByConnection, env.Connection)
		if err != nil {
			return nil, err
		}
		if s := e.Session(); s == nil || !s.Open() {
			e.SetSession(newConnection(e.Name(), env.Time))
		}
		s := e.Session()
		see(s, env)
		hear(s, env, effect)
		return s, nil
	}
	if s := tx.store.Alone(); s == nil || !s.Open() {
		tx.store.SetAlone(newConnection("", env.Time))
	}
	see(tx.store.Alone(), env)
	return tx.store.Alone(), nil
}

func newConnection(id string, at int64) *store.Session {
	return &store.Session{SessionRecord: store.SessionRecord{Connection: true, Epoch: store.Epoch{ID: id, Start: at, Last: at}}}
}

// epoch is the epoch of e that the message belongs to.
func (tx *sessions) epoch(e *store.Entry, env *event.Envelope, effect entryEffect) *store.Session {
	s := e.Session()
	switch {
	case s == nil && effect == keepAlive:
		return nil
	case s == nil:
		e.SetSession(tx.newSession(e.Name(), env.Time, nil))
	case !s.Open() && (effect >= once || effect == late && env.Arrival-s.Ended <= int64(tx.opt.Linger)):
		return s
	case !s.Open():
		e.SetSession(tx.newSession(e.Name(), env.Time, s))
	case int(s.Spans) >= tx.opt.MaxSpans && effect != keepAlive:
		next := tx.newSession(e.Name(), env.Time, s)
		continueEpoch(next, s)
		e.SetSession(next)
		tx.store.Continued(next)
		tx.ends.end(s, s.Last, mcpconv.EndMaxSpans)
	}
	s = e.Session()
	see(s, env)
	hear(s, env, effect)
	return s
}

// hear notes that the session's host was heard of, unless the message is no sign of it.
func hear(s *store.Session, env *event.Envelope, effect entryEffect) {
	if effect < keepAlive {
		s.HeardBefore, s.Heard = s.Heard, env.Arrival
	}
}

// newSession is the epoch that begins at start; former is nil for the first.
func (tx *sessions) newSession(id string, start int64, former *store.Session) *store.Session {
	s := &store.Session{}
	s.Epoch = store.Epoch{ID: id, Identity: id, Number: 1, Start: start, Last: start}
	if former != nil {
		s.Number = former.Number + 1
		s.Identity = id + "#" + strconv.FormatInt(start, 10)
		if strings.HasPrefix(former.Identity+"#", s.Identity+"#") { // twice in one nanosecond
			s.Identity += "#" + strconv.Itoa(int(s.Number))
		}
		s.Roots = &store.Roots{Former: identity.Context{Trace: former.Trace, Span: former.Root}}
		s.Parties, s.Declared = former.Parties, former.Declared
		s.TokensUsed = former.TokensUsed
		more := former.More()
		more.Earlier, more.Delivered, more.End, more.HostError = totalsOf(former), nil, nil, nil
		more.Members, more.MembersCut = "", false
		if former.Agent != nil {
			more.Named = former.Name()
		}
		s.Extra = &more
		s.Continue(former)
		s.Inspector, s.Engine, s.ACP = former.Inspector, former.Engine, former.ACP
	}
	s.Trace = identity.Trace(tx.opt.Namespace, s.Identity)
	s.Root = identity.Span(s.Trace, identity.Session)
	return s
}

// totalsOf are the counts of the epoch and of those before it, as they were counted.
func totalsOf(former *store.Session) *store.Summary {
	u := former.Summary
	if earlier := former.More().Earlier; earlier != nil {
		u.AddEpoch(earlier)
	}
	return &u
}

// continueEpoch makes s the continuation of former, which grew too long: what is
// open stays open and keeps the IDs it was given.
func continueEpoch(s, former *store.Session) {
	s.Title, s.Host, s.Agent, s.Pending = former.Title, former.Host, former.Agent, former.Pending
	s.TransportStatus = former.TransportStatus
	s.Starts, s.SawStart = former.Starts, former.SawStart
	s.Calls, s.Tokens, s.Waits, s.Parked, s.Seldom = former.Calls, former.Tokens, former.Waits, former.Parked, former.Seldom
	s.Recent, s.Routes = former.Recent, former.Routes
	more := s.More()
	before := former.More()
	more.Delivered, more.Members, more.MembersCut, more.HostError = before.Delivered, before.Members, before.MembersCut, before.HostError
	s.Extra = &more
	s.Heard, s.HeardBefore = former.Heard, former.HeardBefore
	s.Held, former.Held = former.Held-int64(len(former.ErrorText)), 0
	former.Superseded = true
}

// see notes the time of a message.
func see(s *store.Session, env *event.Envelope) {
	s.Start = min(s.Start, env.Time)
	s.Last = max(s.Last, env.Time)
	s.Arrival, s.IdleOffset = env.Arrival, 0
}

// announce reports, once, that the session is open: its marker.
func (tx *sessions) announce(s *store.Session) {
	if s.Announced || s.Connection {
		return
	}
	s.Announced = true
	s.Spans++
	s.Contain(s.Trace, s.Start, s.Start)
	tx.sink.SessionStarted(&s.SessionRecord, s.Marker(s.Root))
}

// traceOf is the trace of what has no parent but its session, with the parent.
func traceOf(s *store.Session) (identity.TraceID, identity.SpanID) {
	if s.Connection {
		return randomTrace(), identity.SpanID{}
	}
	return s.Trace, s.Root
}
