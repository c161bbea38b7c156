package push

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/mcp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
)

// idBytes bounds the ids by which state is found again.
const idBytes = 1024

var errLongID = errors.New("session, connection, host or id is longer than 1024 bytes")

// itemsMax bounds what one body becomes: a span takes far more memory than the
// shortest message.
const itemsMax = 10_000

var errTooMany = errors.New("the body holds more than 10000 messages: send fewer at once")

// handleObservations handles a body of JSON-RPC messages and observation records.
func handleObservations(ctx context.Context, tx *session.Tx, p *pushed, t *tally) error {
	if p.RequestID != "" && !loneRequest(p.body) {
		p.RequestID = "" // nobody can tell of which it speaks
	}
	s := spare.Get().(*scratch)
	defer s.release(len(p.body))
	it, items, o := &s.item, &s.items, &s.envelope
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
		if err := s.apply(ctx, tx); err != nil {
			return err
		}
		t.warn(items.Index(), it)
		t.accepted++
	}
	return nil
}

// scratch holds what one body needs at a time.
type scratch struct {
	items    jsonscan.Items
	item     jsonrpc.Item
	envelope event.Envelope
	decoder  mcp.Decoder
	around   around
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

// apply passes what the item is to the transaction.
func (s *scratch) apply(ctx context.Context, tx event.Target) error {
	it := &s.item
	if it.HasMessage {
		return s.decoder.Message(ctx, tx, &s.envelope, &it.Message)
	}
	return tx.Apply(ctx, &s.envelope, s.around.event(&s.envelope, &it.Record))
}

// around holds what a record reports that holds no message.
type around struct {
	closed  event.Closed
	changed event.TransportChanged
}

func (a *around) event(env *event.Envelope, r *observation.Record) event.Event {
	if r.End.Present {
		a.closed = event.Closed{Reason: r.End.Reason}
		if r.End.HasExitCode {
			a.closed.ExitCode = &r.End.ExitCode
		}
		return &a.closed
	}
	a.changed.Status.Status = r.TransportStatus
	a.changed.Notice = event.Notice{
		Source: event.Transport, Name: mcpconv.SpanTransport, FromClient: true, Detail: &a.changed.Status,
		Invalid: cmp.Or(invalidStatus(r.TransportStatus), env.Invalid),
	}
	return &a.changed
}

func invalidStatus(status string) string {
	switch status {
	case "connected", "disconnected", "reconnecting":
		return ""
	}
	return "transport_status is not connected, disconnected or reconnecting"
}

// observe returns what is known around the item.
func (p *pushed) observe(o *event.Envelope, it *jsonrpc.Item) {
	*o = event.Envelope{
		Arrival: p.now, Time: it.Time, Connection: it.Connection, MCPSession: cmp.Or(it.MCPSessionID, p.MCPSession),
		Transport: it.Transport, Client: it.Client, Server: it.Server, ServerURI: it.ServerURI,
		ACP: p.ACP || it.Protocol == observation.ProtocolACP, Bytes: it.Bytes, Reduced: it.Reduced, Invalid: it.Invalid,
		Traceparent: it.Traceparent, Tracestate: it.Tracestate, Push: p.Context,
		RequestID: cmp.Or(it.RequestID, p.RequestID), Host: it.Host, Peer: p.Peer,
		Exchange: event.Exchange{
			Unanswered: it.Unanswered, HTTPStatus: it.HTTPStatus,
			Webhook: it.Delivery == observation.DeliveryWebhook, Subscription: it.Subscription,
		},
	}
	if o.Time == 0 {
		o.Time = p.now
	}
	switch it.Direction {
	case observation.ClientToServer:
		o.Direction = event.FromClient
	case observation.ServerToClient:
		o.Direction = event.FromServer
	}
	o.Session = p.sessionOf(it, o.ACP)
	if agent := it.AgentSession; agent != "" && agent != o.Session && !o.ACP {
		o.PartOf(agent)
	}
	if len(it.Process) <= processBytes {
		o.Process = it.Process
	}
}

// sessionOf finds the session: what names it best comes first.
func (p *pushed) sessionOf(it *jsonrpc.Item, acp bool) string {
	inside := ""
	if acp {
		inside = it.Message.Params.SessionID.Str()
	}
	return cmp.Or(it.Session, it.MCPSessionID, p.MCPSession, p.Session, inside, p.Query)
}

// loneRequest reports whether the body holds exactly one request: only then does
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
