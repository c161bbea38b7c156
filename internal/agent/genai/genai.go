// Package genai decodes spans of agents that keep to OpenTelemetry's semantic
// conventions for generative AI (https://github.com/open-telemetry/semantic-conventions-genai,
// gen-ai-dev/1.42.0-dev, and v1.41 before it), and turns them into events of the
// conversation that they name.
package genai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// unnamed is an agent that reports no name.
const unnamed = "agent"

// Telemetry decodes spans by the conventions. The zero value is ready. It is not
// safe for concurrent use, and a report is valid until the next one.
type Telemetry struct {
	Draft otlp.Draft

	reader  dialect.Span
	said    pcommon.Map // what the span says, by the keys of the conventions
	outcome *outcome    // of a span that is read by its dialect, else nil

	prompt     event.PromptSubmitted
	turn       event.TurnEnded
	model      event.ModelEnded
	tool       event.ToolEnded
	agentEnded event.AgentEnded
	part       event.SpanOfTrace
}

// Log reads a log record: the conventions' events repeat what spans report.
func (t *Telemetry) Log(from *otlp.Origin, r plog.LogRecord) *otlp.Report {
	d := &t.Draft
	d.Log(AgentName(from), r, cmp.Or(r.EventName(), otlp.String(r.Attributes(), "event.name")))
	d.Report.Session = d.Text(mcpconv.GenAIConversation)
	return d.Done()
}

// Span reads a span.
func (t *Telemetry) Span(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	d := &t.Draft
	d.Span(AgentName(from), s)
	d.Report.Session = d.Text(mcpconv.GenAIConversation)
	d.Facts.Version = otlp.String(from.Resource, "service.version")
	t.Operation(s, Outermost(s))
	return d.Done()
}

// AgentName returns what an agent calls itself that is not known by a name of its own.
func AgentName(from *otlp.Origin) string {
	return cmp.Or(otlp.String(from.Resource, mcpconv.ServiceName), unnamed)
}

// What the flags of a span say of its parent.
const (
	knowsRemote = 0x100
	isRemote    = 0x200
)

// Outermost reports whether a span has no parent in its own process.
func Outermost(s ptrace.Span) bool {
	return s.ParentSpanID().IsEmpty() || s.Flags()&(knowsRemote|isRemote) == knowsRemote|isRemote
}

// Operation reads a span whose draft has begun, by its operation. An invocation of
// an agent is a turn if it is the outermost, else that of a sub-agent.
func (t *Telemetry) Operation(s ptrace.Span, outermost bool) {
	d := &t.Draft
	switch d.Text(mcpconv.GenAIOperation) {
	case mcpconv.OperationAgent, mcpconv.OperationWorkflow:
		d.Report.Umbrella = true
		if outermost {
			t.invocation(s)
		} else {
			t.subAgent(s)
		}
	case mcpconv.OperationChat, mcpconv.OperationComplete, mcpconv.OperationGenerate:
		t.modelCall(s)
	case mcpconv.OperationTool:
		t.toolCall(s)
	default:
		if d.Text(mcpconv.MethodName) == mcpconv.MethodToolsCall {
			t.toolCall(s)
		}
	}
}

// invocation is a turn from prompt to answer. What it used is not reported once more:
// the calls in it did that, and came before it.
func (t *Telemetry) invocation(s ptrace.Span) {
	d := &t.Draft
	d.Facts.Model = d.Text(mcpconv.GenAIRequestModel)
	t.prompt = event.PromptSubmitted{SelfReport: d.At(d.SelfReport.Native.Start), Prompt: asked(d.JSON(mcpconv.GenAIInputMessages))}
	d.Emit(&t.prompt)
	t.turn = event.TurnEnded{SelfReport: d.SelfReport, Certain: true}
	t.turn.Failed, t.turn.Type, t.turn.Text = t.failure(s)
	d.Emit(&t.turn)
}

// asked returns what a person said last, a JSON string, of the messages to an agent; the
// messages if none of them is a person's text.
func asked(messages event.JSON) event.JSON {
	var all []struct {
		Role  string `json:"role"`
		Parts []struct {
			Type    string `json:"type"`
			Content string `json:"content"`
		} `json:"parts"`
	}
	if json.Unmarshal([]byte(messages), &all) != nil {
		return messages
	}
	for _, m := range slices.Backward(all) {
		if m.Role != "user" {
			continue
		}
		var texts []string
		for _, part := range m.Parts {
			if part.Type == "text" && part.Content != "" {
				texts = append(texts, part.Content)
			}
		}
		if len(texts) > 0 {
			return otlp.Quote(strings.Join(texts, "\n"))
		}
	}
	return messages
}

// subAgent is an agent that another one invoked. What an instance is called is not
// reported but by its span.
func (t *Telemetry) subAgent(s ptrace.Span) {
	d := &t.Draft
	n := &d.SelfReport.Native
	agent := event.SubAgent{
		ID: otlp.Quote(n.Span.String()), Type: d.Quoted(mcpconv.GenAIAgentName),
		Model: d.Quoted(mcpconv.GenAIRequestModel), Duration: otlp.Decimal(float64(n.End-n.Start) / 1e9),
		Task: d.JSON(mcpconv.GenAIInputMessages),
	}
	if failed, _, _ := t.failure(s); failed {
		agent.Outcome = `"error"`
	}
	t.agentEnded = event.AgentEnded{SelfReport: d.SelfReport, Agent: agent}
	d.Emit(&t.agentEnded)
}

// failure returns how the operation failed. The Inspector's keys count where the status is unset.
func (t *Telemetry) failure(s ptrace.Span) (failed bool, kind, text string) {
	if o := t.outcome; o != nil {
		return o.failed, o.kind, o.text
	}
	d := &t.Draft
	kind = d.Text(mcpconv.ErrorType)
	code, status := d.Text(mcpconv.ErrorCode), d.Text(mcpconv.StatusCode)
	unset := s.Status().Code() == ptrace.StatusCodeUnset
	switch {
	case kind != "", s.Status().Code() == ptrace.StatusCodeError:
	case unset && (status == "error" || status == "" && code != ""):
	default:
		return false, "", ""
	}
	return true, cmp.Or(kind, code), cmp.Or(s.Status().Message(), d.Text(mcpconv.ErrorMessage))
}
