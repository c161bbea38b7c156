package push

import (
	"context"
	"errors"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/record"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/tracker"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/wire"
)

// idBytes bounds the ids by which state is found again.
const idBytes = 1024

var errLongID = errors.New("session, connection or id is longer than 1024 bytes")

// errStop ends a walk whose transaction failed.
var errStop = errors.New("the transaction failed")

// takeObservations takes a body of JSON-RPC messages and observation records.
func takeObservations(ctx context.Context, tx *tracker.Tx, p *pushed, t *tally) error {
	var it wire.Item
	var failed error
	requestID := p.requestID
	if requestID != "" && !loneRequest(p.body) {
		requestID = ""
	}
	t.items = jsonscan.Items(p.body, func(_ int, c *jsonscan.Cursor) error {
		if failed != nil {
			c.Value()
			return errStop
		}
		if err := it.Decode(c); err != nil {
			return err
		}
		o := p.observe(&it)
		if len(o.Session) > idBytes || len(o.Connection) > idBytes || len(it.Message.ID) > idBytes {
			return errLongID
		}
		o.RequestID = first(it.RequestID, requestID)
		if it.Sanitized {
			p.invalid("invalid UTF-8")
		}
		if failed = apply(ctx, tx, &o, &it); failed == nil {
			t.accepted++
		}
		return failed
	}, t.reject)
	return failed
}

// apply tells the transaction what the item is.
func apply(ctx context.Context, tx *tracker.Tx, o *tracker.Observation, it *wire.Item) error {
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
func (p *pushed) observe(it *wire.Item) tracker.Observation {
	o := tracker.Observation{
		Arrival: p.now, Time: it.Time, Connection: it.Connection, MCPSession: first(it.MCPSessionID, p.mcpSession),
		Transport: it.Transport, Client: it.Client, Server: it.Server, ServerURI: it.ServerURI,
		ACP: p.acp || it.Protocol == record.ProtocolACP, Bytes: it.Bytes, Invalid: it.Invalid,
		Traceparent: it.Traceparent, Tracestate: it.Tracestate, Push: p.context,
	}
	if o.Time == 0 {
		o.Time = p.now
	}
	switch it.Direction {
	case record.ClientToServer:
		o.Direction = tracker.FromClient
	case record.ServerToClient:
		o.Direction = tracker.FromServer
	}
	o.Session = p.sessionOf(it, o.ACP)
	return o
}

// sessionOf finds the session: what names it best comes first.
func (p *pushed) sessionOf(it *wire.Item, acp bool) string {
	inside := ""
	if acp {
		inside = it.Message.Params.SessionID.Str()
	}
	return first(it.Session, p.session, inside, p.query)
}

// loneRequest tells whether the body holds exactly one request: only then does
// a header that names a request speak of it.
func loneRequest(body []byte) bool {
	var it wire.Item
	requests := 0
	jsonscan.Items(body, func(_ int, c *jsonscan.Cursor) error {
		if it.Decode(c) == nil && it.Message.Kind == wire.Request {
			requests++
		}
		return nil
	}, func(int, error) {})
	return requests == 1
}
