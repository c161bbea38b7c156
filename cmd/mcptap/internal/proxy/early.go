package proxy

import (
	"bytes"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// early are replies that were read before the request was: a server may answer at
// once, and body and response are read by goroutines of their own. They wait for the
// end of the request, because a record behind another one was sent behind it.
type early struct {
	replies []frame.Message
	bytes   int
}

// wait keeps the reply if its request may still come. It is false if not, or if there
// is no room.
func (x *exchange) wait(m *frame.Message) bool {
	over := x.body == nil || x.answers.bodyOver
	if over || !m.IsReply() || slices.Contains(x.answers.open, string(m.ID)) {
		return false
	}
	e := &x.early
	if len(e.replies) >= openMax || e.bytes+len(m.Text) > x.p.opt.MaxMessage {
		return false
	}
	e.bytes += len(m.Text)
	e.replies = append(e.replies, frame.Message{Text: bytes.Clone(m.Text), Bytes: m.Bytes, Reduced: m.Reduced})
	return true
}

// release records what waited.
func (x *exchange) release() {
	for _, kept := range x.early.replies {
		frame.Parse(kept.Text, func(m *frame.Message) {
			m.Bytes, m.Reduced = kept.Bytes, kept.Reduced
			x.take(observation.ServerToClient, m)
		})
	}
	x.early = early{}
}
