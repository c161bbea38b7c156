package push

import (
	"context"
	"errors"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/reqmeta"
)

// idBytes bounds the ids by which state is found again.
const idBytes = 1024

var errLongID = errors.New("session, connection, host or id is longer than 1024 bytes")

// itemsMax bounds what one body becomes: a span takes far more memory than the
// shortest message.
const itemsMax = 10_000

var errTooMany = errors.New("the body holds more than 10000 messages: send fewer at once")

// takeObservations takes a body of JSON-RPC messages and observation records.
func takeObservations(ctx context.Context, tx *session.Tx, p *pushed, t *tally) error {
	if p.RequestID != "" && !loneRequest(p.body) {
		p.RequestID = "" // nobody can tell of which it speaks
	}
	s := spare.Get().(*scratch)
	defer s.release(len(p.body))
	it, items, o := &s.item, &s.items, &s.observation
	items.Reset(p.body)
	for items.Next() {
		if t.items++; t.items > itemsMax {
			return errTooMany
		}
		if err := items.Done(it.Decode(items.Cursor())); err != nil {
			t.reject(items.Index(), err)
			continue
		}
		p.observe(o, it)
		if len(o.Session) > idBytes || len(o.Connection) > idBytes || len(o.Host) > idBytes || len(o.MCPSession) > idBytes || len(it.Message.ID) > idBytes {
			t.reject(items.Index(), errLongID)
			continue
		}
		if it.Sanitized {
			p.invalid("invalid UTF-8")
		}
		if err := apply(ctx, tx, o, it); err != nil {
			return err
		}
		t.warn(items.Index(), it)
		t.accepted++
	}
	return nil
}

// scratch is what one body needs at a time.
type scratch struct {
	items       jsonscan.Items
	item        jsonrpc.Item
	observation session.Observation
}

var spare = sync.Pool{New: func() any { return new(scratch) }}

// release gives the scratch back. It must not pin a body that is not kept for
// the next one anyway.
func (s *scratch) release(bytes int) {
	if bytes > body.KeepBytes/2 {
		*s = scratch{}
	}
	spare.Put(s)
}

// apply tells the transaction what the item is.
func apply(ctx context.Context, tx *session.Tx, o *session.Observation, it *jsonrpc.Item) error {
	switch {
	case it.HasMessage:
		return tx.Message(ctx, o, &it.Message)
	case it.End.Present:
		var exit *int64
		if it.End.HasExitCode {
			exit = &it.End.ExitCode
		}
		return tx.End(ctx, o, it.End.Reason, exit)
	}
	return tx.Transport(ctx, o, it.TransportStatus)
}

// observe is what is known around the item.
func (p *pushed) observe(o *session.Observation, it *jsonrpc.Item) {
	*o = session.Observation{
		Arrival: p.now, Time: it.Time, Connection: it.Connection, MCPSession: reqmeta.First(it.MCPSessionID, p.MCPSession),
		Transport: it.Transport, Client: it.Client, Server: it.Server, ServerURI: it.ServerURI,
		ACP: p.ACP || it.Protocol == observation.ProtocolACP, Bytes: it.Bytes, Reduced: it.Reduced, Invalid: it.Invalid,
		Traceparent: it.Traceparent, Tracestate: it.Tracestate, Push: p.Context,
		RequestID: reqmeta.First(it.RequestID, p.RequestID), Host: it.Host, Peer: p.Peer,
	}
	if o.Time == 0 {
		o.Time = p.now
	}
	switch it.Direction {
	case observation.ClientToServer:
		o.Direction = session.FromClient
	case observation.ServerToClient:
		o.Direction = session.FromServer
	}
	o.Session = p.sessionOf(it, o.ACP)
}

// sessionOf finds the session: what names it best comes first.
func (p *pushed) sessionOf(it *jsonrpc.Item, acp bool) string {
	inside := ""
	if acp {
		inside = it.Message.Params.SessionID.Str()
	}
	return reqmeta.First(it.Session, it.MCPSessionID, p.MCPSession, p.Session, inside, p.Query)
}

// loneRequest tells whether the body holds exactly one request: only then does
// a header that names a request speak of it.
func loneRequest(body []byte) bool {
	var it jsonrpc.Item
	var items jsonscan.Items
	requests := 0
	items.Reset(body)
	for items.Next() {
		if items.Done(it.Decode(items.Cursor())) == nil && it.Message.Kind == jsonrpc.Request {
			requests++
		}
	}
	return requests == 1
}
