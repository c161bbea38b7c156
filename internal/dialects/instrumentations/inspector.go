package instrumentations

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Inspector is the dialect of mcp-agent Inspector.
var Inspector = dialect.Dialect{
	Name: "inspector", Title: "mcp-agent Inspector",
	Source: "lastmile-ai/mcp-agent Inspector telemetry specification; this project's receiver",
	Detect: dialect.Detect{
		Keys: []string{mcpconv.RPCMethod},
		Names: []string{
			mcpconv.SpanWorkflow, mcpconv.SpanTool, mcpconv.SpanLLM, mcpconv.SpanResource, mcpconv.SpanPrompt, mcpconv.SpanAgent,
		},
		With: []string{mcpconv.StatusCode},
	},
	Keys: []dialect.Key{
		{From: mcpconv.RPCMethod, To: dialect.Method},
		{From: mcpconv.RPCID, To: dialect.RequestID},
		{From: mcpconv.JSONRPCVersion, To: dialect.JSONRPCVersion},
		{From: mcpconv.ToolName, To: dialect.ToolName},
		{From: mcpconv.ToolCallID, To: dialect.ToolCallID},
		{From: mcpconv.ToolInput, To: dialect.ToolArguments},
		{From: mcpconv.ToolOutput, To: dialect.ToolResult},
		{From: mcpconv.AgentName, To: dialect.AgentName},
		{From: mcpconv.PromptTemplate, To: dialect.PromptName},
		{From: mcpconv.LLMModel, To: dialect.RequestModel},
		{From: mcpconv.LLMPrompt, To: dialect.RawInput},
		{From: mcpconv.LLMResponse, To: dialect.RawOutput},
		{From: mcpconv.LLMSystemPrompt, To: dialect.RawParams},
		{From: mcpconv.StopReason, To: dialect.FinishReasons},
		{From: mcpconv.SessionID, To: dialect.Conversation},
		{From: mcpconv.RPCTransport, To: dialect.Transport, As: dialect.ReadTransport},
		{From: mcpconv.WorkflowType, To: dialect.WorkflowName},
	},
	Finish: func(s *dialect.Span) {
		s.AddText(dialect.Operation, inspectorOperations[s.Name])
		s.Convert(dialect.InputMessages, dialect.RawInput, "user")
		s.Convert(dialect.OutputMessages, dialect.RawOutput, "assistant")
		s.Instructions(s.Text(dialect.RawParams))
	},
	Notes: []string{
		"The operation is that of the span's name: `workflow.run` is `invoke_workflow`, `agent.call` is `invoke_agent`, `llm.generate` is `chat`, `tool.call` is `execute_tool`.",
		"`mcp.status.code=error` on a span with an unset status makes it Error.",
		"Spans of this project's own receiver and connector have the keys of both conventions already: they are not read.",
	},
}

var inspectorOperations = map[string]string{
	mcpconv.SpanWorkflow: mcpconv.OperationWorkflow, mcpconv.SpanAgent: mcpconv.OperationAgent, mcpconv.SpanLLM: mcpconv.OperationChat,
	mcpconv.SpanTool: mcpconv.OperationTool,
}
