package copilot

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Decoder turns the input of hooks of Copilot CLI, and of VS Code, into events.
// The zero value is ready. It is not safe for concurrent use, and an event is
// valid until the next one.
type Decoder struct{ hook.Events }

// Event implements [hook.Decoder]. A hook that is configured as sessionStart has
// other members than one configured as SessionStart, and does not name its event.
// permissionRequest comes before Copilot decides whether to ask: it only passes, or
// says of which MCP server a tool is. A trace context means that Copilot makes spans,
// which it does not if it sends none.
func (d *Decoder) Event(b *hook.Body) event.Event {
	d.Begin(b)
	if _, ok := event.ParseTraceContext(b.Traceparent.Str(), ""); ok {
		d.Expects(mcpconv.SourceSpans)
	}
	switch b.Event {
	case "sessionStart", "SessionStart":
		return d.SessionStarted()
	case "sessionEnd", "SessionEnd":
		return d.SessionEnded()
	case "userPromptSubmitted", "UserPromptSubmitted", "UserPromptSubmit", "agentStop", "AgentStop", "Stop":
		return d.turn(b)
	case "errorOccurred", "ErrorOccurred":
		return d.failed(b)
	case "subagentStart", "SubagentStart":
		return d.AgentStarted(agentOf(b))
	case "subagentStop", "SubagentStop":
		return d.AgentEnded(agentOf(b))
	case "preCompact", "PreCompact":
		e := d.Compacting(b).(*event.CompactionStarted)
		e.Endless = e.Manual // no turn's span has its end
		return e
	case "notification", "Notification":
		return d.notified(b)
	case "permissionRequest", "PermissionRequest":
		return d.permission(b)
	}
	return d.tool(b)
}

// turn: a sub-agent is prompted and rests too, which is no turn of the session.
func (d *Decoder) turn(b *hook.Body) event.Event {
	switch {
	case b.Agent.ID.Str() != "", strings.HasPrefix(b.Prompt.Str(), "<system_notification>"): // not a person's
		d.Info().Prompt = ""
		return d.Unknown()
	case strings.HasSuffix(b.Event, "Stop"):
		return d.Rested()
	}
	return d.Prompted(b)
}

// failed: what Copilot can recover from ends no turn, and the error of a tool is
// reported by another hook too.
func (d *Decoder) failed(b *hook.Body) event.Event {
	d.Info().Error = jsonrpc.Member(b.Error, "name")
	if b.Recoverable.IsTrue() || b.Details.Str() == "tool_execution" {
		return d.Unknown()
	}
	return d.Failed(b.ErrorType(), b.ErrorText())
}

// agentOf is the sub-agent. In the documentation its start has a name only, which
// must then serve as its id; real ones have both.
func agentOf(b *hook.Body) event.SubAgent {
	a := b.SubAgent()
	if a.ID == "" {
		a.ID = b.Agent.Name
	}
	if a.Type == "" {
		a.Type = a.ID
	}
	return a
}

func (d *Decoder) notified(b *hook.Body) event.Event {
	switch b.Notification.Str() {
	case "permission_prompt":
		b.Tool.Input = `{"description":` + otlp.Quote(b.Message.Str()) + `}`
		if command, ok := strings.CutPrefix(b.Message.Str(), "Run command: "); ok {
			b.Tool.Name, b.Tool.Input = `"bash"`, `{"command":`+otlp.Quote(command)+`}`
		}
		return d.Asked(b, false)
	case "elicitation_dialog":
		return d.Asked(b, false)
	}
	return d.Unknown()
}

// permission names the tool of an MCP server {server}/{tool}, of which all other hooks
// say {server}-{tool}.
func (d *Decoder) permission(b *hook.Body) event.Event {
	use := b.ToolUse()
	server, tool, found := strings.Cut(b.Tool.Name.Str(), "/")
	if !found || server == "" || tool == "" {
		return d.Unknown()
	}
	use.Tool, use.Server, use.Name = otlp.Quote(server+"-"+tool), server, tool
	return d.ToolNamed(&use)
}

// runtime are Copilot's own names of tools that hooks like PreToolUse call as Claude
// Code does.
var runtime = map[string]event.JSON{
	"Bash": `"bash"`, "Read": `"view"`, "Write": `"create"`, "Edit": `"edit"`, "Grep": `"grep"`, "Glob": `"glob"`,
	"WebFetch": `"web_fetch"`, "WebSearch": `"web_search"`, "AskUserQuestion": `"ask_user"`, "TodoWrite": `"update_todo"`,
	"Agent": `"task"`,
}

func (d *Decoder) tool(b *hook.Body) event.Event {
	use := b.ToolUse()
	if name := runtime[b.Tool.Name.Str()]; name != "" {
		use.Tool = name
	}
	switch b.Event {
	case "preToolUse", "PreToolUse":
		return d.ToolStarted(&use, asks(b.Tool.Name.Str()))
	case "postToolUse", "PostToolUse":
		return d.returned(b, &use)
	case "postToolUseFailure", "PostToolUseFailure":
		return d.ToolFailed(&use, b.ErrorText(), false)
	}
	return d.Unknown()
}

// returned: earlier versions report failures and refusals as results.
func (d *Decoder) returned(b *hook.Body, use *event.ToolUse) event.Event {
	text := either(b.Tool.Output, "textResultForLlm", "text_result_for_llm")
	switch either(b.Tool.Output, "resultType", "result_type") {
	case "failure":
		return d.ToolFailed(use, text, false)
	case "denied", "rejected":
		return d.ToolDenied(use, text)
	}
	return d.ToolEnded(use)
}

// either is the text of the first of two members that is there.
func either(object jsonscan.Value, camel, snake string) string {
	return cmp.Or(jsonrpc.Member(object, camel).Str(), jsonrpc.Member(object, snake).Str())
}

// asks reports whether the tool is there to ask a person.
func asks(tool string) bool {
	return strings.EqualFold(tool, "ask_user") || tool == "AskUserQuestion" || tool == "exit_plan_mode"
}
