package session

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// notified takes a notification of JSON-RPC.
func (tx *notifications) notified(ctx context.Context, env *event.Envelope, e event.Event, n *event.Notice) error {
	a := arrival{effect: tx.arrivals.effect(n.Method), host: isHost(e)}
	if n.Method == mcpconv.NotificationProgress && a.effect == opens {
		a.effect = late
	}
	in, err := tx.arrivals.arrive(ctx, env, &n.Contact, a)
	if err != nil || tx.opt.DropMethods[n.Method] {
		return err
	}
	tx.applyNotification(in.s, env, e, n)
	return nil
}

// isHost reports whether the event is telemetry of an agent host.
func isHost(e event.Event) bool {
	switch e.(type) {
	case *event.HostReported, *event.AgentStarted, *event.AgentEnded:
		return true
	}
	return false
}

func (tx *notifications) applyNotification(s *store.Session, env *event.Envelope, e event.Event, n *event.Notice) {
	switch e := e.(type) {
	case *event.CallCancelled:
		if tx.requests.cancel(s, env, e) {
			return
		}
	case *event.CallProgress:
		if tx.requests.progress(s, env, e) {
			return
		}
	}
	tx.requests.closeWaitsIfInspected(s, env)
	switch e := e.(type) {
	case *event.RecordsLost:
		tx.requests.recordsLost(s, env, e)
	case *event.TaskChanged:
		tx.tasks.taskChanged(s, env, e)
	case *event.ToolUpdated:
		if s.ACP && tx.acpTools.toolUpdated(s, env, e) {
			return
		}
	case *event.StreamUpdated:
		if s.ACP {
			tx.acpTools.streamed(s, e.Text)
			tx.store.Count(StreamUpdate)
			return
		}
	case *event.SpansSent:
		if tx.inBand.notified(s, e.Spans) {
			return
		}
	}
	if !tx.notices.floods(s, env) {
		tx.record(s, env, e, n)
	}
}

// record takes what is a notice.
func (tx *notifications) record(s *store.Session, env *event.Envelope, e event.Event, n *event.Notice) {
	if isHost(e) {
		tx.hosts.hostReported(s, env, e, n)
		return
	}
	switch d := n.Detail.(type) {
	case *event.Reminder:
		tx.reminded(s, env, n, d)
	case *event.Log:
		tx.logged(s, env, n, d)
	case *event.EventSeen:
		tx.eventSeen(s, env, n, d)
	default:
		if !tx.notices.redelivered(s, env, n, xxhash.Sum64String(string(n.Params))) {
			tx.notices.record(s, env, n, &noticeExtra{})
		}
	}
}

// logged records a log message, unless it is below what was agreed on, or what
// is wanted.
func (tx *notifications) logged(s *store.Session, env *event.Envelope, n *event.Notice, d *event.Log) {
	level := mcpconv.Levels[d.Level.Str()]
	if level > 0 && level < max(s.LogLevel, tx.opt.MinLevel) {
		tx.store.Count(BelowLevel)
		tx.first(&s.DroppedLogs, BelowLevelBegins)
		return
	}
	tx.notices.record(s, env, n, &noticeExtra{Declared: s.Logs, Shared: d.ACP})
}

// first counts what happens for the first time in a session.
func (tx *notifications) first(happened *bool, what string) {
	if !*happened {
		*happened = true
		tx.store.Count(what)
	}
}
