package dialect

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// springAI is the dialect of Spring AI.
var springAI = Dialect{
	Name: "spring_ai", Title: "Spring AI",
	Source: "spring-projects/spring-ai, observation spring.ai.tool",
	Detect: Detect{Keys: []string{"spring.ai.kind", "spring.ai.tool.*"}},
	Keys: []Key{
		{From: "spring.ai.kind", To: RawKind},
		{From: "spring.ai.tool.definition.name", To: ToolName},
		{From: "spring.ai.tool.definition.description", To: ToolDescription},
		{From: "spring.ai.tool.definition.schema", To: RawParams},
		{From: "spring.ai.tool.call.id", To: ToolCallID},
		{From: "spring.ai.tool.call.arguments", To: ToolArguments},
		{From: "spring.ai.tool.call.result", To: ToolResult},
		{From: "spring.ai.chat.client.conversation.id", To: Conversation},
	},
	Finish: func(s *Span) {
		switch s.Text(RawKind) {
		case "tool_call":
			SetOperation(s, mcpconv.OperationTool)
		case "chat_client":
			SetOperation(s, mcpconv.OperationAgent)
		case "":
			if s.Has(ToolName) {
				SetOperation(s, mcpconv.OperationTool)
			}
		default:
			SetOperation(s, "")
		}
		if s.Has(Operation) {
			s.Use(RawKind)
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
func definition(s *Span) {
	schema := messages.Valid(s.JSON(RawParams))
	if !schema.IsObject() {
		return
	}
	out := messages.AppendQuoted([]byte(`[{"type":"function","name":`), s.Text(ToolName))
	if about := s.Text(ToolDescription); about != "" {
		out = messages.AppendQuoted(append(out, `,"description":`...), about)
	}
	out = append(append(out, `,"parameters":`...), schema...)
	s.AddText(ToolDefinitions, string(append(out, `}]`...)))
	s.Use(RawParams)
}
