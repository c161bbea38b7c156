package claudecode

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// decided reports that a tool was allowed, and so begins, or that it was refused.
func (t *Telemetry) decided() {
	d := &t.draft
	use := t.toolUse()
	use.Decision, use.Decider = d.Text("decision"), d.Text("source")
	switch use.Decision {
	case "accept":
		use.Start = d.Report.Time
		t.toolStarted = event.ToolStarted{SelfReport: d.SelfReport, Use: use, Asks: asks(use.Tool.Str())}
		d.Emit(&t.toolStarted)
	case "reject":
		t.toolDenied = event.ToolDenied{SelfReport: d.SelfReport, Use: use, Reason: use.Decider}
		d.Emit(&t.toolDenied)
	}
}

// toolResult reports that a tool returned or failed.
func (t *Telemetry) toolResult() {
	d := &t.draft
	use := t.toolUse()
	use.Input = d.JSON("tool_input")
	use.Decision, use.Decider = d.Text("decision_type"), d.Text("decision_source")
	use.InSize, use.OutSize = d.Count("tool_input_size_bytes"), d.Count("tool_result_size_bytes")
	use.Duration = d.MillisText("duration_ms")
	use.End = d.Report.Time
	use.Start = otlp.Before(use.End, d.Millis("duration_ms"))
	t.endTool(&use)
}

// endTool is the end of a call whose success is reported.
func (t *Telemetry) endTool(use *event.ToolUse) {
	d := &t.draft
	ok, known := d.Bool("success")
	t.toolEnded = event.ToolEnded{SelfReport: d.SelfReport, Failed: known && !ok}
	if t.toolEnded.Failed {
		kind := cmp.Or(d.Text("error_type"), d.Text("error_class"))
		use.ErrorType, t.toolEnded.Text = mcpconv.ToolErrorType(kind, "McpToolCallError"), cmp.Or(d.Text("error"), kind)
	}
	t.toolEnded.Use = *use
	d.Emit(&t.toolEnded)
}

// toolUse reads what names a call. An event calls the tool of an MCP server mcp_tool,
// with its names apart if they may be sent. Hooks call it mcp__{server}__{tool}.
func (t *Telemetry) toolUse() event.ToolUse {
	d := &t.draft
	name := d.Text("tool_name")
	use := event.ToolUse{
		ID:   otlp.Quoted(cmp.Or(d.Text("tool_use_id"), d.Text("gen_ai.tool.call.id"))),
		Tool: otlp.Quoted(name), SubAgent: d.Quoted("agent_id"),
	}
	use.Server, use.Name = hook.SplitName(name)
	if server := d.Text("anthropic.mcp.server.name"); server != "" {
		use.Server, use.Name = server, d.Text("gen_ai.tool.name")
	}
	parameters := d.JSON("tool_parameters")
	if !parameters.IsObject() {
		return use
	}
	server, tool := jsonrpc.Member(parameters, "mcp_server_name").Str(), jsonrpc.Member(parameters, "mcp_tool_name").Str()
	if server == "" || tool == "" {
		return use
	}
	use.Server, use.Name = server, tool
	if name == "mcp_tool" {
		use.Tool = otlp.Quote("mcp__" + normal(server) + "__" + normal(tool))
	}
	return use
}

// normal is a name as Claude Code writes it in the name of a tool.
func normal(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// toolSpan is a call with the time in which a person was asked. It does not report
// whether the tool failed or was refused: events and hooks do.
func (t *Telemetry) toolSpan(s ptrace.Span) {
	d := &t.draft
	use := t.toolUse()
	use.Start, use.End = d.SelfReport.Native.Start, d.SelfReport.Native.End
	for _, e := range s.Events().All() {
		if e.Name() == "tool.output" {
			output := otlp.Of(e.Attributes())
			use.Output = output.JSON("output")
		}
	}
	t.endTool(&use)
}
