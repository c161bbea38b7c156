package codex

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// Decoder turns the input of hooks into events. The zero value is ready. It is
// not safe for concurrent use, and an event is valid until the next one.
type Decoder struct{ hook.Events }

// Event implements [hook.Decoder]. Codex has Claude Code's events as far as it
// has them, and Interrupt.
func (d *Decoder) Event(b *hook.Body) event.Event {
	d.Begin(b)
	switch b.Event {
	case "SessionStart":
		return d.SessionStarted()
	case "SessionEnd":
		return d.SessionEnded()
	case "UserPromptSubmit", "Stop", "StopFailure", "Interrupt":
		return d.turn(b)
	case "SubagentStart":
		return d.AgentStarted(b.SubAgent())
	case "SubagentStop":
		return d.AgentEnded(b.SubAgent())
	case "PreCompact":
		return d.Compacting(b)
	case "PostCompact":
		return d.Compacted()
	}
	return d.tool(b)
}

// turn: a sub-agent is prompted and rests too, which is no turn of the session.
func (d *Decoder) turn(b *hook.Body) event.Event {
	switch {
	case b.Agent.ID.Str() != "":
		d.Info().Prompt = ""
		return d.Unknown()
	case b.Event == "UserPromptSubmit":
		return d.Prompted(b)
	case b.Event == "StopFailure":
		return d.Failed(b.Error.Str(), cmp.Or(b.Last.Str(), b.Details.Str(), b.Error.Str()))
	}
	return d.Rested()
}

func (d *Decoder) tool(b *hook.Body) event.Event {
	use := b.ToolUse()
	if name := b.Tool.Name.Str(); bare(name) != name {
		use.Tool = otlp.Quote(bare(name))
	}
	switch b.Event {
	case "PreToolUse":
		return d.ToolStarted(&use, b.Tool.Name.Str() == "request_user_input")
	case "PostToolUse":
		return d.ToolEnded(&use)
	case "PostToolUseFailure":
		return d.ToolFailed(&use, b.ErrorText(), b.Tool.Interrupt.IsTrue())
	case "PermissionRequest":
		return d.Asked(b, false)
	}
	return d.Unknown()
}

// bare is the name of a tool without the namespace of those for sub-agents, which
// hooks and spans join to the name.
func bare(tool string) string { return strings.TrimPrefix(tool, "multi_agent_v1") }
