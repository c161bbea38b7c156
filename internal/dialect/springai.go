package dialect

import "github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"

var springAI = Dialect{
	Name: "spring_ai", Title: "Spring AI",
	Source: "spring-projects/spring-ai, observation spring.ai.tool",
	Detect: Detect{Keys: []string{"spring.ai.kind", "spring.ai.tool.*"}},
	Keys: []Key{
		{From: "spring.ai.kind", To: RawKind},
		{From: "spring.ai.tool.definition.name", To: ToolName},
		{From: "spring.ai.tool.definition.description", To: ToolDescription},
		{From: "spring.ai.tool.definition.schema", To: ToolDefinitions},
		{From: "spring.ai.tool.call.id", To: ToolCallID},
		{From: "spring.ai.tool.call.arguments", To: ToolArguments},
		{From: "spring.ai.tool.call.result", To: ToolResult},
		{From: "spring.ai.chat.client.conversation.id", To: Conversation},
	},
	Finish: func(s *Span) {
		switch s.Text(RawKind) {
		case "tool_call":
			setOperation(s, mcpconv.OperationTool)
		case "chat_client":
			setOperation(s, mcpconv.OperationAgent)
		case "":
			if s.Has(ToolName) {
				setOperation(s, mcpconv.OperationTool)
			}
		}
		if s.Has(Operation) {
			s.Use(RawKind)
		}
	},
	Notes: []string{"`gen_ai.operation.name=framework` is replaced: a `tool_call` is `execute_tool`, a `chat_client` is `invoke_agent`."},
}
