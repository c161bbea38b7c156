package inspector

import (
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Decoder turns Inspector events into events. The zero value is ready. It is not
// safe for concurrent use, and an event is valid until the next one.
type Decoder struct {
	started  event.WorkflowStarted
	finished event.WorkflowFinished
	wait     event.WaitStarted
	resumed  event.WaitEnded
	usage    event.WorkflowUsage
	reported event.WorkflowReported

	resource event.ResourceUsed
	prompt   event.PromptUsed
	progress event.WorkflowProgress
}

// Event returns what the Inspector event reports. The start and end of a session have
// times of their own: the envelope gets them.
func (d *Decoder) Event(env *event.Envelope, e *inspectorwire.Event) event.Event {
	switch e.Type {
	case inspectorwire.TypeSessionStarted:
		if e.StartTime > 0 {
			env.Time = e.StartTime
		}
		d.started = event.WorkflowStarted{Title: e.Title, Engine: e.Engine, Time: e.StartTime, Raw: e.Raw, Extra: extra(e.Raw, startMembers)}
		return &d.started
	case inspectorwire.TypeSessionFinished:
		return d.finish(env, e)
	case inspectorwire.TypeWaitingOnSignal:
		d.wait = event.WaitStarted{Name: e.SignalName, Prompt: e.Prompt, Schema: e.Schema, Raw: e.Raw}
		return &d.wait
	case inspectorwire.TypeSignalReceived:
		d.resumed = event.WaitEnded{Name: e.SignalName}
		return &d.resumed
	case inspectorwire.TypeHeartbeat:
		d.usage.Notice = notice(env, e)
		d.usage.Deltas = event.Deltas{LLMCalls: e.LLMCallsDelta, Tokens: e.TokensDelta, ToolCalls: e.ToolCallsDelta}
		d.usage.Detail = &d.usage.Deltas
		return &d.usage
	}
	d.reported.Notice = notice(env, e)
	d.reported.Name, d.reported.Detail = d.detail(e)
	return &d.reported
}

func (d *Decoder) finish(env *event.Envelope, e *inspectorwire.Event) event.Event {
	if e.EndTime > 0 {
		env.Time = e.EndTime
	}
	d.finished = event.WorkflowFinished{Status: e.Status, Error: e.ErrorText, Time: e.EndTime, Extra: extra(e.Raw, finishMembers)}
	if e.DurationMS > 0 {
		d.finished.Start = env.Time - int64(e.DurationMS*1e6)
	}
	return &d.finished
}

// Members of starts and finishes that have keys of their own, or count the event.
var (
	startMembers  = []string{"type", "session_id", "timestamp", "event_id", "engine", "title", "start_time"}
	finishMembers = []string{"type", "session_id", "timestamp", "event_id", "status", "error", "end_time", "duration_ms"}
)

// extra returns an object of the other members, without those that are null.
func extra(raw string, known []string) event.JSON {
	return event.JSON(raw).Select(func(name string, value event.JSON) bool {
		return !value.IsNull() && !slices.Contains(known, name)
	})
}

func notice(env *event.Envelope, e *inspectorwire.Event) event.Notice {
	return event.Notice{
		Contact: event.Contact{Method: e.Type}, Source: event.Inspector, Prefix: mcpconv.SpanInspector,
		Raw: event.JSON(e.Raw), Params: event.JSON(e.Raw), FromClient: true, Invalid: env.Invalid,
		Numbered: e.EventID > 0,
	}
}

// detail returns what else is known of an event, and its name if that is not made of
// its type.
func (d *Decoder) detail(e *inspectorwire.Event) (name string, _ event.Detail) {
	switch e.Type {
	case inspectorwire.TypeResourceFetched:
		d.resource = event.ResourceUsed{URI: e.URI, MimeType: e.MimeType, Bytes: e.Bytes, HasBytes: e.HasBytes}
		return mcpconv.SpanResource, &d.resource
	case inspectorwire.TypePromptUsed:
		d.prompt = event.PromptUsed{Template: e.TemplateID, Parameters: e.Parameters}
		return mcpconv.SpanPrompt, &d.prompt
	case inspectorwire.TypeProgressUpdate:
		d.progress = event.WorkflowProgress{
			Token: e.ProgressToken, Percent: e.Percent, HasPercent: e.HasPercent, Message: e.Message,
		}
		return mcpconv.SpanProgress, &d.progress
	}
	return "", nil
}
