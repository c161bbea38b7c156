package acp

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Kinds of updates (sessionUpdate) that are not part of the text stream.
const (
	kindToolCall       = "tool_call"
	kindToolCallUpdate = "tool_call_update"
	kindPlan           = "plan"
	kindUsage          = "usage_update"
	kindReminder       = "reminder_emitted"
)

// kindMessage is the kind of an update that is part of what an agent says to the person.
const kindMessage = "agent_message_chunk"

// Decoder turns updates into events. The zero value is ready. It is not safe for
// concurrent use, and an event is valid until the next one.
type Decoder struct {
	tool   event.ToolUpdated
	stream event.StreamUpdated
	notice event.Notice
	plan   event.Plan
	usage  event.ContextUse
	update update
}

// update are the members of params.update that telemetry needs.
type update struct {
	call, title, name, kind, status, input, output, content, entries, used, size jsonscan.Value
}

// Update is the event of a session/update. n is what all notifications have; it
// is copied. Null members are absent.
func (d *Decoder) Update(n *event.Notice, v jsonscan.Value) event.Event {
	switch kind := jsonrpc.Member(v, "sessionUpdate").Str(); kind {
	case kindToolCall, kindToolCallUpdate:
		d.toolUpdated(n, v)
		return &d.tool
	case kindPlan, kindUsage, kindReminder, "":
		d.notice = *n
		d.notice.Detail = d.detail(kind, v)
		return &d.notice
	}
	d.stream = event.StreamUpdated{Notice: *n}
	if content := jsonrpc.Member(v, "content"); jsonrpc.Member(v, "sessionUpdate").Str() == kindMessage && content.IsObject() {
		if text := jsonrpc.Member(content, "text"); text.IsString() {
			d.stream.Text = text
		}
	}
	return &d.stream
}

// detail returns what is recorded of an update that is a notice.
func (d *Decoder) detail(kind string, v jsonscan.Value) event.Detail {
	u := &d.update
	switch kind {
	case kindPlan:
		u.decode(v)
		d.plan = event.Plan{Entries: u.entries}
		return &d.plan
	case kindUsage:
		u.decode(v)
		d.usage = event.ContextUse{Used: u.used, Size: u.size}
		return &d.usage
	}
	return nil
}

func (d *Decoder) toolUpdated(n *event.Notice, v jsonscan.Value) {
	u := &d.update
	u.decode(v)
	d.tool = event.ToolUpdated{
		Notice: *n, Call: u.call, Title: u.title, Name: u.name, Kind: u.kind, Status: u.status,
		Input: u.input, Output: u.output,
	}
	if u.output == "" {
		d.tool.Output = u.content
	}
	if u.status.Str() == "failed" {
		d.tool.Failed = jsonrpc.Member(jsonrpc.Member(jsonrpc.First(u.content), "content"), "text").Str()
	}
}

func (u *update) decode(v jsonscan.Value) {
	*u = update{}
	jsonrpc.FillPresent(v, u.field)
}

// field is where the value of a member belongs, or nil.
func (u *update) field(name string) *jsonscan.Value {
	switch name {
	case "toolCallId":
		return &u.call
	case "title":
		return &u.title
	case "name":
		return &u.name
	case "kind":
		return &u.kind
	case "status":
		return &u.status
	case "rawInput":
		return &u.input
	case "rawOutput":
		return &u.output
	case "content":
		return &u.content
	case "entries":
		return &u.entries
	case "used":
		return &u.used
	case "size":
		return &u.size
	}
	return nil
}

// PermissionOutcome is the option that a person chose, else what else became of
// a session/request_permission, "" if the reply does not report it.
func PermissionOutcome(outcome jsonscan.Value) string {
	if option := jsonrpc.Member(outcome, "optionId").Str(); option != "" {
		return option
	}
	return jsonrpc.Member(outcome, "outcome").Str()
}
