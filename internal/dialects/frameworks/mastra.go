package frameworks

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Mastra is the dialect of Mastra.
var Mastra = dialect.Dialect{
	Name: "mastra", Title: "Mastra",
	Source: "@mastra/otel-exporter 1.4.0, and the exporter before it",
	Detect: dialect.Detect{Keys: []string{"mastra.span.type"}},
	Keys: []dialect.Key{
		{From: "mastra.span.type", To: dialect.RawKind},
		{From: "mastra.agent_run.input", To: dialect.RawInput},
		{From: "mastra.agent_run.output", To: dialect.RawOutput},
		{From: "mastra.model_generation.input", To: dialect.RawInput},
		{From: "mastra.model_generation.output", To: dialect.RawOutput},
		{From: "mastra.tool_call.input", To: dialect.RawInput},
		{From: "mastra.tool_call.output", To: dialect.RawOutput},
		{From: "mastra.mcp_tool_call.input", To: dialect.RawInput},
		{From: "mastra.mcp_tool_call.output", To: dialect.RawOutput},
		{From: "mastra.model_inference.input", To: dialect.RawInput},
		{From: "mastra.model_inference.output", To: dialect.RawOutput},
		{From: "mastra.client_tool_call.input", To: dialect.RawInput},
		{From: "mastra.client_tool_call.output", To: dialect.RawOutput},
		{From: "mastra.provider_tool_call.input", To: dialect.RawInput},
		{From: "mastra.provider_tool_call.output", To: dialect.RawOutput},
		{From: "mastra.mcp_server_request.input", To: dialect.RawInput},
		{From: "mastra.mcp_server_request.output", To: dialect.RawOutput},
		{From: "mastra.workflow_run.input", To: dialect.RawInput},
		{From: "mastra.workflow_run.output", To: dialect.RawOutput},
		{From: "gen_ai.tool.type", To: dialect.ToolType, As: dialect.ReadToolClass},
		{From: "mastra.mcp_tool_call.server_name", To: dialect.ServerName},
		{From: "mastra.mcp_tool_call.server_version", To: dialect.ServerVersion},
		{From: "mastra.mcp_server_request.server_name", To: dialect.ServerName},
		{From: "mastra.mcp_server_request.server_version", To: dialect.ServerVersion},
		{From: "mastra.mcp_server_request.client_name", To: dialect.ClientName},
		{From: "mastra.mcp_server_request.client_version", To: dialect.ClientVersion},
		{From: "mastra.mcp_server_request.target_name", To: dialect.RawID},
	},
	Finish: finishMastra,
	Notes: []string{
		"`gen_ai.operation.name` is the type of the span, or was before @mastra/otel-exporter 1.4. It is replaced: `agent_run` is `invoke_agent`, `workflow_run` is `invoke_workflow`, `model_inference` is `chat`, those of tools are `execute_tool`. Steps and chunks get none.",
		"`model_generation` is `chat` if it has the model. Else it is the loop around calls of a model that have spans of their own, and gets no operation.",
		"`mcp_server_request` is a request that a server of Mastra answers: its target is the tool or the prompt.",
		"`gen_ai.tool.type` is none of the conventions': it becomes `extension` for an `mcp_tool_call`, else `function`.",
	},
}

func finishMastra(s *dialect.Span) {
	kind := s.Text(dialect.RawKind)
	switch {
	case strings.Contains(kind, "tool"):
		mastraTool(s, kind)
	case kind == "mcp_server_request":
		mastraRequest(s)
	case kind == "agent_run":
		dialect.SetOperation(s, mcpconv.OperationAgent)
	case kind == "workflow_run":
		dialect.SetOperation(s, mcpconv.OperationWorkflow)
	case kind == "model_inference", kind == "model_generation" && s.Has(dialect.RequestModel):
		dialect.SetOperation(s, mcpconv.OperationChat)
	case kind == "rag_embedding":
		dialect.SetOperation(s, mcpconv.OperationEmbed)
	default:
		dialect.SetOperation(s, "")
		if strings.HasPrefix(kind, "model_") && (s.Has(dialect.InputTokens) || s.Has(dialect.OutputTokens)) {
			s.Repeats = mcpconv.RepeatsUsage
		}
		return
	}
	switch s.Text(dialect.Operation) {
	case mcpconv.OperationAgent, mcpconv.OperationWorkflow, mcpconv.OperationChat:
		s.Convert(dialect.InputMessages, dialect.RawInput, "user")
		s.Convert(dialect.OutputMessages, dialect.RawOutput, "assistant")
	}
	s.Use(dialect.RawKind)
}

func mastraTool(s *dialect.Span, kind string) {
	dialect.SetOperation(s, mcpconv.OperationTool)
	s.Move(dialect.ToolArguments, dialect.RawInput)
	s.Move(dialect.ToolResult, dialect.RawOutput)
	if strings.HasPrefix(kind, "mcp_") {
		if s.Has(dialect.ToolType) && s.Text(dialect.ToolType) != mcpconv.ToolTypeMCP {
			s.Replace(dialect.ToolType, mcpconv.ToolTypeMCP)
		}
		s.AddText(dialect.ToolType, mcpconv.ToolTypeMCP)
	}
}

// mastraRequest is a request that a server answers.
func mastraRequest(s *dialect.Span) {
	s.WantKind = ptrace.SpanKindServer
	switch s.Text(dialect.Method) {
	case mcpconv.MethodToolsCall:
		s.AddText(dialect.ToolName, s.Text(dialect.RawID))
		s.Move(dialect.ToolArguments, dialect.RawInput)
		s.Move(dialect.ToolResult, dialect.RawOutput)
		dialect.SetOperation(s, mcpconv.OperationTool)
	case mcpconv.MethodPromptsGet:
		s.AddText(dialect.PromptName, s.Text(dialect.RawID))
		dialect.SetOperation(s, "")
	default:
		dialect.SetOperation(s, "")
	}
	s.Use(dialect.RawID)
	dialect.MarkClientFault(s)
}
