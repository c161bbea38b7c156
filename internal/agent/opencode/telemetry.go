package opencode

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// TelemetryService is opencode's service.name, and the name of its scope.
const TelemetryService = "opencode"

// Telemetry decodes what opencode sends over OTLP with experimental.openTelemetry:
// the spans of the AI SDK in it report calls of models and tools, all others its own
// machinery, and log records sessions, sub-agents and turns. The zero value is ready. It is not safe for concurrent use, and a
// report is valid until the next one.
type Telemetry struct {
	draft otlp.Draft

	sessionStarted event.SessionStarted
	agentStarted   event.AgentStarted
	agentEnded     event.AgentEnded
	prompt         event.PromptSubmitted
	modelEnded     event.ModelEnded
	turn           event.TurnEnded
	toolEnded      event.ToolEnded
	toolDenied     event.ToolDenied
}

// Span reads a span.
func (t *Telemetry) Span(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	d := &t.draft
	d.Span(mcpconv.OpenCode, s)
	d.Report.Session = cmp.Or(d.Text(mcpconv.SessionID), d.Text("ai.telemetry.metadata.sessionId"))
	d.Facts.Version = otlp.String(from.Resource, "service.version")
	switch name := s.Name(); {
	case !strings.HasPrefix(name, "ai."):
		d.Report.Internal = from.Scope == TelemetryService // a plugin's spans are its user's
	case name == "ai.toolCall":
		t.toolCall(s)
	case strings.HasSuffix(name, ".doStream"), strings.HasSuffix(name, ".doGenerate"):
		t.modelCall(s)
	default: // around the calls of a model, whose usage it repeats
		d.Report.Umbrella = true
	}
	return d.Done()
}

// modelCall is a call of the model. Unlike opencode's own counts, its tokens are as
// the semantic conventions count them. It has no ID: the plugin has another one.
func (t *Telemetry) modelCall(s ptrace.Span) {
	d := &t.draft
	n := &d.SelfReport.Native
	u := event.ModelUse{
		ResponseID: d.Text("ai.response.id"),
		Model:      d.Text("ai.model.id"), Answered: d.Text("ai.response.model"), Provider: providerOf(d.Text("ai.model.provider")),
		Start: n.Start, End: n.End, FirstToken: d.Millis("ai.response.msToFirstChunk"), Finish: d.Text("ai.response.finishReason"),
		Input: d.JSON("ai.prompt.messages"), Output: cmp.Or(d.Quoted("ai.response.text"), d.JSON("ai.response.toolCalls")),
		Purpose: d.Text("ai.telemetry.functionId"), Aside: t.aside(),
	}
	input, hasInput := d.Counted("ai.usage.inputTokens")
	output, hasOutput := d.Counted("ai.usage.outputTokens")
	u.Usage = event.Usage{
		Input: input, Output: output, CacheRead: d.Count("ai.usage.cachedInputTokens"), Reasoning: d.Count("ai.usage.reasoningTokens"),
		CacheWrite: d.Count("ai.usage.inputTokenDetails.cacheWriteTokens"),
	}
	u.HasUsage = hasInput || hasOutput
	t.modelEnded = event.ModelEnded{Use: u}
	if kind, text, failed := failure(s); kind == "AbortError" {
		t.modelEnded.Interrupted = true
	} else if failed { // opencode tries again what may succeed
		t.modelEnded.Failed, t.modelEnded.Retries, t.modelEnded.Type, t.modelEnded.Text = true, true, kind, text
	}
	if !u.Aside {
		d.Facts.Model = u.Model
	}
	t.modelEnded.SelfReport = d.SelfReport
	d.Emit(&t.modelEnded)
	t.rest(&u)
}

// aside reports whether the call is a title's or summary's: these have no tools.
func (t *Telemetry) aside() bool {
	d := &t.draft
	return d.Has("ai.prompt.messages") && !d.Has("ai.prompt.tools")
}

// rest is a turn's end, if the model has nothing left to call.
func (t *Telemetry) rest(u *event.ModelUse) {
	d := &t.draft
	if u.Aside || u.Finish != "stop" && u.Finish != "length" && u.Finish != "content-filter" {
		return
	}
	t.turn = event.TurnEnded{SelfReport: d.SelfReport}
	t.turn.Native = event.Native{}
	d.Emit(&t.turn)
}

// providerOf returns who runs the model by a name of the AI SDK, which may have the kind
// of its interface behind it.
func providerOf(name string) string {
	first, rest, _ := strings.Cut(name, ".")
	switch {
	case first == "vertex", first == "google" && strings.HasPrefix(rest, "vertex"):
		return "gcp.vertex_ai"
	case first == "azure-openai":
		first = "azure"
	}
	return providers[first]
}

// toolCall is a call of a tool, or one that was refused.
func (t *Telemetry) toolCall(s ptrace.Span) {
	d := &t.draft
	n := &d.SelfReport.Native
	use := event.ToolUse{
		ID: d.Quoted("ai.toolCall.id"), Tool: d.Quoted("ai.toolCall.name"), Input: d.JSON("ai.toolCall.args"),
		Output: d.JSON("ai.toolCall.result"), Start: n.Start, End: n.End,
	}
	kind, text, failed := failure(s)
	if strings.HasPrefix(kind, "Permission") {
		use.Decision, use.Decider = "reject", person
		if kind == "PermissionDeniedError" {
			use.Decider = rule
		}
		t.toolDenied = event.ToolDenied{SelfReport: d.SelfReport, Use: use, Reason: text}
		d.Emit(&t.toolDenied)
		return
	}
	use.ErrorType = mcpconv.ToolErrorType(kind, "Error") // the class of all errors
	t.subAgent(&use, failed)
	t.toolEnded = event.ToolEnded{SelfReport: d.SelfReport, Use: use, Failed: failed, Text: text}
	d.Emit(&t.toolEnded)
}

// subAgent reads of the tool that starts one which session the sub-agent has. Its
// start comes too, for its spans may be older than all that told of it.
func (t *Telemetry) subAgent(use *event.ToolUse, failed bool) {
	d := &t.draft
	metadata := jsonrpc.Member(use.Output, "metadata")
	id := jsonrpc.Member(metadata, "sessionId")
	if use.Tool.Str() != "task" || id.Str() == "" || jsonrpc.Member(metadata, "parentSessionId").Str() != d.Report.Session {
		return
	}
	agent := event.SubAgent{
		ID: id, Type: jsonrpc.Member(use.Input, "subagent_type"), Task: jsonrpc.Member(use.Input, "description"),
	}
	if failed {
		agent.Outcome = `"error"`
	}
	began := d.At(use.Start)
	began.Native = event.Native{}
	t.agentStarted = event.AgentStarted{SelfReport: began, Agent: agent}
	t.agentEnded = event.AgentEnded{SelfReport: d.SelfReport, Agent: agent}
	t.agentEnded.Native = event.Native{}
	d.Emit(&t.agentStarted)
	d.Emit(&t.agentEnded)
}

// failure is the exception by which a span failed.
func failure(s ptrace.Span) (kind, text string, failed bool) {
	if s.Status().Code() != ptrace.StatusCodeError {
		return "", "", false
	}
	for _, e := range s.Events().All() {
		if e.Name() == "exception" {
			kind = otlp.String(e.Attributes(), "exception.type")
		}
	}
	return kind, s.Status().Message(), true
}
