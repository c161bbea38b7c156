package agents

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// GeminiCLI is the dialect of Gemini CLI.
var GeminiCLI = dialect.Dialect{
	Name: "gemini_cli", Title: "Gemini CLI",
	Source: "google-gemini/gemini-cli docs/cli/telemetry.md @04bcbc6; public field reference of 2026-10-04",
	Detect: dialect.Detect{Scopes: []string{"gemini-cli"}, Services: []string{"gemini-cli"}, Events: []string{"gemini_cli.*"}},
	Keys: []dialect.Key{
		{From: "session.id", To: dialect.Conversation},
		{From: "model", To: dialect.RequestModel},
		{From: "function_name", To: dialect.ToolName},
		{From: "function_args", To: dialect.ToolArguments},
		{From: "mcp_server_name", To: dialect.ServerName},
		{From: "agent_name", To: dialect.AgentName},
		{From: "input_token_count", To: dialect.InputTokens},
		{From: "output_token_count", To: dialect.OutputTokens},
		{From: "cached_content_token_count", To: dialect.CacheRead},
		{From: "thoughts_token_count", To: dialect.Reasoning},
		{From: "finish_reasons", To: dialect.FinishReasons},
		{From: "error_type", To: dialect.RawFlag},
		{From: "prompt", To: dialect.RawInput},
		{From: "request_text", To: dialect.RawInput},
	},
	Finish: func(s *dialect.Span) {
		if !s.IsLog {
			dialect.SetOperation(s, geminiOperations[s.Name])
			switch s.Name {
			case "agent_call":
				s.Repeats = mcpconv.RepeatsCall
			case "tool_call":
				geminiPayloads(s)
			}
		}
		s.Move(dialect.ErrorType, dialect.RawFlag)
		if s.Has(dialect.ServerName) && s.Has(dialect.ToolName) {
			s.SetText(dialect.ToolType, mcpconv.ToolTypeMCP)
		}
		s.Convert(dialect.InputMessages, dialect.RawInput, "user")
	},
	Notes: []string{
		"`gen_ai.operation.name` is replaced: `agent_call` is `invoke_agent`, `llm_call` is `chat`, `tool_call` is `execute_tool`; that of other spans is removed. `mcp.dialect.operation` keeps it.",
		"`agent_call` repeats the sub-agent's call that the log records `agent.start` and `agent.finish` report: it gets `mcp.dialect.repeats=call`.",
		"`gen_ai.input.messages` and `gen_ai.output.messages` of a `tool_call` are the request of a tool and its answer: arguments and result are taken out of them.",
	},
}

// geminiPayloads takes arguments and result out of what a span of a tool has as messages.
func geminiPayloads(s *dialect.Span) {
	request, answer := messages.Valid(s.JSON(dialect.InputMessages)), messages.Valid(s.JSON(dialect.OutputMessages))
	s.AddText(dialect.ToolArguments, string(messages.Member(request, "args")))
	s.AddText(dialect.ToolResult, messages.Member(messages.Member(answer, "response"), "resultDisplay").Text())
}

var geminiOperations = map[string]string{
	"agent_call": mcpconv.OperationAgent, "llm_call": mcpconv.OperationChat, "tool_call": mcpconv.OperationTool,
}
