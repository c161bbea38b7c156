package mcp

import (
	"cmp"
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/acp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/agenthost"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Decoder turns messages into events. The zero value is ready. It is not safe for
// concurrent use. It reuses its events: what it hands out is valid until the next
// message.
type Decoder struct {
	hosts agenthost.Decoder
	acp   acp.Decoder

	hello  event.Hello
	server event.ServerDeclares
	client event.ClientDeclares

	contact   event.Contact
	keepAlive event.KeepAlive
	call      event.CallStarted
	ended     event.CallEnded
	input     event.InputRequired
	outcome   event.Reply // of a task
	cancelled event.CallCancelled
	progress  event.CallProgress
	task      event.TaskChanged
	spans     event.SpansSent
	lost      event.RecordsLost
	notice    event.Notice

	subject   event.Subject
	unmatched event.Progress // with no call that is open
	reminder  event.Reminder
	log       event.Log
	event     event.EventSeen
	polled    []event.EventSeen

	routed event.Envelope // of a heartbeat tool that is a call too
}

// Message passes the events of a message to the target: one, or two if the
// message is both a call and a heartbeat of its host. Telemetry of hosts changes
// the envelope's session to the host's. The error is the target's.
func (d *Decoder) Message(ctx context.Context, to event.Target, env *event.Envelope, m *jsonrpc.Message) error {
	switch m.Kind {
	case jsonrpc.Request:
		return d.request(ctx, to, env, m)
	case jsonrpc.Response:
		return to.Apply(ctx, env, d.response(env, m))
	case jsonrpc.Notification:
		if !agenthost.IsNotification(m) {
			return to.Apply(ctx, env, d.notification(env, m))
		}
		agenthost.Route(env, m)
		d.fill(&d.notice, env, m)
		return to.Apply(ctx, env, d.hosts.Notification(&d.notice, &m.Params))
	}
	return nil
}

func (d *Decoder) request(ctx context.Context, to event.Target, env *event.Envelope, m *jsonrpc.Message) error {
	heartbeat := agenthost.IsHeartbeatTool(m)
	switch {
	case env.Served && heartbeat:
		agenthost.RouteTool(env, m)
		d.fill(&d.notice, env, m)
		return to.Apply(ctx, env, d.hosts.ToolCall(&d.notice, m.Params.Arguments))
	case env.Served:
		d.contact = d.contactOf(m)
		return to.Apply(ctx, env, &d.contact)
	}
	if err := to.Apply(ctx, env, d.callStarted(env, m)); err != nil || !heartbeat {
		return err
	}
	d.routed = *env
	agenthost.Route(&d.routed, m)
	d.fill(&d.notice, &d.routed, m)
	d.notice.Hello = nil // the call has it: it is not the host's
	return to.Apply(ctx, &d.routed, d.hosts.ToolCall(&d.notice, m.Params.Arguments))
}

// notification is the event of a notification that is not a host's.
func (d *Decoder) notification(env *event.Envelope, m *jsonrpc.Message) event.Event {
	switch {
	case m.Method == mcpconv.NotificationBeat:
		d.keepAlive.Contact = d.contactOf(m)
		return &d.keepAlive
	case decodeReminder(&d.reminder, m):
		return d.reminded(env, m)
	}
	switch m.Method {
	case mcpconv.NotificationProgress:
		return d.progressed(env, m)
	case mcpconv.NotificationCancelled:
		return d.cancel(env, m)
	case mcpconv.NotificationTask, mcpconv.NotificationTaskStatus:
		return d.taskChanged(env, m)
	case mcpconv.NotificationTapDropped:
		d.about(&d.lost.Notice, env, m)
		d.lost.Records, _ = jsonrpc.Member(m.Params.Raw, "records").Int()
		return &d.lost
	case mcpconv.NotificationOTelTrace:
		d.about(&d.spans.Notice, env, m)
		d.spans.Spans = m.Params.InBandSpans
		return &d.spans
	case mcpconv.MethodSessionUpdate:
		d.fill(&d.notice, env, m)
		d.notice.Invalid = cmp.Or(d.notice.Invalid, m.Params.InvalidParams())
		return d.acp.Update(&d.notice, m.Params.Update)
	}
	switch {
	case isLog(env, m):
		return d.logged(env, m)
	case isEvent(m):
		return d.seen(env, m)
	}
	d.about(&d.notice, env, m)
	return &d.notice
}

// reminded is a reminder, which has the same name in all dialects.
func (d *Decoder) reminded(env *event.Envelope, m *jsonrpc.Message) *event.Notice {
	n := &d.notice
	d.fill(n, env, m)
	n.Name, n.Detail = mcpconv.NotificationReminder, &d.reminder
	n.Invalid = cmp.Or(n.Invalid, invalidReminder(&d.reminder, m.Method))
	if m.Params.EventID.Str() == "" {
		n.StableID = d.reminder.ID.Str()
	}
	return n
}

// about fills the notice that a notification is, if nothing else is known of it.
func (d *Decoder) about(n *event.Notice, env *event.Envelope, m *jsonrpc.Message) {
	p := &m.Params
	d.fill(n, env, m)
	d.subject = event.Subject{URI: p.URI, TaskID: p.TaskID, TaskStatus: p.Status}
	n.Detail, n.Invalid = &d.subject, cmp.Or(n.Invalid, invalidSubject(m), p.InvalidParams())
}

// fill fills what the notices of all messages have; Invalid is what is wrong with
// the message or its record.
func (d *Decoder) fill(n *event.Notice, env *event.Envelope, m *jsonrpc.Message) {
	*n = event.Notice{
		Contact: d.contactOf(m), Form: formOf(m.Kind), Raw: m.Raw, Params: m.Params.Raw, Version: m.Version,
		StableID:   cmp.Or(m.Params.EventID.Str(), m.Params.ReminderID.Str()),
		FromClient: fromClient(env, m), Invalid: cmp.Or(m.Invalid, env.Invalid), Trace: traceOf(m),
	}
	if m.Kind == jsonrpc.Response {
		n.RPCID = m.ID
	}
}

func (d *Decoder) contactOf(m *jsonrpc.Message) event.Contact {
	return event.Contact{Method: m.Method, Hello: d.helloOf(m)}
}

func formOf(kind jsonrpc.Kind) event.Form {
	switch kind {
	case jsonrpc.Request:
		return event.Request
	case jsonrpc.Response:
		return event.Response
	}
	return event.Notification
}

func traceOf(m *jsonrpc.Message) event.TraceMeta {
	return event.TraceMeta{Traceparent: m.Params.Meta.Traceparent, Tracestate: m.Params.Meta.Tracestate}
}

// fromClient reports whether the client sent the message: as it was seen, else by
// the method.
func fromClient(env *event.Envelope, m *jsonrpc.Message) bool {
	switch {
	case env.Direction != event.Unknown:
		return env.Direction == event.FromClient
	case m.Kind == jsonrpc.Response, mcpconv.FromServer(m.Method):
		return false
	}
	return true
}
