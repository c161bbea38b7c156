package session

import (
	"context"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Message takes one JSON-RPC message. The only errors are ctx's and the one
// that [Yielded] knows; the transaction must then be rolled back.
func (tx *Tx) Message(ctx context.Context, o *Observation, m *jsonrpc.Message) error {
	host := isHost(o, m)
	if host {
		o.routeHost(m)
	}
	var connection *Session
	if o.ACP {
		var err error
		if connection, err = tx.routeACP(ctx, o, m); err != nil {
			return err
		}
	}
	s, err := tx.enter(ctx, o, tx.weigh(m))
	if err != nil || s == nil {
		return err
	}
	s.inherit(connection)
	if host {
		tx.backdate(s, o, m)
		s.learnHost(o)
	}
	s.learn(o, m)
	if s.ended == 0 {
		tx.announce(s)
		tx.resume(s, o)
	}
	switch m.Kind {
	case jsonrpc.Request:
		return tx.requested(ctx, s, o, m)
	case jsonrpc.Response:
		tx.reply(s, o, m)
		return tx.openedACP(ctx, o, m, connection)
	case jsonrpc.Notification:
		tx.notification(s, o, m)
	}
	return nil
}

// requested takes a request: a call, a heartbeat, or both.
func (tx *Tx) requested(ctx context.Context, s *Session, o *Observation, m *jsonrpc.Message) error {
	if s.ended != 0 {
		return nil // only what is dropped does not reopen
	}
	if !o.Served {
		tx.request(s, o, m)
	}
	if isHeartbeatTool(m) {
		return tx.toolBeat(ctx, o, m)
	}
	return nil
}

func (tx *Tx) weigh(m *jsonrpc.Message) weight {
	switch {
	case tx.t.opt.DropMethods[m.Method]:
		return beat
	case m.Kind == jsonrpc.Response, m.Method == mcpconv.NotificationProgress,
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
func (tx *Tx) notification(s *Session, o *Observation, m *jsonrpc.Message) {
	switch {
	case m.Method == mcpconv.NotificationBeat, tx.t.opt.DropMethods[m.Method]:
		return
	case m.Method == mcpconv.NotificationCancelled && tx.cancel(s, o, m):
		return
	case m.Method == mcpconv.NotificationProgress && tx.progress(s, o, m):
		return
	}
	s.closeWaitsIfInspected(tx, o)
	tx.taskTold(s, o, m)
	if !tx.updated(s, o, m) && !tx.inBandTold(s, m) {
		tx.tell(s, o, m)
	}
}

// tell takes what is a notice.
func (tx *Tx) tell(s *Session, o *Observation, m *jsonrpc.Message) {
	if tx.floods(s, o) {
		return
	}
	if isHost(o, m) {
		tx.hostTold(s, o, m)
		return
	}
	if r := m.Reminder(); r != nil {
		tx.reminded(s, o, m, r)
		return
	}
	n := Notice{Name: known(m.Method, tx.t.opt.TextBytes), Message: m, Invalid: invalidNotification(o, m)}
	if n.Log = isLog(o, m); n.Log {
		if tx.tooQuiet(s, m) {
			tx.note(BelowLevel)
			return
		}
		if n.Declared = s.logs; o.ACP {
			n.Time = timeOf(m.Params.Timestamp)
		}
	}
	tx.notice(s, o, n)
}

// timeOf is a time that a message tells of itself, 0 if it tells none.
func timeOf(v jsonrpc.Value) int64 {
	if v == "" {
		return 0
	}
	t, err := time.Parse(time.RFC3339Nano, v.Str())
	if year := t.Year(); err != nil || year < 1971 || year > 2261 {
		return 0
	}
	return t.UnixNano()
}

// sent is who sent the message: as observed, else by its method.
func (o *Observation) sent(m *jsonrpc.Message) Direction {
	switch {
	case o.Direction != Unknown:
		return o.Direction
	case m.Kind == jsonrpc.Response, mcpconv.FromServer(m.Method):
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
