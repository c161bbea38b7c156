package agents

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Codex is the dialect of Codex.
var Codex = dialect.Dialect{
	Name: "codex", Title: "Codex",
	Source: "openai/codex codex-rs/otel; public field reference of 2026-10-04 (openai/codex @b8dceb0)",
	Detect: dialect.Detect{
		Scopes: []string{"codex_otel*"}, Events: []string{"codex.*"},
		Services: []string{
			"codex_cli_rs", "codex-cli", "codex-tui", "codex_exec", "codex_vscode", "codex_desktop", "codex_mcp_server",
			"codex_sdk_ts", "codex-app-server", "codex-app-server-sdk",
		},
	},
	Keys: []dialect.Key{
		{From: "conversation.id", To: dialect.Conversation},
		{From: "thread.id", To: dialect.Conversation, As: readThread},
		{From: "user.account_id", To: dialect.UserID},
		{From: "model", To: dialect.RequestModel},
		{From: "provider_name", To: dialect.Provider, As: dialect.ReadProvider},
		{From: "tool_name", To: dialect.ToolName},
		{From: "tool.name", To: dialect.ToolName},
		{From: "call_id", To: dialect.ToolCallID},
		{From: "tool.call_id", To: dialect.ToolCallID},
		{From: "arguments", To: dialect.ToolArguments},
		{From: "output", To: dialect.ToolResult},
		{From: "mcp_server", To: dialect.ServerName},
		{From: "agent_name", To: dialect.AgentName},
		{From: "rpc.method", To: dialect.Method, As: dialect.ReadMethod},
		{From: "mcp.transport", To: dialect.Transport, As: dialect.ReadTransport},
		{From: "codex.mcp.error.code", To: dialect.StatusCode},
		{From: "input_token_count", To: dialect.InputTokens},
		{From: "output_token_count", To: dialect.OutputTokens},
		{From: "cached_token_count", To: dialect.CacheRead},
		{From: "cache_write_token_count", To: dialect.CacheWrite},
		{From: "reasoning_token_count", To: dialect.Reasoning},
		{From: "ttft_ms", To: dialect.FirstChunk, As: dialect.ReadMillis},
		{From: "usage.estimated_usd", To: dialect.Cost},
		{From: "prompt", To: dialect.RawInput},
		{From: "response", To: dialect.RawOutput},
	},
	Finish: func(s *dialect.Span) {
		switch {
		case s.IsLog:
		case s.Name == "turn", s.Name == "session_task.turn":
			s.SetText(dialect.Operation, mcpconv.OperationAgent)
			s.AddText(dialect.AgentName, mcpconv.Codex)
			s.Repeats = mcpconv.RepeatsUsage
		case s.Name == "handle_responses":
			s.Repeats = mcpconv.RepeatsUsage
		case s.Name == "mcp.tools.call":
			s.AddText(dialect.Method, mcpconv.MethodToolsCall)
			s.WantKind = ptrace.SpanKindClient
		}
		if s.Has(dialect.ToolName) {
			typeOfTool(s)
		}
		s.Convert(dialect.InputMessages, dialect.RawInput, "user")
		s.Convert(dialect.OutputMessages, dialect.RawOutput, "assistant")
	},
	Notes: []string{
		"`turn` is `invoke_agent`. The tokens of `turn` and `handle_responses` repeat those of its log records: both are marked with `mcp.dialect.repeats=usage`.",
		"`mcp.tools.call` is the MCP call `tools/call` of a client.",
	},
}

// readThread reads the id of a conversation. Some spans have the number of a thread of
// the operating system under that key.
func readThread(s *dialect.Span, f dialect.Field, v pcommon.Value) {
	if v.Type() == pcommon.ValueTypeStr {
		s.AddText(f, v.Str())
	}
}

// typeOfTool is that of an MCP server's if a server is known, else the agent's own.
func typeOfTool(s *dialect.Span) {
	if s.Has(dialect.ServerName) {
		s.AddText(dialect.ToolType, mcpconv.ToolTypeMCP)
	} else {
		s.AddText(dialect.ToolType, mcpconv.ToolTypeFunction)
	}
}
