package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// mastra is the dialect of Mastra.
var mastra = Dialect{
	Name: "mastra", Title: "Mastra",
	Source: "@mastra/otel-exporter 1.4.0, and the exporter before it",
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
		{From: "mastra.model_inference.input", To: RawInput},
		{From: "mastra.model_inference.output", To: RawOutput},
		{From: "mastra.client_tool_call.input", To: RawInput},
		{From: "mastra.client_tool_call.output", To: RawOutput},
		{From: "mastra.provider_tool_call.input", To: RawInput},
		{From: "mastra.provider_tool_call.output", To: RawOutput},
		{From: "mastra.mcp_server_request.input", To: RawInput},
		{From: "mastra.mcp_server_request.output", To: RawOutput},
		{From: "mastra.workflow_run.input", To: RawInput},
		{From: "mastra.workflow_run.output", To: RawOutput},
		{From: "gen_ai.tool.type", To: ToolType, As: ReadToolClass},
		{From: "mastra.mcp_tool_call.server_name", To: ServerName},
		{From: "mastra.mcp_tool_call.server_version", To: ServerVersion},
		{From: "mastra.mcp_server_request.server_name", To: ServerName},
		{From: "mastra.mcp_server_request.server_version", To: ServerVersion},
		{From: "mastra.mcp_server_request.client_name", To: ClientName},
		{From: "mastra.mcp_server_request.client_version", To: ClientVersion},
		{From: "mastra.mcp_server_request.target_name", To: RawID},
	},
	Finish: finishMastra,
	Notes: []string{
		"`gen_ai.operation.name` is the type of the span, or was before @mastra/otel-exporter 1.4. It is replaced: `agent_run` is `invoke_agent`, `workflow_run` is `invoke_workflow`, `model_inference` is `chat`, those of tools are `execute_tool`. Steps and chunks get none.",
		"`model_generation` is `chat` if it has the model. Else it is the loop around calls of a model that have spans of their own, and gets no operation.",
		"`mcp_server_request` is a request that a server of Mastra answers: its target is the tool or the prompt.",
		"`gen_ai.tool.type` is none of the conventions': it becomes `extension` for an `mcp_tool_call`, else `function`.",
	},
}

func finishMastra(s *Span) {
	kind := s.Text(RawKind)
	switch {
	case strings.Contains(kind, "tool"):
		mastraTool(s, kind)
	case kind == "mcp_server_request":
		mastraRequest(s)
	case kind == "agent_run":
		SetOperation(s, mcpconv.OperationAgent)
	case kind == "workflow_run":
		SetOperation(s, mcpconv.OperationWorkflow)
	case kind == "model_inference", kind == "model_generation" && s.Has(RequestModel):
		SetOperation(s, mcpconv.OperationChat)
	case kind == "rag_embedding":
		SetOperation(s, mcpconv.OperationEmbed)
	default:
		SetOperation(s, "")
		if strings.HasPrefix(kind, "model_") && (s.Has(InputTokens) || s.Has(OutputTokens)) {
			s.Repeats = mcpconv.RepeatsUsage
		}
		return
	}
	switch s.Text(Operation) {
	case mcpconv.OperationAgent, mcpconv.OperationWorkflow, mcpconv.OperationChat:
		s.Convert(InputMessages, RawInput, "user")
		s.Convert(OutputMessages, RawOutput, "assistant")
	}
	s.Use(RawKind)
}

func mastraTool(s *Span, kind string) {
	SetOperation(s, mcpconv.OperationTool)
	s.Move(ToolArguments, RawInput)
	s.Move(ToolResult, RawOutput)
	if strings.HasPrefix(kind, "mcp_") {
		if s.Has(ToolType) && s.Text(ToolType) != mcpconv.ToolTypeMCP {
			s.Replace(ToolType, mcpconv.ToolTypeMCP)
		}
		s.AddText(ToolType, mcpconv.ToolTypeMCP)
	}
}

// mastraRequest is a request that a server answers.
func mastraRequest(s *Span) {
	s.WantKind = ptrace.SpanKindServer
	switch s.Text(Method) {
	case mcpconv.MethodToolsCall:
		s.AddText(ToolName, s.Text(RawID))
		s.Move(ToolArguments, RawInput)
		s.Move(ToolResult, RawOutput)
		SetOperation(s, mcpconv.OperationTool)
	case mcpconv.MethodPromptsGet:
		s.AddText(PromptName, s.Text(RawID))
		SetOperation(s, "")
	default:
		SetOperation(s, "")
	}
	s.Use(RawID)
	MarkClientFault(s)
}
