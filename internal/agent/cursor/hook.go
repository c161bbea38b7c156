package cursor

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Decoder turns the input of hooks into events. The zero value is ready. It is
// not safe for concurrent use, and an event is valid until the next one.
type Decoder struct{ hook.Events }

// Event implements [hook.Decoder]. Calls of tools are those of preToolUse and its
// followers; beforeShellExecution, afterMCPExecution, afterFileEdit and their like
// repeat them without an id, and only pass.
func (d *Decoder) Event(b *hook.Body) event.Event {
	d.Begin(b)
	switch b.Event {
	case "sessionStart":
		return d.SessionStarted()
	case "sessionEnd":
		return d.SessionEnded()
	case "beforeSubmitPrompt":
		return d.Prompted(b)
	case "stop":
		return d.stopped(b)
	case "subagentStart":
		return d.AgentStarted(b.SubAgent())
	case "subagentStop":
		return d.agentStopped(b)
	case "preCompact":
		return d.Compacting(b)
	case "afterAgentResponse":
		return d.answered(b)
	}
	return d.tool(b)
}

// stopped: a turn that a person stopped has not failed.
func (d *Decoder) stopped(b *hook.Body) event.Event {
	if b.Status.Str() == "error" {
		d.Info().Error = "" // it is a text, and no type
		return d.Failed("", b.ErrorText())
	}
	return d.Rested()
}

// outcomes maps the status of a sub-agent's end to its outcome.
var outcomes = map[string]jsonscan.Value{"completed": `"success"`, "error": `"error"`, "timeout": `"timeout"`}

func (d *Decoder) agentStopped(b *hook.Body) event.Event {
	a := b.SubAgent()
	a.Outcome = outcomes[b.Status.Str()]
	a.Duration = hook.Seconds(b.Tool.Duration)
	return d.AgentEnded(a)
}

// answered: some versions report what an answer used.
func (d *Decoder) answered(b *hook.Body) event.Event {
	input, read, write := tokens(b.Use.Input), tokens(b.Use.Read), tokens(b.Use.Write)
	output := tokens(b.Use.Output)
	if input+read+write+output == 0 {
		return d.Unknown()
	}
	if input < read+write { // it does not include them then
		input += read + write
	}
	use := event.ModelUse{
		Model: b.Facts.Model.Str(), HasUsage: true, SubAgent: b.Agent.ID.Str(), Aside: b.Agent.ID != "",
		Usage: event.Usage{Input: input, Output: output, CacheRead: read, CacheWrite: write},
	}
	return d.ModelEnded(&use, "", "")
}

// countMax is beyond what any answer uses.
const countMax = 1 << 50

func tokens(v jsonscan.Value) int64 {
	n, _ := v.Int()
	return min(max(n, 0), countMax)
}

func (d *Decoder) tool(b *hook.Body) event.Event {
	use := toolOf(b)
	switch b.Event {
	case "preToolUse":
		return d.ToolStarted(&use, b.Tool.Name.Str() == "AskQuestion")
	case "postToolUse":
		return d.ToolEnded(&use)
	case "postToolUseFailure":
		if b.Details.Str() == "permission_denied" {
			return d.ToolDenied(&use, b.ErrorText())
		}
		use.ErrorType = b.Details.Str()
		if use.Name != "" { // only results of MCP servers can say that they failed
			use.ErrorType = mcpconv.ToolErrorType(use.ErrorType, "error")
		}
		return d.ToolFailed(&use, b.ErrorText(), b.Tool.Interrupt.IsTrue())
	}
	return d.Unknown()
}

// toolOf is the tool call. Tools of MCP servers are called MCP:{tool}: which
// server it is is not reported.
func toolOf(b *hook.Body) event.ToolUse {
	use := b.ToolUse()
	if name, ok := strings.CutPrefix(b.Tool.Name.Str(), "MCP:"); ok {
		use.Name = strings.TrimSpace(name)
	}
	return use
}
