package dialect

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// geminiCLI is the dialect of Gemini CLI.
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
			SetOperation(s, geminiOperations[s.Name])
			switch s.Name {
			case "agent_call":
				s.Repeats = mcpconv.RepeatsCall
			case "tool_call":
				geminiPayloads(s)
			}
		}
		s.Move(ErrorType, RawFlag)
		if s.Has(ServerName) && s.Has(ToolName) {
			s.SetText(ToolType, mcpconv.ToolTypeMCP)
		}
		s.Convert(InputMessages, RawInput, "user")
	},
	Notes: []string{
		"`gen_ai.operation.name` is replaced: `agent_call` is `invoke_agent`, `llm_call` is `chat`, `tool_call` is `execute_tool`; that of other spans is removed. `mcp.dialect.operation` keeps it.",
		"`agent_call` repeats the sub-agent's call that the log records `agent.start` and `agent.finish` report: it gets `mcp.dialect.repeats=call`.",
		"`gen_ai.input.messages` and `gen_ai.output.messages` of a `tool_call` are the request of a tool and its answer: arguments and result are taken out of them.",
	},
}

// geminiPayloads takes arguments and result out of what a span of a tool has as messages.
func geminiPayloads(s *Span) {
	request, answer := messages.Valid(s.JSON(InputMessages)), messages.Valid(s.JSON(OutputMessages))
	s.AddText(ToolArguments, string(messages.Member(request, "args")))
	s.AddText(ToolResult, messages.Member(messages.Member(answer, "response"), "resultDisplay").Text())
}

var geminiOperations = map[string]string{
	"agent_call": mcpconv.OperationAgent, "llm_call": mcpconv.OperationChat, "tool_call": mcpconv.OperationTool,
}
