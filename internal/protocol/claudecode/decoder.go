package claudecode

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Decoder turns hook events into events. The zero value is ready. It is not safe
// for concurrent use, and an event is valid until the next one.
type Decoder struct {
	activity event.Activity
	info     event.HookInfo

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
}

// Event is what the hook event reports: an [event.Activity] if its name is not
// known.
func (d *Decoder) Event(h *Hook) event.Event {
	d.fill(h)
	switch h.Event {
	case "SessionStart", "Setup":
		d.sessionStarted.Activity = d.activity
		return &d.sessionStarted
	case "SessionEnd":
		d.sessionEnded.Activity = d.activity
		return &d.sessionEnded
	case "UserPromptSubmit":
		return d.prompted(h)
	case "Stop":
		return d.rested()
	case "StopFailure":
		return d.failed(h)
	case "SubagentStart":
		d.agentStarted.Activity, d.agentStarted.Agent = d.activity, agentOf(h)
		return &d.agentStarted
	case "SubagentStop":
		d.agentEnded.Activity, d.agentEnded.Agent = d.activity, agentOf(h)
		return &d.agentEnded
	case "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		return d.tool(h)
	}
	return d.pause(h)
}

// fill fills what all events of hooks have.
func (d *Decoder) fill(h *Hook) {
	d.info = event.HookInfo{
		Event: h.Event, Tool: h.Tool, AgentID: h.AgentID, Trigger: h.Trigger, Error: h.Error,
		Prompt: h.Prompt, Message: h.Message,
	}
	d.activity = event.Activity{Title: h.Title.Str(), Notice: event.Notice{
		Contact: event.Contact{Method: h.Event}, Source: event.Hook, Prefix: mcpconv.SpanHook,
		Raw: h.Raw, Params: h.Raw, Version: "2.0", FromClient: true, Detail: &d.info,
	}}
}

func agentOf(h *Hook) event.SubAgent { return event.SubAgent{ID: h.AgentID, Type: h.AgentType} }

func (d *Decoder) prompted(h *Hook) event.Event {
	d.prompt = event.PromptSubmitted{Activity: d.activity, Prompt: h.Prompt}
	return &d.prompt
}

// rested is a turn that ended well.
func (d *Decoder) rested() event.Event {
	d.turn = event.TurnEnded{Activity: d.activity}
	return &d.turn
}

// failed is a turn that ended by an error of the model's API.
func (d *Decoder) failed(h *Hook) event.Event {
	d.turn = event.TurnEnded{
		Activity: d.activity, Failed: true, Type: h.Error.Str(),
		Text: cmp.Or(h.Last.Str(), h.Details.Str(), h.Error.Str()),
	}
	return &d.turn
}

// pause is what interrupts the work, ends an interruption, or is not known.
func (d *Decoder) pause(h *Hook) event.Event {
	switch h.Event {
	case "PreCompact":
		d.compacting = event.CompactionStarted{Activity: d.activity, Manual: h.Trigger.Str() == "manual"}
		return &d.compacting
	case "PostCompact":
		d.compacted.Activity = d.activity
		return &d.compacted
	case "PermissionRequest", "Elicitation":
		return d.asked(h, false)
	case "ElicitationResult":
		return d.answer()
	case "Notification":
		return d.notified(h)
	}
	return &d.activity
}

// notified: only some notifications mean that a person is asked. Versions that do
// not send the type mean it too, but also remind of an agent that rests.
func (d *Decoder) notified(h *Hook) event.Event {
	switch h.Notification.Str() {
	case "":
		return d.asked(h, true)
	case "permission_prompt", "elicitation_dialog", "elicitation_url_dialog":
		return d.asked(h, false)
	case "elicitation_complete", "elicitation_response":
		return d.answer()
	case "idle_prompt":
		return d.rested()
	case "quota_auto_resume_fired":
		return d.prompted(h)
	}
	return &d.activity
}

func (d *Decoder) asked(h *Hook, reminder bool) event.Event {
	d.requested = event.ApprovalRequested{
		Activity: d.activity, Tool: h.Tool, Input: h.Input, SubAgent: h.AgentID, Reminder: reminder,
	}
	return &d.requested
}

func (d *Decoder) answer() event.Event {
	d.answered.Activity = d.activity
	return &d.answered
}

func (d *Decoder) tool(h *Hook) event.Event {
	use := useOf(h)
	switch h.Event {
	case "PreToolUse":
		d.toolStarted = event.ToolStarted{Activity: d.activity, Use: use, Asks: asks(h.Tool.Str())}
		return &d.toolStarted
	case "PermissionDenied":
		d.toolDenied = event.ToolDenied{Activity: d.activity, Use: use, Reason: h.Reason.Str()}
		return &d.toolDenied
	}
	d.toolEnded = event.ToolEnded{Activity: d.activity, Use: use}
	if h.Event == "PostToolUseFailure" {
		d.toolEnded.Failed, d.toolEnded.Interrupted = true, h.Interrupt.IsTrue()
		d.toolEnded.Text = h.Error.Str()
	}
	return &d.toolEnded
}

// asks reports whether the tool is there to ask a person.
func asks(tool string) bool { return tool == "AskUserQuestion" || tool == "ExitPlanMode" }

func useOf(h *Hook) event.ToolUse {
	use := event.ToolUse{
		Tool: h.Tool, Input: h.Input, Server: serverOf(h), SubAgent: h.AgentID, Duration: h.Duration, Output: h.Output,
	}
	if h.ToolID.IsString() && h.ToolID != `""` {
		use.ID = h.ToolID
	}
	return use
}

// serverOf is the MCP server of the tool, "" if it is none's: tools of servers are
// called mcp__{server}__{tool}.
func serverOf(h *Hook) string {
	if name := h.Server.Str(); name != "" {
		return name
	}
	rest, ok := strings.CutPrefix(h.Tool.Str(), "mcp__")
	server, _, found := strings.Cut(rest, "__")
	if !ok || !found {
		return ""
	}
	return server
}
