package mcp

import (
	"cmp"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

func (d *Decoder) progressed(env *event.Envelope, m *jsonrpc.Message) *event.CallProgress {
	e, p := &d.progress, &m.Params
	d.about(&e.Notice, env, m)
	d.unmatched = event.Progress{Token: p.ProgressToken, Value: p.Progress, Total: p.Total, Message: p.Message}
	e.Detail = &d.unmatched
	e.Token, e.Message = p.ProgressToken, p.Message.Str()
	e.Value, e.HasValue = p.Progress.Float()
	e.HasValue = e.HasValue && p.ProgressToken != ""
	e.Total, e.HasTotal = p.Total.Float()
	return e
}

func (d *Decoder) cancel(env *event.Envelope, m *jsonrpc.Message) *event.CallCancelled {
	e := &d.cancelled
	d.about(&e.Notice, env, m)
	e.ID, e.Reason = m.Params.RequestID, m.Params.Reason.Str()
	return e
}

// isLog reports whether the notification is a log message: of MCP, or of ACP,
// whose method has so general a name that it counts there only.
func isLog(env *event.Envelope, m *jsonrpc.Message) bool {
	return m.Method == mcpconv.NotificationMessage || m.Method == mcpconv.MethodACPLog && env.ACP
}

func (d *Decoder) logged(env *event.Envelope, m *jsonrpc.Message) *event.Notice {
	n, p := &d.notice, &m.Params
	d.fill(n, env, m)
	if env.ACP {
		n.Time = timeOf(p.Timestamp)
	}
	d.log = event.Log{
		Level: p.Level, Logger: p.Logger, Data: p.Data, Message: p.Message,
		ACP: m.Method == mcpconv.MethodACPLog, InSession: p.SessionID.Str() != "",
	}
	n.Detail, n.Invalid = &d.log, cmp.Or(n.Invalid, invalidLog(&d.log, p), p.InvalidParams())
	return n
}

// timeOf is a time that a message has of its own, Unix ns; 0 if it has none.
func timeOf(v jsonscan.Value) int64 {
	if v == "" {
		return 0
	}
	t, err := time.Parse(time.RFC3339Nano, v.Str())
	if year := t.Year(); err != nil || year < 1971 || year > 2261 {
		return 0
	}
	return t.UnixNano()
}

func invalidLog(l *event.Log, p *jsonrpc.Params) string {
	switch {
	case mcpconv.Levels[l.Level.Str()] == 0:
		return "level is not one of RFC 5424's"
	case l.ACP && !l.Message.IsString():
		return "message is not a string"
	case l.ACP && p.Timestamp != "" && timeOf(p.Timestamp) == 0:
		return "timestamp is not a time"
	}
	return ""
}

// invalidSubject is why one of the notifications that are about something breaks
// its schema, "" if it does not.
func invalidSubject(m *jsonrpc.Message) string {
	p := &m.Params
	switch m.Method {
	case mcpconv.NotificationProgress:
		if p.ProgressToken == "" || !p.Progress.IsNumber() {
			return "progressToken or progress is missing"
		}
	case mcpconv.NotificationCancelled:
		if p.RequestID == "" {
			return "requestId is missing"
		}
	case mcpconv.NotificationResource:
		if p.URI.Str() == "" {
			return "uri is missing"
		}
	}
	return ""
}
