package session

import (
	"context"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// weight tells what a message may do to a session.
type weight uint8

const (
	opens  weight = iota // opens and reopens
	late                 // reopens nothing for a while after the end
	beat                 // opens what is not known, never reopens
	breath               // a sign of life: neither opens nor reopens
)

// enter is the session or connection that the observation belongs to, opened
// if need be; nil if it is not known and the message does not open it.
func (tx *Tx) enter(ctx context.Context, o *Observation, w weight) (*Session, error) {
	switch {
	case o.Session != "":
		e, err := tx.touch(ctx, bySession, o.Session)
		if err != nil {
			return nil, err
		}
		return tx.epoch(e, o, w), nil
	case o.Connection != "":
		e, err := tx.touch(ctx, byConnection, o.Connection)
		if err != nil {
			return nil, err
		}
		if e.s == nil || e.s.ended != 0 {
			e.s = &Session{Connection: true, ID: e.name, Start: o.Time, Last: o.Time}
		}
		e.s.see(o.Time, o.Arrival)
		return e.s, nil
	}
	if tx.alone == nil || tx.alone.ended != 0 {
		tx.alone = &Session{Connection: true, Start: o.Time, Last: o.Time}
	}
	tx.alone.see(o.Time, o.Arrival)
	return tx.alone, nil
}

// epoch is the epoch of e that takes the message.
func (tx *Tx) epoch(e *entry, o *Observation, w weight) *Session {
	t := tx.t
	switch s := e.s; {
	case s == nil && w == breath:
		return nil
	case s == nil:
		e.s = t.newSession(e.name, o.Time, nil, false)
	case s.ended != 0 && (w >= beat || w == late && o.Arrival-s.ended <= int64(t.opt.Linger)):
		return s
	case s.ended != 0:
		e.s = t.newSession(e.name, o.Time, s, false)
	case int(s.spans) >= t.opt.MaxSpans && w != breath:
		e.s = t.newSession(e.name, o.Time, s, true)
		e.s.goOn(s)
		tx.changed = slices.AppendSeq(tx.changed, e.s.everyOpen) // they belong to a former epoch now
		tx.end(s, s.Last, mcpconv.EndMaxSpans)
	}
	e.s.see(o.Time, o.Arrival)
	return e.s
}

// learn takes what the observation and the message tell about the session.
func (s *Session) learn(o *Observation, m *jsonrpc.Message) {
	s.ACP = s.ACP || o.ACP
	if o.MCPSession != "" && s.MCPSession != o.MCPSession {
		s.MCPSession = strings.Clone(o.MCPSession)
	}
	setText(&s.client, o.Client)
	setText(&s.server, o.Server)
	if m == nil {
		return
	}
	if o.Host != "" && o.Host != s.ID && o.Host != s.HostID {
		s.HostID = strings.Clone(o.Host) // whole, for it is the name of a session
	}
	said := *s.Said()
	said.learn(m)
	if said != *s.Said() {
		kept := said
		s.said = &kept
	}
	s.learnCapabilities(m)
}

func (s *Said) learn(m *jsonrpc.Message) {
	s.Client.learn(&m.Params.Client)
	s.Client.learn(&m.Params.Meta.Client)
	s.Server.learn(&m.Result.Server)
	s.Server.learn(&m.Result.Meta.Server)
	s.learnProtocol(m)
}

// learnProtocol keeps the version that was agreed on: the client's proposal
// until the server has answered.
func (s *Said) learnProtocol(m *jsonrpc.Message) {
	for _, v := range []jsonrpc.Value{m.Params.ProtocolVersion, m.Params.Meta.ProtocolVersion, m.Result.ProtocolVersion} {
		if text := v.Str(); text != "" && text != s.Protocol {
			s.Protocol = strings.Clone(jsonrpc.Cut(text, 64))
		}
	}
}

// peerBytes bounds the names and versions that peers give themselves.
const peerBytes = 256

func (p *Peer) learn(i *jsonrpc.Implementation) {
	setText(&p.Name, i.Name.Str())
	setText(&p.Version, i.Version.Str())
}

// setText keeps a copy of text, unless it is empty or known.
func setText(to *string, text string) {
	if text = jsonrpc.Cut(text, peerBytes); text != "" && *to != text {
		*to = strings.Clone(text)
	}
}

// announce tells that the session is open, once.
func (tx *Tx) announce(s *Session) {
	if s.announced || s.Connection {
		return
	}
	s.announced = true
	tx.count(s)
	tx.sink.SessionStarted(s, s.marker(s.Root))
}

// count notes that one more span belongs to the session.
func (tx *Tx) count(s *Session) {
	if s != nil {
		s.spans++
	}
}

// entryOf is the entry that holds s, nil if s lives in this transaction only.
func (tx *Tx) entryOf(s *Session) *entry {
	if s == tx.alone {
		return nil
	}
	return tx.last
}

// traceOf is the trace of what has no parent but its session, with the parent.
func (s *Session) traceOf() (identity.TraceID, identity.SpanID) {
	if s.Connection {
		return randomTrace(), identity.SpanID{}
	}
	return s.Trace, s.Root
}

// telemetry is s for the Sink: a connection is no session.
func (s *Session) telemetry() *Session {
	if s.Connection {
		return nil
	}
	return s
}

// sender names who sent a message in the given direction, "" if unknown.
func (s *Session) sender(o *Observation, fromClient bool) string {
	client, server := s.Names()
	if fromClient {
		return first(o.Client, client)
	}
	return first(o.Server, server)
}

// first is the first that is not empty.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
