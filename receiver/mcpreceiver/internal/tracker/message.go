package tracker

import (
	"context"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/wire"
)

// Message takes one JSON-RPC message. The only errors are ctx's and the one
// that [Yielded] knows; the transaction must then be rolled back.
func (tx *Tx) Message(ctx context.Context, o *Observation, m *wire.Message) error {
	s, err := tx.enter(ctx, o, tx.weigh(m))
	if err != nil || s == nil {
		return err
	}
	s.learn(o, m)
	if s.ended == 0 {
		tx.announce(s)
	}
	switch m.Kind {
	case wire.Request:
		if s.ended != 0 {
			return nil // only what is dropped does not reopen
		}
		tx.request(s, o, m)
	case wire.Response:
		tx.reply(s, o, m)
	case wire.Notification:
		tx.notification(s, o, m)
	}
	return nil
}

func (tx *Tx) weigh(m *wire.Message) weight {
	switch {
	case tx.t.opt.DropMethods[m.Method]:
		return beat
	case m.Kind == wire.Response, m.Method == mcpconv.NotificationProgress,
		m.Method == mcpconv.HostHeartbeat:
		return late
	case m.Method == mcpconv.NotificationBeat:
		return breath
	}
	return opens
}

func (s *Session) closeWaitsIfInspected(tx *Tx, o *Observation) {
	if s.Inspector {
		tx.closeWaits(s, o.Time, false)
	}
}

// notification takes what has no reply.
func (tx *Tx) notification(s *Session, o *Observation, m *wire.Message) {
	switch {
	case m.Method == mcpconv.NotificationBeat, tx.t.opt.DropMethods[m.Method]:
		return
	case m.Method == mcpconv.NotificationCancelled && tx.cancel(s, o, m):
		return
	case m.Method == mcpconv.NotificationProgress && tx.progress(s, o, m):
		return
	}
	s.closeWaitsIfInspected(tx, o)
	method, isKnown := mcpconv.Known(m.Method)
	if !isKnown {
		method = strings.Clone(wire.Cut(m.Method, tx.t.opt.TextBytes))
	}
	tx.notice(s, o, Notice{Name: method, Message: m, Invalid: invalidNotification(o, m)})
}

// sent is who sent the message: as observed, else by its method.
func (o *Observation) sent(m *wire.Message) Direction {
	switch {
	case o.Direction != Unknown:
		return o.Direction
	case m.Kind == wire.Response, mcpconv.FromServer(m.Method):
		return FromServer
	}
	return FromClient
}

func (o *Observation) connection() string {
	if o.Connection != "" {
		return o.Connection
	}
	return o.Session
}
