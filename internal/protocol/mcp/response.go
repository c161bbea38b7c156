package mcp

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/acp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

func (d *Decoder) response(env *event.Envelope, m *jsonrpc.Message) *event.CallEnded {
	e, r := &d.ended, &m.Result
	d.fill(&e.Notice, env, m)
	e.Name, e.Method = mcpconv.SpanOrphan, ""
	e.ID = m.ID
	if env.Unanswered { // the error is made up
		e.Invalid = env.Invalid
	}
	replyOf(&e.Reply, m)
	e.Poll = d.pollOf(r)
	if e.Task, e.Created = createdTask(r, &e.Poll); !e.Created {
		e.Task = e.Poll
	}
	e.Input, e.Seen = d.inputOf(r), d.eventsOf(r)
	if e.Fault = ""; e.Reply.Failed {
		e.Fault = pollFault(e.Reply.Code, e.Reply.Text)
	}
	e.Session, e.Agreed = r.SessionID.Str(), r.ProtocolVersion != ""
	return e
}

// replyOf reads how the message that is a reply says that its request ended.
func replyOf(to *event.Reply, m *jsonrpc.Message) {
	r := &m.Result
	*to = event.Reply{
		Raw: m.Raw, Failed: m.Error.Present(), Code: m.Error.Code, Coded: m.Error.HasCode, Text: m.Error.Message.Str(),
		Result: event.Result{
			Raw: r.Raw, Content: r.Content, FirstText: r.FirstText, IsError: r.IsError, Structured: r.Structured,
			MimeType: r.MimeType, Bytes: r.Bytes, Role: r.Role, Model: r.Model, StopReason: r.StopReason,
			Action: r.Action, Permission: acp.PermissionOutcome(r.Outcome), Listed: r.Listed,
		},
		Spans: r.Meta.ResourceSpans,
	}
}

// inputOf returns what a result asks of the client before it can be one (2026-07-28,
// multi round trip requests), nil if it asks for nothing.
func (d *Decoder) inputOf(r *jsonrpc.Result) *event.InputRequired {
	state := r.RequestState.Str()
	if state == "" || r.Type.Str() != "input_required" {
		return nil
	}
	d.input = event.InputRequired{State: state}
	for _, request := range r.InputRequests.Members() {
		params := jsonrpc.Member(request, "params")
		d.input.Method = jsonrpc.Member(request, "method").Str()
		d.input.Prompt = jsonrpc.Member(params, "message").Str()
		d.input.Schema = jsonrpc.Member(params, "requestedSchema")
		if d.input.Method != "" {
			break
		}
	}
	return &d.input
}
