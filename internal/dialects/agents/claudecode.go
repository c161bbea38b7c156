package agents

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// ClaudeCode is the dialect of Claude Code.
var ClaudeCode = dialect.Dialect{
	Name: "claude_code", Title: "Claude Code",
	Source: "code.claude.com, monitoring-usage, as of v2.1.227",
	Detect: dialect.Detect{Scopes: []string{"com.anthropic.claude_code*"}, Events: []string{"claude_code.*"}, Names: []string{"claude_code.*"}},
	Keys: []dialect.Key{
		{From: "session.id", To: dialect.Conversation},
		{From: "model", To: dialect.RequestModel},
		{From: "tool_name", To: dialect.ToolName},
		{From: "tool_use_id", To: dialect.ToolCallID},
		{From: "tool_input", To: dialect.ToolArguments},
		{From: "tool_parameters", To: dialect.RawParams},
		{From: "mcp_server.name", To: dialect.ServerName},
		{From: "agent.name", To: dialect.AgentName},
		{From: "subagent_type", To: dialect.AgentName},
		{From: "input_tokens", To: dialect.InputTokens},
		{From: "output_tokens", To: dialect.OutputTokens},
		{From: "cache_read_tokens", To: dialect.CacheRead},
		{From: "cache_creation_tokens", To: dialect.CacheWrite},
		{From: "cost_usd", To: dialect.Cost},
		{From: "ttft_ms", To: dialect.FirstChunk, As: dialect.ReadMillis},
		{From: "user_prompt", To: dialect.RawInput},
		{From: "prompt", To: dialect.RawInput},
		{From: "response", To: dialect.RawOutput},
		{From: "error", To: dialect.RawMore},
		{From: "stop_reason", To: dialect.FinishReasons},
	},
	Finish: finishClaudeCode,
	Notes: []string{
		"The operation is that of the span's name: `claude_code.interaction` is `invoke_agent`, `llm_request` is `chat`, `tool` is `execute_tool`. `tool.execution` and `tool.blocked_on_user` are parts of a tool's span and get none.",
		"Input tokens become the sum of input, cache reads and cache writes, as the conventions count them.",
		"`mcp__server__tool` becomes the server and the tool.",
	},
}

// redacted stands for content that Claude Code was not told to send.
const redacted = "<REDACTED>"

func finishClaudeCode(s *dialect.Span) {
	if !s.IsLog {
		switch strings.TrimPrefix(s.Name, "claude_code.") {
		case "interaction":
			if strings.HasPrefix(s.Text(dialect.RawInput), "/compact") {
				break // a person's command, and no work of the agent
			}
			s.SetText(dialect.Operation, mcpconv.OperationAgent)
			s.AddText(dialect.AgentName, mcpconv.ClaudeCode)
		case "llm_request":
			s.SetText(dialect.Operation, mcpconv.OperationChat)
			s.AddText(dialect.Provider, "anthropic")
			s.SetText(dialect.RequestModel, s.Text(dialect.RequestModel))
		case "tool":
			s.SetText(dialect.Operation, mcpconv.OperationTool)
		case "tool.execution":
			s.Repeats = mcpconv.RepeatsCall
		}
	}
	parametersOfMCP(s)
	dialect.SplitMCP(s)
	if s.Has(dialect.ToolName) {
		s.AddText(dialect.ToolType, mcpconv.ToolTypeFunction)
	}
	dialect.WholeInput(s)
	for _, raw := range []dialect.Field{dialect.RawInput, dialect.RawOutput} {
		if s.Text(raw) == redacted {
			s.Drop(raw)
		}
	}
	s.Convert(dialect.InputMessages, dialect.RawInput, "user")
	s.Convert(dialect.OutputMessages, dialect.RawOutput, "assistant")
}

// parametersOfMCP takes the names of server and tool out of tool_parameters.
func parametersOfMCP(s *dialect.Span) {
	if !s.Has(dialect.RawParams) {
		return
	}
	parameters := messages.Valid(s.JSON(dialect.RawParams))
	if tool := messages.Member(parameters, "mcp_tool_name").Str(); tool != "" {
		s.SetText(dialect.ToolName, tool)
		setServer(s, messages.Member(parameters, "mcp_server_name").Str())
	}
}

func setServer(s *dialect.Span, name string) {
	s.AddText(dialect.ServerName, name)
	s.SetText(dialect.ToolType, mcpconv.ToolTypeMCP)
}
