package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

var mastra = Dialect{
	Name: "mastra", Title: "Mastra",
	Source: "mastra-ai/mastra, OpenTelemetry exporter",
	Detect: Detect{Keys: []string{"mastra.span.type"}},
	Keys: []Key{
		{From: "mastra.span.type", To: RawKind},
		{From: "mastra.agent_run.input", To: RawInput},
		{From: "mastra.agent_run.output", To: RawOutput},
		{From: "mastra.model_generation.input", To: RawInput},
		{From: "mastra.model_generation.output", To: RawOutput},
		{From: "mastra.tool_call.input", To: RawInput},
		{From: "mastra.tool_call.output", To: RawOutput},
		{From: "mastra.mcp_tool_call.input", To: RawInput},
		{From: "mastra.mcp_tool_call.output", To: RawOutput},
		{From: "mastra.workflow_run.input", To: RawInput},
		{From: "mastra.workflow_run.output", To: RawOutput},
	},
	Finish: finishMastra,
	Notes: []string{
		"`gen_ai.operation.name` is the type of the span. It is replaced: `agent_run` is `invoke_agent`, `workflow_run` is `invoke_workflow`, `model_generation` is `chat`, those of tools are `execute_tool`. Steps and chunks get none.",
	},
}

func finishMastra(s *Span) {
	kind := s.Text(RawKind)
	switch {
	case strings.Contains(kind, "tool"):
		setOperation(s, mcpconv.OperationTool)
		s.Move(ToolArguments, RawInput)
		s.Move(ToolResult, RawOutput)
		if strings.HasPrefix(kind, "mcp_") {
			s.AddText(ToolType, mcpconv.ToolTypeMCP)
		}
	case kind == "agent_run":
		setOperation(s, mcpconv.OperationAgent)
	case kind == "workflow_run":
		setOperation(s, mcpconv.OperationWorkflow)
	case kind == "model_generation":
		setOperation(s, mcpconv.OperationChat)
	default:
		setOperation(s, "")
		if strings.HasPrefix(kind, "model_") {
			s.Repeats = mcpconv.RepeatsUsage
		}
		return
	}
	if s.Text(Operation) != mcpconv.OperationTool {
		s.Convert(InputMessages, RawInput, "user")
		s.Convert(OutputMessages, RawOutput, "assistant")
	}
	s.Use(RawKind)
}
