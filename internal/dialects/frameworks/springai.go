package frameworks

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// SpringAI is the dialect of Spring AI.
var SpringAI = dialect.Dialect{
	Name: "spring_ai", Title: "Spring AI",
	Source: "spring-projects/spring-ai, observation spring.ai.tool",
	Detect: dialect.Detect{Keys: []string{"spring.ai.kind", "spring.ai.tool.*"}},
	Keys: []dialect.Key{
		{From: "spring.ai.kind", To: dialect.RawKind},
		{From: "spring.ai.tool.definition.name", To: dialect.ToolName},
		{From: "spring.ai.tool.definition.description", To: dialect.ToolDescription},
		{From: "spring.ai.tool.definition.schema", To: dialect.RawParams},
		{From: "spring.ai.tool.call.id", To: dialect.ToolCallID},
		{From: "spring.ai.tool.call.arguments", To: dialect.ToolArguments},
		{From: "spring.ai.tool.call.result", To: dialect.ToolResult},
		{From: "spring.ai.chat.client.conversation.id", To: dialect.Conversation},
	},
	Finish: func(s *dialect.Span) {
		switch s.Text(dialect.RawKind) {
		case "tool_call":
			dialect.SetOperation(s, mcpconv.OperationTool)
		case "chat_client":
			dialect.SetOperation(s, mcpconv.OperationAgent)
		case "":
			if s.Has(dialect.ToolName) {
				dialect.SetOperation(s, mcpconv.OperationTool)
			}
		default:
			dialect.SetOperation(s, "")
		}
		if s.Has(dialect.Operation) {
			s.Use(dialect.RawKind)
		}
		definition(s)
	},
	Notes: []string{
		"`spring.ai.tool.definition.schema` becomes the parameters of the tool in `gen_ai.tool.definitions`.",
		"`gen_ai.operation.name=framework` is replaced: a `tool_call` is `execute_tool`, a `chat_client` is `invoke_agent`. Others, an `advisor` for one, get none.",
	},
}

// definition writes the tool in the way in which the conventions list tools: Spring AI
// has the schema of its input alone.
func definition(s *dialect.Span) {
	schema := messages.Valid(s.JSON(dialect.RawParams))
	if !schema.IsObject() {
		return
	}
	out := messages.AppendQuoted([]byte(`[{"type":"function","name":`), s.Text(dialect.ToolName))
	if about := s.Text(dialect.ToolDescription); about != "" {
		out = messages.AppendQuoted(append(out, `,"description":`...), about)
	}
	out = append(append(out, `,"parameters":`...), schema...)
	s.AddText(dialect.ToolDefinitions, string(append(out, `}]`...)))
	s.Use(dialect.RawParams)
}
