package claudecode

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// What Claude Code's own telemetry is recognised by.
const (
	TelemetryScope   = "com.anthropic.claude_code" // begins the names of its scopes
	TelemetryService = "claude-code"               // service.name
	TelemetryPrefix  = "claude_code."              // begins the bodies of its events, and the names of its spans
)

// redacted stands for content that Claude Code was not told to send.
const redacted = "<REDACTED>"

// Telemetry decodes the events and spans that Claude Code sends over OTLP. The zero
// value is ready. It is not safe for concurrent use, and a report is valid until the
// next one.
type Telemetry struct {
	draft otlp.Draft

	sessionEnded event.SessionEnded
	prompt       event.PromptSubmitted
	turn         event.TurnEnded
	model        event.ModelEnded
	toolStarted  event.ToolStarted
	toolEnded    event.ToolEnded
	toolDenied   event.ToolDenied
	requested    event.ApprovalRequested
	answered     event.ApprovalAnswered
	compacting   event.CompactionStarted
	compacted    event.CompactionEnded
	agentEnded   event.AgentEnded
	server       event.ServerChanged
}

// Log reads one event. Its name is its body; event.name has no prefix.
func (t *Telemetry) Log(from *otlp.Origin, r plog.LogRecord) *otlp.Report {
	d := &t.draft
	d.Log(mcpconv.ClaudeCode, r, eventName(r))
	t.common(from)
	d.SelfReport.Turn = d.Text("prompt.id")
	t.log(strings.TrimPrefix(d.SelfReport.Method, TelemetryPrefix))
	return d.Done()
}

func eventName(r plog.LogRecord) string {
	if body := r.Body(); body.Type() == pcommon.ValueTypeStr && strings.HasPrefix(body.Str(), TelemetryPrefix) {
		return body.Str()
	}
	name := cmp.Or(otlp.String(r.Attributes(), "event.name"), r.EventName())
	if name == "" || strings.HasPrefix(name, TelemetryPrefix) {
		return name
	}
	return TelemetryPrefix + name
}

// common reads what all events and spans have.
func (t *Telemetry) common(from *otlp.Origin) {
	d := &t.draft
	d.Report.Session = cmp.Or(d.Text("session.id"), otlp.String(from.Resource, "session.id"))
	d.Facts.Version = cmp.Or(d.Text("app.version"), otlp.String(from.Resource, "service.version"))
}

// log reads the event of that name. Events that are not listed only pass.
func (t *Telemetry) log(name string) {
	d := &t.draft
	switch name {
	case "user_prompt":
		t.prompted(d.Text("prompt"))
	case "assistant_response":
		t.answeredText()
	case "api_request":
		t.modelCall()
	case "api_error":
		t.modelError()
	case "tool_decision":
		t.decided()
	case "tool_result":
		t.toolResult()
	case "compaction":
		t.compaction()
	case "subagent_completed":
		t.subAgent()
	case "mcp_server_connection":
		t.connection()
	case "hook_execution_start":
		t.hookStarted(d.Text("hook_event"), d.Text("hook_name"))
	case "hook_execution_complete":
		t.hookCompleted(d.Text("hook_event"))
	case "api_refusal", "permission_mode_changed", "internal_error", "skill_activated":
		t.note()
	}
}

// note reports an event as it is.
func (t *Telemetry) note() {
	t.draft.Emit(&t.draft.SelfReport)
}

// prompted is a turn's beginning, unless the prompt is delivered into the turn that
// runs. Commands that Claude Code carries out itself have no message, and begin none.
func (t *Telemetry) prompted(prompt string) {
	d := &t.draft
	command := d.Text("command_source") == "builtin" && !d.Has("message.uuid")
	if command || d.Text("delivery.mode") == "mid_turn" || notice(prompt) {
		t.note()
		return
	}
	t.prompt = event.PromptSubmitted{SelfReport: d.SelfReport, Prompt: content(prompt)}
	d.Emit(&t.prompt)
}

// notice reports whether a prompt is not a person's: a background agent's end.
func notice(prompt string) bool { return strings.HasPrefix(prompt, "<task-notification>") }

// content is text as JSON, "" if it was not to be sent.
func content(text string) event.JSON {
	if text == "" || text == redacted {
		return ""
	}
	return otlp.Quote(text)
}

func (t *Telemetry) compaction() {
	d := &t.draft
	ok, known := d.Bool("success")
	t.compacted = event.CompactionEnded{
		SelfReport: d.SelfReport, Trigger: d.Text("trigger"), Failed: known && !ok,
		Before: d.Count("pre_tokens"), After: d.Count("post_tokens"), Duration: d.Millis("duration_ms"),
	}
	d.Emit(&t.compacted)
}

// subAgent reports that a sub-agent ended. Its total_tokens are those of its last
// request only: what it used in all is what its requests reported.
func (t *Telemetry) subAgent() {
	d := &t.draft
	agent := event.SubAgent{
		ID: d.Quoted("agent_id"), Type: d.Quoted("agent_type"), Model: otlp.Quoted(cmp.Or(d.Text("final_model"), d.Text("model"))),
	}
	if ran := d.Millis("duration_ms"); ran != 0 {
		agent.Duration = otlp.Decimal(float64(ran) / 1e9)
	}
	t.agentEnded = event.AgentEnded{SelfReport: d.SelfReport, Agent: agent}
	d.Emit(&t.agentEnded)
}

func (t *Telemetry) connection() {
	d := &t.draft
	t.server = event.ServerChanged{
		SelfReport: d.SelfReport, Server: d.Text("server_name"), Status: d.Text("status"),
		Transport: d.Text("transport_type"), Error: cmp.Or(d.Text("error"), d.Text("error_code")),
	}
	d.Emit(&t.server)
}

// Span reads one span.
func (t *Telemetry) Span(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	d := &t.draft
	d.Span(mcpconv.ClaudeCode, s)
	t.common(from)
	d.SelfReport.Turn = d.Text("prompt.id")
	switch s.Name() {
	case "claude_code.interaction":
		t.interaction()
	case "claude_code.llm_request":
		t.modelSpan(s)
	case "claude_code.tool":
		t.toolSpan(s)
	case "claude_code.tool.blocked_on_user":
		t.blocked()
	} // claude_code.tool.execution is part of a tool's span
	return d.Done()
}

// interaction is a turn from prompt to rest, or a command that Claude Code carries out itself: a
// prompt that is redacted or begins with a slash does not tell which.
func (t *Telemetry) interaction() {
	d := &t.draft
	prompt := d.Text("user_prompt")
	command, _, _ := strings.Cut(prompt, " ")
	if command == "/compact" || notice(prompt) {
		return
	}
	t.turn = event.TurnEnded{SelfReport: d.SelfReport, Unprompted: prompt == "" || prompt == redacted || prompt[0] == '/'}
	if !t.turn.Unprompted {
		t.prompt = event.PromptSubmitted{SelfReport: d.At(d.SelfReport.Native.Start), Prompt: content(prompt)}
		d.Emit(&t.prompt)
	}
	d.Emit(&t.turn)
}
