package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// openInference is the dialect of OpenInference (Arize Phoenix).
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
		{From: "llm.provider", To: Provider, As: ReadProvider},
		{From: "llm.system", To: Provider, As: ReadProvider},
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
	Contents: []string{
		"embedding.embeddings.*", "llm.choices.*", "llm.prompt_template.template", "llm.prompt_template.variables", "llm.prompts.*", "llm.tools.*",
		"reranker.input_documents.*", "reranker.output_documents.*", "reranker.query", "retrieval.documents.*",
	},
	Finish: finishOpenInference,
	Notes: []string{
		"The operation is that of the kind: LLM is `chat`, TOOL `execute_tool`, AGENT `invoke_agent`, RETRIEVER and RERANKER `retrieval`, EMBEDDING `embeddings`. The other kinds have none.",
		"`input.value` and `output.value` are arguments and result of a TOOL. `llm.input_messages.*` and `llm.output_messages.*` become messages.",
		"The run around the agents of the OpenAI Agents SDK is an AGENT with a provider and without `agent.name` and `graph.node.id`: it is `invoke_workflow`.",
		"A handoff of the OpenAI Agents SDK is a TOOL without a tool: it gets no operation. `mcp_tools` is the MCP call `tools/list`.",
		"Tokens of an AGENT or a CHAIN repeat those of the model calls in it: it gets `mcp.dialect.repeats=usage`.",
		"The result of a tool of LangChain is a message that is written as JSON: its content, its id and whether it failed are taken out of it.",
	},
}

// openInferenceOperation is the operation of a kind, "" if it has none. RUN is our own:
// see [openInferenceKind].
func openInferenceOperation(kind string) string {
	switch kind {
	case "LLM":
		return mcpconv.OperationChat
	case "TOOL":
		return mcpconv.OperationTool
	case "AGENT":
		return mcpconv.OperationAgent
	case "RUN":
		return mcpconv.OperationWorkflow
	case "RETRIEVER", "RERANKER":
		return mcpconv.OperationRetrieve
	case "EMBEDDING":
		return mcpconv.OperationEmbed
	}
	return ""
}

// openInferenceKind is the kind, or one of our own of what the instrumentations of the
// OpenAI Agents SDK give a kind for want of a better one.
func openInferenceKind(s *Span) string {
	kind := s.Text(RawKind)
	switch {
	case !s.Has(Provider):
	case kind == "AGENT" && !s.Has(AgentName) && !s.Has(RawID):
		return "RUN"
	case kind == "TOOL" && strings.HasPrefix(s.Name, "handoff") && !s.Has(ToolName) && !s.Has(RawInput):
		return "HANDOFF"
	case kind == "CHAIN" && s.Name == "mcp_tools":
		return "MCP"
	}
	return kind
}

func finishOpenInference(s *Span) {
	kind := openInferenceKind(s)
	s.AddText(Operation, openInferenceOperation(kind))
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
	case "CHAIN":
		MarkUsage(s)
	case "MCP":
		s.AddText(Method, mcpconv.MethodToolsList)
	case "LLM":
		s.Flattened(0, InputMessages, "message.", "user")
		s.Flattened(1, OutputMessages, "message.", "assistant")
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
