package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// codex is the dialect of Codex.
var codex = Dialect{
	Name: "codex", Title: "Codex",
	Source: "openai/codex codex-rs/otel; public field reference of 2026-10-04 (openai/codex @b8dceb0)",
	Detect: Detect{
		Scopes: []string{"codex_otel*"}, Events: []string{"codex.*"},
		Services: []string{
			"codex_cli_rs", "codex-cli", "codex-tui", "codex_exec", "codex_vscode", "codex_desktop", "codex_mcp_server",
			"codex_sdk_ts", "codex-app-server", "codex-app-server-sdk",
		},
	},
	Keys: []Key{
		{From: "conversation.id", To: Conversation},
		{From: "thread.id", To: Conversation, As: readThread},
		{From: "user.account_id", To: UserID},
		{From: "model", To: RequestModel},
		{From: "provider_name", To: Provider, As: ReadProvider},
		{From: "tool_name", To: ToolName},
		{From: "tool.name", To: ToolName},
		{From: "call_id", To: ToolCallID},
		{From: "tool.call_id", To: ToolCallID},
		{From: "arguments", To: ToolArguments},
		{From: "output", To: ToolResult},
		{From: "mcp_server", To: ServerName},
		{From: "agent_name", To: AgentName},
		{From: "rpc.method", To: Method, As: ReadMethod},
		{From: "mcp.transport", To: Transport, As: ReadTransport},
		{From: "codex.mcp.error.code", To: StatusCode},
		{From: "input_token_count", To: InputTokens},
		{From: "output_token_count", To: OutputTokens},
		{From: "cached_token_count", To: CacheRead},
		{From: "cache_write_token_count", To: CacheWrite},
		{From: "reasoning_token_count", To: Reasoning},
		{From: "ttft_ms", To: FirstChunk, As: ReadMillis},
		{From: "usage.estimated_usd", To: Cost},
		{From: "prompt", To: RawInput},
		{From: "response", To: RawOutput},
	},
	Finish: func(s *Span) {
		switch {
		case s.IsLog:
		case s.Name == "turn", s.Name == "session_task.turn":
			s.SetText(Operation, mcpconv.OperationAgent)
			s.AddText(AgentName, mcpconv.Codex)
			s.Repeats = mcpconv.RepeatsUsage
		case s.Name == "handle_responses":
			s.Repeats = mcpconv.RepeatsUsage
		case s.Name == "mcp.tools.call":
			s.AddText(Method, mcpconv.MethodToolsCall)
			s.WantKind = ptrace.SpanKindClient
		}
		if s.Has(ToolName) {
			typeOfTool(s)
		}
		s.Convert(InputMessages, RawInput, "user")
		s.Convert(OutputMessages, RawOutput, "assistant")
	},
	Notes: []string{
		"`turn` is `invoke_agent`. The tokens of `turn` and `handle_responses` repeat those of its log records: both are marked with `mcp.dialect.repeats=usage`.",
		"`mcp.tools.call` is the MCP call `tools/call` of a client.",
	},
}

// readThread reads the id of a conversation. Some spans have the number of a thread of
// the operating system under that key.
func readThread(s *Span, f Field, v pcommon.Value) {
	if v.Type() == pcommon.ValueTypeStr {
		s.AddText(f, v.Str())
	}
}

// typeOfTool writes the type for a tool of an MCP server if a server is known, else for the agent's own.
func typeOfTool(s *Span) {
	if s.Has(ServerName) {
		s.AddText(ToolType, mcpconv.ToolTypeMCP)
	} else {
		s.AddText(ToolType, mcpconv.ToolTypeFunction)
	}
}
