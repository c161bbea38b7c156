package instrumentations

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Langfuse is the dialect of Langfuse SDK.
var Langfuse = dialect.Dialect{
	Name: "langfuse", Title: "Langfuse SDK",
	Source: "langfuse/langfuse packages/shared/src/server/otel @98bf336; keys of the SDK",
	Detect: dialect.Detect{Keys: []string{"langfuse.observation.type"}, Scopes: []string{"langfuse-sdk"}},
	Keys: []dialect.Key{
		{From: "langfuse.observation.type", To: dialect.RawKind},
		{From: "langfuse.observation.input", To: dialect.RawInput},
		{From: "langfuse.observation.output", To: dialect.RawOutput},
		{From: "langfuse.observation.model.name", To: dialect.RequestModel},
		{From: "langfuse.observation.usage_details", To: dialect.RawParams},
		{From: "langfuse.observation.cost_details", To: dialect.RawMore},
		{From: "langfuse.observation.level", To: dialect.RawFlag},
		{From: "langfuse.observation.status_message", To: dialect.RawID},
		{From: "session.id", To: dialect.Conversation},
		{From: "langfuse.session.id", To: dialect.Conversation},
		{From: "langfuse.user.id", To: dialect.UserID},
	},
	Finish: finishLangfuse,
	Notes: []string{
		"The operation is that of `langfuse.observation.type`: generation is `chat`, embedding `embeddings`, tool `execute_tool`, agent `invoke_agent`, retriever `retrieval`. The other types have none.",
		"`usage_details` and `cost_details` are read whatever the names of their members: input, output, prompt_tokens, cache_read_input_tokens and so on. Costs without a total are added up.",
		"A level of ERROR is the status Error, and the status message its text.",
	},
}

var langfuseTypes = map[string]string{
	"generation": mcpconv.OperationChat, "embedding": mcpconv.OperationEmbed, "tool": mcpconv.OperationTool,
	"agent": mcpconv.OperationAgent, "retriever": mcpconv.OperationRetrieve,
}

func finishLangfuse(s *dialect.Span) {
	kind := s.Text(dialect.RawKind)
	s.AddText(dialect.Operation, langfuseTypes[kind])
	switch kind {
	case "tool":
		s.AddText(dialect.ToolName, s.Name)
		s.Move(dialect.ToolArguments, dialect.RawInput)
		s.Move(dialect.ToolResult, dialect.RawOutput)
	case "agent":
		s.AddText(dialect.AgentName, s.Name)
		s.Convert(dialect.InputMessages, dialect.RawInput, "user")
		s.Convert(dialect.OutputMessages, dialect.RawOutput, "assistant")
	case "generation":
		s.Convert(dialect.InputMessages, dialect.RawInput, "user")
		s.Convert(dialect.OutputMessages, dialect.RawOutput, "assistant")
	}
	dialect.ReadUsage(s, messages.Valid(s.JSON(dialect.RawParams)))
	if total, ok := langfuseCost(messages.Valid(s.JSON(dialect.RawMore))); ok {
		s.AddText(dialect.Cost, dialect.FormatNumber(total))
		s.Use(dialect.RawMore)
	}
	if s.Text(dialect.RawFlag) == "ERROR" {
		s.Failed, s.ErrorText = true, s.Text(dialect.RawID)
	}
	if s.Has(dialect.Operation) {
		s.Use(dialect.RawKind)
	}
}

// langfuseCost is the total of costs, or their sum if they have none.
func langfuseCost(costs messages.Value) (sum float64, ok bool) {
	for name, v := range messages.Members(costs) {
		cost, isNumber := v.Float()
		switch {
		case !isNumber:
		case name == "total":
			return cost, true
		default:
			sum, ok = sum+cost, true
		}
	}
	return sum, ok
}
