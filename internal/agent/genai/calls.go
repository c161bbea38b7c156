package genai

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// modelCall is a call of a language model. Whether the agent tries again what failed
// is not reported: if it does not, its invocation fails.
func (t *Telemetry) modelCall(s ptrace.Span) {
	d := &t.Draft
	n := &d.SelfReport.Native
	u := event.ModelUse{
		ID: d.Text("gen_ai.response.id"), ResponseID: d.Text("gen_ai.response.id"),
		Model: d.Text(mcpconv.GenAIRequestModel), Answered: d.Text(mcpconv.GenAIResponseModel),
		Provider: cmp.Or(d.Text("gen_ai.provider.name"), d.Text("gen_ai.system")), Start: n.Start, End: n.End,
		FirstToken: d.Seconds("gen_ai.response.time_to_first_chunk"), Finish: d.First(mcpconv.GenAIFinishReasons),
		Input: d.JSON(mcpconv.GenAIInputMessages), Output: d.JSON(mcpconv.GenAIOutputMessages),
	}
	u.Usage, u.HasUsage = t.usage()
	u.Cost, u.HasCost = d.Cost(mcpconv.LLMCost)
	d.Facts.Model = cmp.Or(u.Model, u.Answered)
	t.model = event.ModelEnded{SelfReport: d.SelfReport, Use: u}
	var status string
	if t.model.Failed, t.model.Type, status = t.failure(s); t.model.Failed {
		t.model.Text, t.model.Status, t.model.Retries = status, d.Count(mcpconv.HTTPStatus), true
	}
	d.Emit(&t.model)
}

// usage are the tokens, by the names of all versions of the conventions.
func (t *Telemetry) usage() (u event.Usage, known bool) {
	d := &t.Draft
	input, hasInput := t.either(mcpconv.GenAIUsageInput, "gen_ai.usage.prompt_tokens")
	output, hasOutput := t.either(mcpconv.GenAIUsageOutput, "gen_ai.usage.completion_tokens")
	u = event.Usage{Input: input, Output: output, CacheRead: d.Count(mcpconv.GenAIUsageCacheRead)}
	u.CacheWrite, _ = t.either(mcpconv.GenAIUsageCacheWrite, mcpconv.GenAIUsageCacheCreation)
	u.Reasoning, _ = t.either(mcpconv.GenAIUsageReasoning, "gen_ai.usage.reasoning_tokens")
	return u, hasInput || hasOutput
}

func (t *Telemetry) either(key, former string) (n int64, known bool) {
	if n, known = t.Draft.Counted(key); known {
		return n, true
	}
	return t.Draft.Counted(former)
}

// toolCall is a call of a tool. A client's or a server's of MCP is seen on the wire: the
// agent may have called the tool too. The server repeats what its client says.
func (t *Telemetry) toolCall(s ptrace.Span) {
	d := &t.Draft
	n := &d.SelfReport.Native
	use := event.ToolUse{
		ID: d.Quoted(mcpconv.GenAIToolCallID), Tool: d.Quoted(mcpconv.GenAIToolName),
		Input: d.JSON(mcpconv.GenAIToolArguments), Output: d.JSON(mcpconv.GenAIToolResult),
		Server: d.Text(mcpconv.ServerName), Start: n.Start, End: n.End,
	}
	if use.Server != "" {
		use.Name = use.Tool.Str()
	}
	if use.OnWire = d.Has(mcpconv.MethodName); use.OnWire && s.Kind() == ptrace.SpanKindServer && !n.Parent.IsZero() {
		return
	}
	t.tool = event.ToolEnded{SelfReport: d.SelfReport, Use: use}
	t.tool.Failed, t.tool.Use.ErrorType, t.tool.Text = t.failure(s)
	d.Emit(&t.tool)
}
