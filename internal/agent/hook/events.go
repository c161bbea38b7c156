package hook

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Events is the memory of the events of a decoder, which embeds it: an event is
// made by one of its methods and valid until the next. The zero value is ready.
type Events struct {
	activity event.SelfReport
	info     event.HookInfo
	facts    event.Facts

	sessionStarted event.SessionStarted
	sessionEnded   event.SessionEnded
	prompt         event.PromptSubmitted
	turn           event.TurnEnded
	agentStarted   event.AgentStarted
	agentEnded     event.AgentEnded
	compacting     event.CompactionStarted
	compacted      event.CompactionEnded
	requested      event.ApprovalRequested
	answered       event.ApprovalAnswered
	toolStarted    event.ToolStarted
	toolEnded      event.ToolEnded
	toolDenied     event.ToolDenied
	toolNamed      event.ToolNamed
	modelEnded     event.ModelEnded
}

// Begin reads what all events have. It comes before all others.
func (d *Events) Begin(b *Body) {
	d.info = event.HookInfo{
		Event: b.Event, Tool: b.Tool.Name, AgentID: b.Agent.ID, Trigger: b.Trigger, Error: b.Error,
		Prompt: b.Prompt, Message: b.Message,
	}
	d.facts = factsOf(b)
	d.activity = event.SelfReport{Title: b.Title.Str(), Turn: b.Turn.Str(), Notice: event.Notice{
		Contact: event.Contact{Method: b.Event}, Source: event.Hook, Prefix: mcpconv.SpanHook,
		Raw: b.Raw, Params: b.Raw, Version: "2.0", FromClient: true, Detail: &d.info,
	}}
	if f := &d.facts; f.Version != "" || f.Model != "" || f.Window != 0 || f.Dir != "" {
		d.activity.Facts = f
	}
}

// factsOf are the facts that a hook mentions. The model of a sub-agent is not that of
// the session.
func factsOf(b *Body) event.Facts {
	f := event.Facts{Version: b.Facts.Version.Str(), Dir: b.Facts.Dir.Str()}
	if b.Agent.ID.Str() == "" {
		window, _ := b.Facts.Window.Int()
		f.Model, f.Window = b.Facts.Model.Str(), max(window, 0)
	}
	return f
}

// Info returns what is recorded of the hook beside the whole of it.
func (d *Events) Info() *event.HookInfo { return &d.info }

// ThreadUnknown sets that the hooks do not name sub-agents.
func (d *Events) ThreadUnknown() { d.activity.ThreadUnknown = true }

// Unknown is an event that only passes.
func (d *Events) Unknown() event.Event { return &d.activity }

// Titled is the title of the session, of which the first one is the agent's own.
func (d *Events) Titled() event.Event {
	d.activity.Made = true
	return &d.activity
}

// SessionStarted reports that the session begins.
func (d *Events) SessionStarted() event.Event {
	d.sessionStarted.SelfReport = d.activity
	return &d.sessionStarted
}

// SessionEnded reports that the session ends.
func (d *Events) SessionEnded() event.Event {
	d.sessionEnded.SelfReport = d.activity
	return &d.sessionEnded
}

// Prompted reports that a turn begins.
func (d *Events) Prompted(b *Body) event.Event {
	d.prompt = event.PromptSubmitted{SelfReport: d.activity, Prompt: b.Prompt}
	return &d.prompt
}

// Rested is a turn that ended well.
func (d *Events) Rested() event.Event {
	d.turn = event.TurnEnded{SelfReport: d.activity}
	return &d.turn
}

// RestedWith is Rested, with the agent's last message if the hook has it.
func (d *Events) RestedWith(b *Body) event.Event {
	d.Rested()
	if b.Last.IsString() {
		d.turn.Output = b.Last
	}
	return &d.turn
}

// Failed is a turn that ended by an error of that type.
func (d *Events) Failed(kind, text string) event.Event {
	d.info.Weight = event.HookFails
	d.turn = event.TurnEnded{SelfReport: d.activity, Failed: true, Type: kind, Text: text}
	return &d.turn
}

// AgentStarted reports that a sub-agent starts.
func (d *Events) AgentStarted(a event.SubAgent) event.Event {
	d.agentStarted = event.AgentStarted{SelfReport: d.activity, Agent: a}
	return &d.agentStarted
}

// AgentEnded reports that a sub-agent ended.
func (d *Events) AgentEnded(a event.SubAgent) event.Event {
	d.agentEnded = event.AgentEnded{SelfReport: d.activity, Agent: a}
	return &d.agentEnded
}

// Compacting reports that the agent begins to compact its context.
func (d *Events) Compacting(b *Body) event.Event {
	d.info.Weight = event.HookWarns
	d.compacting = event.CompactionStarted{SelfReport: d.activity, Manual: b.Trigger.Str() == "manual"}
	return &d.compacting
}

// Compacted reports that it did.
func (d *Events) Compacted() event.Event {
	d.compacted = event.CompactionEnded{SelfReport: d.activity}
	return &d.compacted
}

// Asked reports that a person is asked. A reminder may come although nothing is asked.
func (d *Events) Asked(b *Body, reminder bool) event.Event {
	if !reminder {
		d.info.Weight = event.HookWarns
	}
	d.requested = event.ApprovalRequested{
		SelfReport: d.activity, Tool: b.Tool.Name, Input: b.Tool.Input, SubAgent: b.Agent.ID, Reminder: reminder,
	}
	return &d.requested
}

// Answered reports that the person answered.
func (d *Events) Answered() event.Event {
	d.answered.SelfReport = d.activity
	return &d.answered
}

// ToolStarted reports that a tool is about to be called; asks is that the tool is there
// to ask a person.
func (d *Events) ToolStarted(use *event.ToolUse, asks bool) event.Event {
	d.toolStarted = event.ToolStarted{SelfReport: d.activity, Use: *use, Asks: asks}
	return &d.toolStarted
}

// ToolEnded reports that a tool returned.
func (d *Events) ToolEnded(use *event.ToolUse) event.Event {
	d.toolEnded = event.ToolEnded{SelfReport: d.activity, Use: *use}
	return &d.toolEnded
}

// ToolFailed reports that a tool failed, or that a person interrupted it.
func (d *Events) ToolFailed(use *event.ToolUse, text string, interrupted bool) event.Event {
	d.toolEnded = event.ToolEnded{SelfReport: d.activity, Use: *use, Failed: true, Text: text, Interrupted: interrupted}
	return &d.toolEnded
}

// ToolDenied reports that a tool was not called.
func (d *Events) ToolDenied(use *event.ToolUse, reason string) event.Event {
	d.toolDenied = event.ToolDenied{SelfReport: d.activity, Use: *use, Reason: reason}
	d.toolDenied.Use.Decision = "reject"
	return &d.toolDenied
}

// ToolNamed is which tool of an MCP server a call is of.
func (d *Events) ToolNamed(use *event.ToolUse) event.Event {
	d.toolNamed = event.ToolNamed{SelfReport: d.activity, Use: *use}
	return &d.toolNamed
}

// Expects notes telemetry that the agent sends, by what the hook shows of it.
func (d *Events) Expects(sources ...string) {
	d.facts.Sources = sources
	d.activity.Facts = &d.facts
}

// ModelEnded reports that a model answered, or failed with an error of that type.
func (d *Events) ModelEnded(use *event.ModelUse, kind, text string) event.Event {
	d.modelEnded = event.ModelEnded{SelfReport: d.activity, Use: *use, Failed: kind != "" || text != "", Type: kind, Text: text}
	return &d.modelEnded
}
