package dialect

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// inspector is the dialect of mcp-agent Inspector.
var inspector = Dialect{
	Name: "inspector", Title: "mcp-agent Inspector",
	Source: "lastmile-ai/mcp-agent Inspector telemetry specification; this project's receiver",
	Detect: Detect{
		Keys: []string{mcpconv.RPCMethod},
		Names: []string{
			mcpconv.SpanWorkflow, mcpconv.SpanTool, mcpconv.SpanLLM, mcpconv.SpanResource, mcpconv.SpanPrompt, mcpconv.SpanAgent,
		},
		With: []string{mcpconv.StatusCode},
	},
	Keys: []Key{
		{From: mcpconv.RPCMethod, To: Method},
		{From: mcpconv.RPCID, To: RequestID},
		{From: mcpconv.JSONRPCVersion, To: JSONRPCVersion},
		{From: mcpconv.ToolName, To: ToolName},
		{From: mcpconv.ToolCallID, To: ToolCallID},
		{From: mcpconv.ToolInput, To: ToolArguments},
		{From: mcpconv.ToolOutput, To: ToolResult},
		{From: mcpconv.AgentName, To: AgentName},
		{From: mcpconv.PromptTemplate, To: PromptName},
		{From: mcpconv.LLMModel, To: RequestModel},
		{From: mcpconv.LLMPrompt, To: RawInput},
		{From: mcpconv.LLMResponse, To: RawOutput},
		{From: mcpconv.LLMSystemPrompt, To: RawParams},
		{From: mcpconv.StopReason, To: FinishReasons},
		{From: mcpconv.SessionID, To: Conversation},
		{From: mcpconv.RPCTransport, To: Transport, As: ReadTransport},
		{From: mcpconv.WorkflowType, To: WorkflowName},
	},
	Finish: func(s *Span) {
		s.AddText(Operation, inspectorOperations[s.Name])
		s.Convert(InputMessages, RawInput, "user")
		s.Convert(OutputMessages, RawOutput, "assistant")
		s.Instructions(s.Text(RawParams))
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
