package dialect

import "github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"

var geminiCLI = Dialect{
	Name: "gemini_cli", Title: "Gemini CLI",
	Source: "google-gemini/gemini-cli docs/cli/telemetry.md @04bcbc6; public field reference of 2026-10-04",
	Detect: Detect{Scopes: []string{"gemini-cli"}, Services: []string{"gemini-cli"}, Events: []string{"gemini_cli.*"}},
	Keys: []Key{
		{From: "session.id", To: Conversation},
		{From: "model", To: RequestModel},
		{From: "function_name", To: ToolName},
		{From: "function_args", To: ToolArguments},
		{From: "mcp_server_name", To: ServerName},
		{From: "agent_name", To: AgentName},
		{From: "input_token_count", To: InputTokens},
		{From: "output_token_count", To: OutputTokens},
		{From: "cached_content_token_count", To: CacheRead},
		{From: "thoughts_token_count", To: Reasoning},
		{From: "finish_reasons", To: FinishReasons},
		{From: "error_type", To: RawFlag},
		{From: "prompt", To: RawInput},
		{From: "request_text", To: RawInput},
	},
	Finish: func(s *Span) {
		if !s.IsLog {
			s.operationOf(geminiOperations[s.Name])
		}
		s.Move(ErrorType, RawFlag)
		if s.Has(ServerName) && s.Has(ToolName) {
			s.SetText(ToolType, mcpconv.ToolTypeMCP)
		}
		s.Convert(InputMessages, RawInput, "user")
	},
	Notes: []string{"`gen_ai.operation.name` is replaced: `agent_call` is `invoke_agent`, `llm_call` is `chat`, `tool_call` is `execute_tool`; that of other spans is removed. `mcp.dialect.operation` keeps it."},
}

var geminiOperations = map[string]string{
	"agent_call": mcpconv.OperationAgent, "llm_call": mcpconv.OperationChat, "tool_call": mcpconv.OperationTool,
}
