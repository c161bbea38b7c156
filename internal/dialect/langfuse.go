package dialect

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// langfuse is the dialect of Langfuse SDK.
var langfuse = Dialect{
	Name: "langfuse", Title: "Langfuse SDK",
	Source: "langfuse/langfuse packages/shared/src/server/otel @98bf336; keys of the SDK",
	Detect: Detect{Keys: []string{"langfuse.observation.type"}, Scopes: []string{"langfuse-sdk"}},
	Keys: []Key{
		{From: "langfuse.observation.type", To: RawKind},
		{From: "langfuse.observation.input", To: RawInput},
		{From: "langfuse.observation.output", To: RawOutput},
		{From: "langfuse.observation.model.name", To: RequestModel},
		{From: "langfuse.observation.usage_details", To: RawParams},
		{From: "langfuse.observation.cost_details", To: RawMore},
		{From: "langfuse.observation.level", To: RawFlag},
		{From: "langfuse.observation.status_message", To: RawID},
		{From: "session.id", To: Conversation},
		{From: "langfuse.session.id", To: Conversation},
		{From: "langfuse.user.id", To: UserID},
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

func finishLangfuse(s *Span) {
	kind := s.Text(RawKind)
	s.AddText(Operation, langfuseTypes[kind])
	switch kind {
	case "tool":
		s.AddText(ToolName, s.Name)
		s.Move(ToolArguments, RawInput)
		s.Move(ToolResult, RawOutput)
	case "agent":
		s.AddText(AgentName, s.Name)
		s.Convert(InputMessages, RawInput, "user")
		s.Convert(OutputMessages, RawOutput, "assistant")
	case "generation":
		s.Convert(InputMessages, RawInput, "user")
		s.Convert(OutputMessages, RawOutput, "assistant")
	}
	ReadUsage(s, messages.Valid(s.JSON(RawParams)))
	if total, ok := langfuseCost(messages.Valid(s.JSON(RawMore))); ok {
		s.AddText(Cost, FormatNumber(total))
		s.Use(RawMore)
	}
	if s.Text(RawFlag) == "ERROR" {
		s.Failed, s.ErrorText = true, s.Text(RawID)
	}
	if s.Has(Operation) {
		s.Use(RawKind)
	}
}

// langfuseCost is the total of costs, or their sum if they have none.
func langfuseCost(costs messages.Value) (sum float64, ok bool) {
	for name, v := range costs.Members() {
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
