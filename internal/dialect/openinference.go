package dialect

import "github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"

var openInference = Dialect{
	Name: "openinference", Title: "OpenInference (Arize Phoenix)",
	Source: "Arize-ai/openinference spec/semantic_conventions.md @00e2b51",
	Detect: Detect{Keys: []string{"openinference.span.kind"}},
	Keys: []Key{
		{From: "openinference.span.kind", To: RawKind},
		{From: "tool.name", To: ToolName},
		{From: "tool.description", To: ToolDescription},
		{From: "tool_call.id", To: ToolCallID},
		{From: "tool.id", To: ToolCallID},
		{From: "input.value", To: RawInput},
		{From: "tool.parameters", To: RawParams},
		{From: "tool_call.function.arguments", To: RawParams},
		{From: "output.value", To: RawOutput},
		{From: "llm.model_name", To: RequestModel},
		{From: "embedding.model_name", To: RequestModel},
		{From: "llm.provider", To: Provider, As: readProvider},
		{From: "llm.system", To: Provider, As: readProvider},
		{From: "llm.finish_reason", To: FinishReasons},
		{From: "llm.token_count.prompt", To: InputTokens},
		{From: "llm.token_count.completion", To: OutputTokens},
		{From: "llm.token_count.prompt_details.cache_read", To: CacheRead},
		{From: "llm.token_count.prompt_details.cache_write", To: CacheWrite},
		{From: "llm.token_count.completion_details.reasoning", To: Reasoning},
		{From: "llm.cost.total", To: Cost},
		{From: "session.id", To: Conversation},
		{From: "agent.name", To: AgentName},
	},
	Prefixes: []string{"llm.input_messages.", "llm.output_messages."},
	Finish:   finishOpenInference,
	Notes: []string{
		"The operation is that of the kind: LLM is `chat`, TOOL `execute_tool`, AGENT `invoke_agent`, RETRIEVER and RERANKER `retrieval`, EMBEDDING `embeddings`. The other kinds have none.",
		"`input.value` and `output.value` are arguments and result of a TOOL. `llm.input_messages.*` and `llm.output_messages.*` become messages.",
	},
}

var openInferenceKinds = map[string]string{
	"LLM": mcpconv.OperationChat, "TOOL": mcpconv.OperationTool, "AGENT": mcpconv.OperationAgent,
	"RETRIEVER": mcpconv.OperationRetrieve, "RERANKER": mcpconv.OperationRetrieve, "EMBEDDING": mcpconv.OperationEmbed,
}

func finishOpenInference(s *Span) {
	kind := s.Text(RawKind)
	s.AddText(Operation, openInferenceKinds[kind])
	switch kind {
	case "TOOL":
		s.Move(ToolArguments, RawInput)
		s.Move(ToolArguments, RawParams)
		s.Move(ToolResult, RawOutput)
		if !s.Has(ToolName) {
			s.SetText(ToolName, s.Name)
		}
	case "AGENT":
		if !s.Has(AgentName) {
			s.SetText(AgentName, s.Name)
		}
		s.Convert(InputMessages, RawInput, "user")
		s.Convert(OutputMessages, RawOutput, "assistant")
	case "LLM":
		s.flattened(0, InputMessages, "message.", "user")
		s.flattened(1, OutputMessages, "message.", "assistant")
	}
	s.Use(RawKind)
}
