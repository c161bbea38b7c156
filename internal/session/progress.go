package session

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
)

// cancel ends the call that the notification names, if it is open.
func (tx *Tx) cancel(s *Session, o *Observation, m *jsonrpc.Message) bool {
	// The sender of the request is who cancels it.
	swapped := *o
	switch o.Direction {
	case FromClient:
		swapped.Direction = FromServer
	case FromServer:
		swapped.Direction = FromClient
	}
	c := s.answered(&swapped, &jsonrpc.Message{ID: m.Params.RequestID})
	if c == nil {
		return false
	}
	s.cancelledAt = s.cancelledAt.with(c.key().hash(), max(o.Time, 1))
	tx.close(s, c, CallEnd{Time: o.Time, Cancelled: true, Outcome: cancelled(c.Method, m.Params.Reason.Str())})
	return true
}

// progress adds an event to the open call that asked for it.
func (tx *Tx) progress(s *Session, o *Observation, m *jsonrpc.Message) bool {
	p := &m.Params
	value, ok := p.Progress.Float()
	if !ok || p.ProgressToken == "" {
		return false
	}
	keys, n := o.replyKeys(p.ProgressToken)
	for _, key := range keys[:n] {
		c := s.tokens[key]
		if c == nil {
			continue
		}
		event := Progress{Time: max(o.Time, c.Start), Progress: value}
		event.Total, event.HasTotal = p.Total.Float()
		if tx.t.opt.KeepPayloads {
			event.Message = strings.Clone(jsonrpc.Cut(p.Message.Str(), tx.t.opt.TextBytes))
		}
		old, at := c.note(event, tx.t.opt.ProgressEvents)
		more := int64(len(event.Message) - len(old.Message))
		tx.grow(c, more)
		tx.undo = append(tx.undo, undo{kind: undoProgress, call: c, progress: old, at: at, bytes: more})
		tx.moves(c, event.Time)
		return true
	}
	return false
}

// move is that a call goes on, with the message time from which on it may get
// stuck again.
type move struct {
	call  *Call
	since int64
}

// moves notes that the call goes on.
func (tx *Tx) moves(c *Call, at int64) {
	tx.unstick(c, at)
	if c.Stuck {
		c.Stuck = false
		tx.undo = append(tx.undo, undo{kind: undoStuck, call: c, token: true})
		tx.freed++
	}
	tx.moved = append(tx.moved, move{c, at})
}

// grow accounts for what an open call holds more than before.
func (tx *Tx) grow(c *Call, bytes int64) {
	c.bytes += bytes
	if c.node.in != nil {
		tx.grown += bytes
	}
}
