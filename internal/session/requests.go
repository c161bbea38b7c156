package session

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// callStarted takes a request.
func (tx *requests) callStarted(ctx context.Context, env *event.Envelope, e *event.CallStarted) error {
	in, err := tx.arrivals.arrive(ctx, env, &e.Contact, arrival{effect: tx.arrivals.effect(e.Method), call: e})
	if err != nil || !in.s.Open() {
		return err // only what is dropped does not reopen
	}
	s := in.s
	tx.closeWaitsIfInspected(s, env)
	if c := tx.continued(s, env, e); c != nil {
		tx.continueCall(s, env, e, c)
		return nil
	}
	c := tx.newCall(s, env, e)
	if askedBefore(s, c) {
		tx.store.Count(Repeated)
		return nil
	}
	if old := s.Calls[c.OpenKey()]; old != nil {
		if old.RoundHash == c.RoundHash && old.RoundStart == c.Start && !tx.cameHere(old.Span) {
			tx.store.Count(Repeated)
			return nil
		}
		tx.store.Count(ReusedID)
		tx.calls.close(s, old, CallEnd{Time: c.Start, Incomplete: true})
	}
	tx.calls.open(s, c)
	return nil
}

// askedBefore reports whether the request is one of a call that goes on although it was
// answered: the call runs as a task, or its client was asked for something. Of the
// first of several requests only the time is known.
func askedBefore(s *store.Session, c *store.Call) bool {
	open := s.Asked(c.OpenKey())
	switch {
	case open == nil:
		return false
	case open.OpenKey() == c.OpenKey():
		return open.RoundStart == c.Start && open.RoundHash == c.RoundHash
	}
	return open.Start == c.Start
}

// closeWaitsIfInspected ends the waits of an Inspector's session: its next event
// but a heartbeat is the sign that they are over.
func (tx *requests) closeWaitsIfInspected(s *store.Session, env *event.Envelope) {
	if s.Inspector {
		tx.waits.closeAll(s, env.Time, false)
	}
}

// newCall is the call that a request opens; its span ID is still missing.
func (tx *requests) newCall(s *store.Session, env *event.Envelope, e *event.CallStarted) *store.Call {
	c := tx.store.NewCall(s)
	c.Kind, c.Method, c.Start = e.Kind, tx.method(e.Method), env.Time
	c.Key = store.CallKey{Connection: intern(s, env.Scope()), ID: strings.Clone(string(e.ID)), FromClient: e.FromClient}
	c.Version, c.Size, c.Link = internVersion(e.Version), env.Bytes, env.Push
	c.Invalid = strings.Clone(e.Invalid)
	c.Sender = intern(s, senderOf(s, env, e.FromClient))
	c.Client, c.Server = intern(s, env.Client), intern(s, env.Server)
	c.ServerURI, c.Transport = strings.Clone(env.ServerURI), internTransport(env.Transport)
	learnWire(s, c)
	c.RequestID = tx.text(e.RequestID)
	c.Token = strings.Clone(string(e.Token))
	c.RoundHash, c.RoundStart = xxhash.Sum64String(string(e.Raw)), env.Time
	c.Arrival, c.ProgressArrival, c.LastProgress = env.Arrival, env.Arrival, env.Time
	c.Busy = busyHost(s, c.Method)
	c.Dropped = tx.opt.DropMethods[c.Method]
	tx.store.Count(c.Invalid)
	tx.keep(c, e)
	c.Bytes = c.RequestBytes()
	tx.calls.place(s, c, tx.context(env, e.Trace), e.About)
	if c.Poll = polled(s, c, e.TaskID); c.Poll != nil {
		c.Dropped = true
	}
	return c
}

// learnWire keeps how the first request that says so travelled, and to which server the
// first one went that names it: not every request says both.
func learnWire(s *store.Session, c *store.Call) {
	wire := s.PeerInfo().Wire
	wire.Carrier = cmp.Or(wire.Carrier, c.Transport)
	if wire.Server == "" && c.ServerURI != "" {
		wire.Server = serverOf(c.ServerURI)
	}
	if wire == s.PeerInfo().Wire {
		return
	}
	info := *s.PeerInfo()
	info.Wire = wire
	s.Info = &info
}

// serverOf is scheme, host and port of a URI, "" if it is none, or longer than is plausible.
func serverOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || len(u.Host) > peerBytes {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// keep copies from the request what the span will need.
func (tx *requests) keep(c *store.Call, e *event.CallStarted) {
	if len(e.Use) <= idBytes {
		c.Use = strings.Clone(string(e.Use))
	}
	c.Target, c.Hint, c.TaskID = tx.shortText(e.Target), tx.text(e.Hint), tx.text(e.TaskID)
	if e.Polled != "" {
		c.Hint = string(e.Polled)
	}
	if !tx.opt.KeepPayloads {
		return
	}
	c.Input, c.Text = strings.Clone(string(e.Input)), strings.Clone(e.Text)
	c.Preference = strings.Clone(string(e.Preference))
	if tx.opt.KeepEnvelopes {
		c.Envelope = strings.Clone(string(e.Raw))
		if mcpconv.HasSecret(c.Method) {
			c.Envelope = jsonscan.MaskSecrets(c.Envelope)
		}
	}
}

// busyHost is the host that such a call of the session keeps busy, "" if none.
func busyHost(s *store.Session, method string) string {
	if mcpconv.Stream(method) || method == mcpconv.MethodPing {
		return ""
	}
	return s.HostID
}

// continued is the call that the request goes on with, nil if it begins one.
func (tx *requests) continued(s *store.Session, env *event.Envelope, e *event.CallStarted) *store.Call {
	if e.State == "" || len(s.Parked) == 0 {
		return nil
	}
	c := parkedBy(s, store.ParkedRound, env.Scope(), stateKey(e.State), e.FromClient)
	if c == nil || c.Method != e.Method || c.Target != tx.short(e.Target) {
		return nil
	}
	return c
}

// continueCall makes the request the latest of the call's.
func (tx *requests) continueCall(s *store.Session, env *event.Envelope, e *event.CallStarted, c *store.Call) {
	tx.waits.endOfCall(s, c, env.Time, e.Action, false)
	key := store.CallKey{Connection: c.Key.Connection, ID: string(e.ID), FromClient: c.Key.FromClient}
	if old := s.Calls[key]; old != nil {
		tx.store.Count(ReusedID)
		tx.calls.close(s, old, CallEnd{Time: env.Time, Incomplete: true})
	}
	before := len(c.Token) + len(c.RoundID)
	tx.store.Edit(c)
	c.Uncertain = false
	c.RoundHash, c.RoundStart = xxhash.Sum64String(string(e.Raw)), env.Time
	if e.Token != "" {
		c.Token = strings.Clone(string(e.Token))
	}
	tx.store.Grow(c, int64(len(c.Token)+len(e.ID)-before))
	tx.store.Unpark(s, c, strings.Clone(string(e.ID)))
}
