package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// claudeCode is the dialect of Claude Code.
var claudeCode = Dialect{
	Name: "claude_code", Title: "Claude Code",
	Source: "code.claude.com, monitoring-usage, as of v2.1.227",
	Detect: Detect{Scopes: []string{"com.anthropic.claude_code*"}, Events: []string{"claude_code.*"}, Names: []string{"claude_code.*"}},
	Keys: []Key{
		{From: "session.id", To: Conversation},
		{From: "model", To: RequestModel},
		{From: "tool_name", To: ToolName},
		{From: "tool_use_id", To: ToolCallID},
		{From: "tool_input", To: ToolArguments},
		{From: "tool_parameters", To: RawParams},
		{From: "mcp_server.name", To: ServerName},
		{From: "agent.name", To: AgentName},
		{From: "subagent_type", To: AgentName},
		{From: "input_tokens", To: InputTokens},
		{From: "output_tokens", To: OutputTokens},
		{From: "cache_read_tokens", To: CacheRead},
		{From: "cache_creation_tokens", To: CacheWrite},
		{From: "cost_usd", To: Cost},
		{From: "ttft_ms", To: FirstChunk, As: ReadMillis},
		{From: "user_prompt", To: RawInput},
		{From: "prompt", To: RawInput},
		{From: "response", To: RawOutput},
		{From: "error", To: RawMore},
		{From: "stop_reason", To: FinishReasons},
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

func finishClaudeCode(s *Span) {
	if !s.IsLog {
		switch strings.TrimPrefix(s.Name, "claude_code.") {
		case "interaction":
			if strings.HasPrefix(s.Text(RawInput), "/compact") {
				break // a person's command, and no work of the agent
			}
			s.SetText(Operation, mcpconv.OperationAgent)
			s.AddText(AgentName, mcpconv.ClaudeCode)
		case "llm_request":
			s.SetText(Operation, mcpconv.OperationChat)
			s.AddText(Provider, "anthropic")
			s.SetText(RequestModel, s.Text(RequestModel))
		case "tool":
			s.SetText(Operation, mcpconv.OperationTool)
		case "tool.execution":
			s.Repeats = mcpconv.RepeatsCall
		}
	}
	parametersOfMCP(s)
	SplitMCP(s)
	if s.Has(ToolName) {
		s.AddText(ToolType, mcpconv.ToolTypeFunction)
	}
	WholeInput(s)
	for _, raw := range []Field{RawInput, RawOutput} {
		if s.Text(raw) == redacted {
			s.Drop(raw)
		}
	}
	s.Convert(InputMessages, RawInput, "user")
	s.Convert(OutputMessages, RawOutput, "assistant")
}

// parametersOfMCP takes the names of server and tool out of tool_parameters.
func parametersOfMCP(s *Span) {
	if !s.Has(RawParams) {
		return
	}
	parameters := messages.Valid(s.JSON(RawParams))
	if tool := messages.Member(parameters, "mcp_tool_name").Str(); tool != "" {
		s.SetText(ToolName, tool)
		setServer(s, messages.Member(parameters, "mcp_server_name").Str())
	}
}

func setServer(s *Span, name string) {
	s.AddText(ServerName, name)
	s.SetText(ToolType, mcpconv.ToolTypeMCP)
}
