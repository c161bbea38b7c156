package genai

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// outcome is the end of a span's operation, by its dialect.
type outcome struct {
	failed     bool
	kind, text string
}

// figures are the facts that reports have. Payloads are not among them: the span has them.
var figures = []dialect.Field{
	dialect.Operation, dialect.Method, dialect.ToolName, dialect.ToolCallID, dialect.AgentName, dialect.WorkflowName, dialect.Conversation,
	dialect.Provider, dialect.RequestModel, dialect.ResponseModel, dialect.ResponseID, dialect.FinishReasons, dialect.FirstChunk,
	dialect.InputTokens, dialect.OutputTokens, dialect.CacheRead, dialect.CacheWrite, dialect.Reasoning, dialect.Cost, dialect.ServerName,
}

// Dialect reads a span of a dialect. It reads what the conventions have, whatever that is
// called there, and leaves the span as it is.
func (t *Telemetry) Dialect(from *otlp.Origin, s ptrace.Span, table *dialect.Table) *otlp.Report {
	d, r := &t.Draft, &t.reader
	r.NoMessages = true
	r.Name, r.Kind, r.Attributes.Map, r.Events = s.Name(), s.Kind(), s.Attributes(), s.Events()
	r.Status, r.Message = s.Status().Code(), s.Status().Message()
	table.Read(r)
	t.say()
	d.Span(AgentName(from), s)
	d.Attributes = otlp.Of(t.said)
	d.Report.Session = d.Text(mcpconv.GenAIConversation)
	d.Facts.Version = otlp.String(from.Resource, "service.version")
	if r.Repeats != mcpconv.RepeatsCall {
		t.outcome = &outcome{}
		if r.Failed || r.Status == ptrace.StatusCodeError && !r.ClientFault {
			*t.outcome = outcome{true, r.Text(dialect.ErrorType), r.ErrorText}
			if !r.ContentStatus {
				t.outcome.text = cmp.Or(s.Status().Message(), r.ErrorText)
			}
		}
		t.Operation(s, Outermost(s))
		t.outcome = nil
	}
	r.Reset()
	t.Draft.Report.Unchanged = true
	return t.framework(s)
}

// say writes what was read by the keys of the conventions.
func (t *Telemetry) say() {
	if t.said == (pcommon.Map{}) {
		t.said = pcommon.NewMap()
	}
	t.said.Clear()
	t.said.EnsureCapacity(len(figures))
	for _, f := range figures {
		if !t.reader.Has(f) || f >= dialect.InputTokens && f <= dialect.Reasoning && t.reader.Repeats == mcpconv.RepeatsUsage {
			continue
		}
		if text := t.reader.Text(f); text != "" {
			t.said.PutStr(dialect.Targets[f].Key, text)
		}
	}
}

// Conventional reads a span of the conventions.
func (t *Telemetry) Conventional(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	t.Span(from, s)
	d := &t.Draft
	d.Report.Unchanged = d.Report.Session == "" || d.Has(mcpconv.MethodName)
	return t.framework(s)
}

// framework finishes the report of a span whose session may be that of its trace alone.
func (t *Telemetry) framework(s ptrace.Span) *otlp.Report {
	d := &t.Draft
	t.part = event.SpanOfTrace{SelfReport: d.SelfReport, Root: s.ParentSpanID().IsEmpty()}
	d.Report.Framework = &t.part
	d.Emit(&t.part)
	return d.Done()
}
