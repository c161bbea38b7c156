package codex

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

// What Codex's own telemetry is recognised by.
const (
	TelemetryScope   = "codex_otel" // begins the names of the scopes of its events
	TelemetryService = "codex"      // begins service.name: codex_exec, codex_cli_rs, codex-app-server
	TelemetryPrefix  = "codex."     // begins event.name
)

// redacted stands for content that Codex was not told to send.
const redacted = "[REDACTED]"

// Telemetry decodes the events and spans that Codex sends over OTLP (as of 0.169).
// The zero value is ready. A sub-agent is a session of its own there, whose id is
// that of the sub-agent. Calls of models are reported by events only: the spans
// around them have neither tokens nor a model.
type Telemetry struct {
	draft otlp.Draft

	sessionStarted event.SessionStarted
	prompt         event.PromptSubmitted
	turn           event.TurnEnded
	used           event.TurnUsed
	modelStarted   event.ModelStarted
	modelEnded     event.ModelEnded
	toolStarted    event.ToolStarted
	toolEnded      event.ToolEnded
	toolDenied     event.ToolDenied
	agentStarted   event.AgentStarted
	agentEnded     [4]event.AgentEnded
}

// Log reads one event. Events have no time, no body, and the name of a line of
// source as their own: all is in attributes, and most numbers are strings.
func (t *Telemetry) Log(from *otlp.Origin, r plog.LogRecord) *otlp.Report {
	d := &t.draft
	name := otlp.String(r.Attributes(), "event.name")
	d.Log(mcpconv.Codex, r, name)
	d.Report.Session = d.Text("conversation.id")
	d.Facts.Version = cmp.Or(d.Text("app.version"), otlp.String(from.Resource, "service.version"))
	d.Facts.Model = d.Text("model")
	d.SelfReport.Turn = d.Text("turn.id")
	t.log(strings.TrimPrefix(name, TelemetryPrefix))
	return d.Done()
}

// log reads the event of that name. Events that are not listed only pass.
func (t *Telemetry) log(name string) {
	d := &t.draft
	switch name {
	case "conversation_starts":
		d.Facts.Window = d.Count("context_window")
		t.sessionStarted = event.SessionStarted{SelfReport: d.SelfReport, Internal: titles(d)}
		d.Emit(&t.sessionStarted)
	case "user_prompt":
		t.prompted()
	case "api_request", "websocket_request":
		t.requested()
	case "sse_event":
		t.streamed()
	case "tool_decision":
		t.decided()
	case "tool_result":
		t.toolResult()
	case "turn_cost":
		t.cost()
	case "skill_invocation", "guardian_assessment":
		d.Emit(&d.SelfReport)
	}
}

// titles reports whether the conversation that starts is one in which Codex looks for a title
// of another: its terminal program has a server of its own, of which that has none.
func titles(d *otlp.Draft) bool {
	return d.Text("originator") == "codex-tui" && d.Has("mcp_servers") && d.Text("mcp_servers") == ""
}

func (t *Telemetry) prompted() {
	d := &t.draft
	t.prompt = event.PromptSubmitted{SelfReport: d.SelfReport}
	if text := d.Text("prompt"); text != redacted {
		t.prompt.Prompt = otlp.Quoted(text)
	}
	d.Emit(&t.prompt)
}

// cost reports the cost of a turn, minutes later and on a subscription only.
func (t *Telemetry) cost() {
	d := &t.draft
	t.used = event.TurnUsed{SelfReport: d.SelfReport}
	t.used.Cost, t.used.HasCost = d.Cost("usage.estimated_usd")
	if t.used.HasCost {
		d.Emit(&t.used)
	}
}

// Span reads one span. All but those of turns and of tool calls are Codex's own
// machinery.
func (t *Telemetry) Span(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	d := &t.draft
	d.Span(mcpconv.Codex, s)
	d.Report.Session = sessionOfSpan(s)
	d.Facts.Version = otlp.String(from.Resource, "service.version")
	d.SelfReport.Turn = d.Text("turn.id")
	switch {
	case s.Name() == "session_task.turn" || s.Name() == "turn":
		t.turnSpan()
	case s.Name() == "mcp.tools.call":
		t.mcpSpan()
	case d.Has("codex.tool.phase") && d.Has("call_id") && !strings.HasPrefix(d.Text("tool_name"), "mcp__"):
		t.toolSpan(s)
	default:
		d.Report.Internal = true
	}
	return d.Done()
}

// sessionOfSpan is the session of a span. Spans also have a thread.id that is the
// number of a thread of the operating system, some of them both.
func sessionOfSpan(s ptrace.Span) string {
	if id := otlp.String(s.Attributes(), "conversation.id"); id != "" {
		return id
	}
	for key, v := range s.Attributes().All() {
		if key == "thread.id" && v.Type() == pcommon.ValueTypeStr {
			return v.Str()
		}
	}
	return ""
}

// turnSpan is a turn, from its prompt to its end. Its usage repeats that of the
// calls in it.
func (t *Telemetry) turnSpan() {
	d := &t.draft
	d.Report.Umbrella = true
	d.Facts.Model = d.Text("model")
	t.prompt = event.PromptSubmitted{SelfReport: d.At(d.SelfReport.Native.Start)}
	t.turn = event.TurnEnded{SelfReport: d.SelfReport}
	t.used = event.TurnUsed{SelfReport: d.SelfReport, Usage: event.Usage{
		Input: d.Count(usagePrefix + "input_tokens"), Output: d.Count(usagePrefix + "output_tokens"),
		CacheRead:  d.Count(usagePrefix + "cached_input_tokens"),
		CacheWrite: d.Count(usagePrefix + "cache_write_input_tokens"),
		Reasoning:  d.Count(usagePrefix + "reasoning_output_tokens"),
	}}
	d.Emit(&t.prompt)
	if t.used.Usage != (event.Usage{}) {
		d.Emit(&t.used)
	}
	d.Emit(&t.turn)
}

const usagePrefix = "codex.turn.token_usage."
