package geminicli

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// What Gemini CLI's own telemetry is recognised by.
const (
	TelemetryScope   = "gemini-cli"  // name of its scopes
	TelemetryService = "gemini-cli"  // service.name
	TelemetryPrefix  = "gemini_cli." // begins event.name, with few exceptions
)

// Telemetry decodes the events and spans that Gemini CLI sends over OTLP
// (docs/cli/telemetry.md of its sources, as of 0.61). The zero value is ready.
// What a call of a model used is reported by events only: spans leave thoughts and
// the cache out.
type Telemetry struct {
	draft otlp.Draft

	sessionStarted event.SessionStarted
	sessionEnded   event.SessionEnded
	prompt         event.PromptSubmitted
	turn           event.TurnEnded
	model          event.ModelEnded
	toolEnded      event.ToolEnded
	toolDenied     event.ToolDenied
	agentStarted   event.AgentStarted
	agentEnded     event.AgentEnded
	compacted      event.CompactionEnded
}

// Log reads one event.
func (t *Telemetry) Log(from *otlp.Origin, r plog.LogRecord) *otlp.Report {
	d := &t.draft
	name := otlp.String(r.Attributes(), "event.name")
	d.Log(mcpconv.GeminiCLI, r, name)
	d.Report.Session = cmp.Or(d.Text("session.id"), otlp.String(from.Resource, "session.id"))
	d.SelfReport.Turn = t.promptID()
	t.log(strings.TrimPrefix(name, TelemetryPrefix))
	return d.Done()
}

// promptID is the id of the turn. That of a prompt to a sub-agent is no turn's.
func (t *Telemetry) promptID() string {
	if t.subAgent() != "" {
		return ""
	}
	return t.draft.Text("prompt_id")
}

// subAgent is the id of the sub-agent that the event is about, "" the main thread:
// ids of prompts are {sub-agent}#{turn}, and {session}########{turn} or {session}
// of the main thread.
func (t *Telemetry) subAgent() string {
	d := &t.draft
	id, turn, found := strings.Cut(d.Text("prompt_id"), "#")
	if !found || id == d.Report.Session || strings.HasPrefix(turn, "#") {
		return ""
	}
	return id
}

// log reads the event of that name. Events that are not listed only pass, as does
// gen_ai.client.inference.operation.details: it repeats those of the API.
func (t *Telemetry) log(name string) {
	d := &t.draft
	switch name {
	case "config":
		d.Facts.Model = d.Text("model")
		t.sessionStarted.SelfReport = d.SelfReport
		d.Emit(&t.sessionStarted)
	case "end_session":
		t.ended()
	case "user_prompt":
		t.prompt = event.PromptSubmitted{SelfReport: d.SelfReport, Prompt: d.Quoted("prompt")}
		d.Emit(&t.prompt)
	case "conversation_finished":
		t.rested()
	case "api_response":
		t.answered()
	case "api_error":
		t.failed()
	case "tool_call":
		t.toolCall()
	case "agent.start", "agent.finish":
		t.agent(name == "agent.start")
	case "chat_compression":
		t.compressed()
	case "hook_call":
		t.hooked(d.Text("hook_event_name"))
	default:
		t.note(name)
	}
}

// note reports events that are of interest as they are.
func (t *Telemetry) note(name string) {
	switch name {
	case "network_retry_attempt", "chat.content_retry", "chat.content_retry_failure", "loop_detected", "flash_fallback",
		"plan.approval_mode_switch", "approval_mode_switch", "agent.recovery_attempt":
		t.draft.Emit(&t.draft.SelfReport)
	}
}

// hooked reports that a hook ran: without our own, the only sign of what it ran for.
func (t *Telemetry) hooked(name string) {
	switch name {
	case "AfterAgent":
		t.rested()
	case "SessionEnd":
		t.ended()
	}
}

func (t *Telemetry) rested() {
	t.turn = event.TurnEnded{SelfReport: t.draft.SelfReport}
	t.draft.Emit(&t.turn)
}

func (t *Telemetry) ended() {
	t.sessionEnded.SelfReport = t.draft.SelfReport
	t.draft.Emit(&t.sessionEnded)
}

// compressed: a compression that saves nothing has failed.
func (t *Telemetry) compressed() {
	d := &t.draft
	before, after := d.Count("tokens_before"), d.Count("tokens_after")
	t.compacted = event.CompactionEnded{SelfReport: d.SelfReport, Before: before, After: after, Failed: after >= before}
	d.Emit(&t.compacted)
}

// agent reports that a sub-agent started or finished.
func (t *Telemetry) agent(starts bool) {
	d := &t.draft
	a := event.SubAgent{ID: d.Quoted("agent_id"), Type: d.Quoted("agent_name")}
	if starts {
		t.agentStarted = event.AgentStarted{SelfReport: d.SelfReport, Agent: a}
		d.Emit(&t.agentStarted)
		return
	}
	if d.Has("duration_ms") {
		a.Duration = otlp.Decimal(float64(d.Millis("duration_ms")) / 1e9)
	}
	a.Outcome = outcomeOf(d.Text("terminate_reason"))
	t.agentEnded = event.AgentEnded{SelfReport: d.SelfReport, Agent: a}
	d.Emit(&t.agentEnded)
}

// outcomeOf is the outcome of a sub-agent that stopped for that reason, "" if a
// person stopped it.
func outcomeOf(reason string) event.JSON {
	switch reason {
	case "GOAL":
		return `"success"`
	case "TIMEOUT":
		return `"timeout"`
	case "ABORTED", "":
		return ""
	}
	return `"error"`
}

// Span reads one span. Those that schedule tools or run a sub-agent only pass.
func (t *Telemetry) Span(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	d := &t.draft
	d.Span(mcpconv.GeminiCLI, s)
	d.SelfReport.ThreadUnknown = true
	d.Report.Session = cmp.Or(d.Text("gen_ai.conversation.id"), otlp.String(from.Resource, "session.id"))
	switch s.Name() {
	case "llm_call":
		t.modelSpan(s)
	case "tool_call":
		t.toolSpan(s)
	}
	return d.Done()
}
