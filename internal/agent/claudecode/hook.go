package claudecode

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Decoder turns hook events into events. The zero value is ready. It is not safe
// for concurrent use, and an event is valid until the next one.
type Decoder struct {
	hook.Events
	alive event.KeepAlive
}

// Event implements [hook.Decoder]. Of MessageDisplay, which comes with each piece of
// text while it is shown, nothing is recorded.
func (d *Decoder) Event(b *hook.Body) event.Event {
	learn(b)
	d.Begin(b)
	switch b.Event {
	case "SessionStart", "Setup":
		return d.SessionStarted()
	case "SessionEnd":
		return d.SessionEnded()
	case "UserPromptSubmit":
		if notice(b.Prompt.Str()) {
			d.Info().Prompt = ""
			return d.Unknown()
		}
		return d.Prompted(b)
	case "Stop":
		return d.RestedWith(b)
	case "StopFailure":
		return d.Failed(b.Error.Str(), cmp.Or(b.Last.Str(), b.Details.Str(), b.Error.Str()))
	case "SubagentStart":
		return d.AgentStarted(b.SubAgent())
	case "SubagentStop":
		return d.AgentEnded(b.SubAgent())
	case "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		return d.tool(b)
	case "MessageDisplay":
		d.alive.Method = b.Event
		return &d.alive
	}
	return d.pause(b)
}

// learn reads what changes of the facts that all hooks mention.
func learn(b *hook.Body) {
	switch b.Event {
	case "CwdChanged":
		b.Facts.Dir = cmp.Or(jsonrpc.Member(b.Raw, "new_cwd"), b.Facts.Dir)
	case "PostModelSwitch":
		b.Facts.Model = cmp.Or(jsonrpc.Member(b.Raw, "to_model"), b.Facts.Model)
	}
}

// pause returns what interrupts the work, ends an interruption, or is not known.
func (d *Decoder) pause(b *hook.Body) event.Event {
	switch b.Event {
	case "PreCompact":
		return d.Compacting(b)
	case "PostCompact":
		return d.Compacted()
	case "PermissionRequest", "Elicitation":
		return d.Asked(b, false)
	case "ElicitationResult":
		return d.Answered()
	case "Notification":
		return d.notified(b)
	}
	return d.Unknown()
}

// notified: only some notifications mean that a person is asked. Versions that do
// not send the type mean it too, but also remind of an agent that rests.
func (d *Decoder) notified(b *hook.Body) event.Event {
	kind := b.Notification.Str()
	if kind == "" {
		return d.Asked(b, true)
	}
	switch meaningOf(kind) {
	case asksPerson:
		return d.Asked(b, false)
	case personAnswered:
		return d.Answered()
	case agentRests:
		return d.Rested()
	case agentWorks:
		return d.Prompted(b)
	}
	return d.Unknown()
}

// meaning classifies notifications by type.
type meaning uint8

const (
	meansNothing meaning = iota
	asksPerson
	personAnswered
	agentRests
	agentWorks
)

// meaningOf returns what a notification of that type means for its session.
// agent_needs_input and agent_completed are about other sessions.
func meaningOf(notification string) meaning {
	switch notification {
	case "permission_prompt", "elicitation_dialog", "elicitation_url_dialog":
		return asksPerson
	case "elicitation_complete", "elicitation_response":
		return personAnswered
	case "idle_prompt":
		return agentRests
	case "quota_auto_resume_fired":
		return agentWorks
	}
	return meansNothing
}

func (d *Decoder) tool(b *hook.Body) event.Event {
	use := b.ToolUse()
	use.Name = cmp.Or(nameBehind(b.Tool.Name.Str(), use.Server), use.Name)
	switch b.Event {
	case "PreToolUse":
		return d.ToolStarted(&use, asks(b.Tool.Name.Str()))
	case "PermissionDenied":
		return d.ToolDenied(&use, b.Reason.Str())
	case "PostToolUseFailure":
		return d.ToolFailed(&use, b.Error.Str(), b.Tool.Interrupt.IsTrue())
	}
	return d.ToolEnded(&use)
}

// nameBehind is the tool in mcp__{server}__{tool}, "" if another server is named. The
// server is written with an underscore for each character that is not allowed, and
// may hold two in a row.
func nameBehind(tool, server string) string {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	n := utf8.RuneCountInString(server)
	if !ok || n == 0 || len(rest) < n {
		return ""
	}
	name, ok := strings.CutPrefix(rest[n:], "__")
	if !ok {
		return ""
	}
	return name
}

// asks reports whether the tool is there to ask a person.
func asks(tool string) bool { return tool == "AskUserQuestion" || tool == "ExitPlanMode" }
