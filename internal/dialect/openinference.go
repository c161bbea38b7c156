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
		{From: "graph.node.id", To: RawID},
	},
	Prefixes: []string{"llm.input_messages.", "llm.output_messages."},
	Finish:   finishOpenInference,
	Notes: []string{
		"The operation is that of the kind: LLM is `chat`, TOOL `execute_tool`, AGENT `invoke_agent`, RETRIEVER and RERANKER `retrieval`, EMBEDDING `embeddings`. The other kinds have none.",
		"`input.value` and `output.value` are arguments and result of a TOOL. `llm.input_messages.*` and `llm.output_messages.*` become messages.",
		"The run around the agents of the OpenAI Agents SDK is an AGENT with a provider and without `agent.name` and `graph.node.id`: it is `invoke_workflow`.",
		"The result of a tool of LangChain is a message that is written as JSON: its content, its id and whether it failed are taken out of it.",
	},
}

// openInferenceKinds are the operations of the kinds. RUN is our own: the run around the
// agents of the OpenAI Agents SDK, whose instrumentation calls it an AGENT.
var openInferenceKinds = map[string]string{
	"LLM": mcpconv.OperationChat, "TOOL": mcpconv.OperationTool, "AGENT": mcpconv.OperationAgent,
	"RETRIEVER": mcpconv.OperationRetrieve, "RERANKER": mcpconv.OperationRetrieve, "EMBEDDING": mcpconv.OperationEmbed, "RUN": mcpconv.OperationWorkflow,
}

func finishOpenInference(s *Span) {
	kind := s.Text(RawKind)
	if kind == "AGENT" && s.Has(Provider) && !s.Has(AgentName) && !s.Has(RawID) {
		kind = "RUN"
	}
	s.AddText(Operation, openInferenceKinds[kind])
	switch kind {
	case "TOOL":
		s.Move(ToolArguments, RawInput)
		s.Move(ToolArguments, RawParams)
		langChainTool(s, RawOutput)
		s.Move(ToolResult, RawOutput)
		if !s.Has(ToolName) {
			s.SetText(ToolName, s.Name)
		}
	case "AGENT":
		s.AddText(AgentName, s.Name)
		openInferenceMessages(s)
	case "RUN":
		s.AddText(WorkflowName, s.Name)
		openInferenceMessages(s)
	case "LLM":
		s.flattened(0, InputMessages, "message.", "user")
		s.flattened(1, OutputMessages, "message.", "assistant")
	}
	if kind != "LLM" && kind != "EMBEDDING" {
		s.Drop(Provider)
	}
	s.Use(RawKind)
}

func openInferenceMessages(s *Span) {
	s.Convert(InputMessages, RawInput, "user")
	s.Convert(OutputMessages, RawOutput, "assistant")
}
