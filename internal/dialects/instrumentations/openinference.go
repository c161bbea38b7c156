package instrumentations

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// OpenInference is the dialect of OpenInference (Arize Phoenix).
var OpenInference = dialect.Dialect{
	Name: "openinference", Title: "OpenInference (Arize Phoenix)",
	Source: "Arize-ai/openinference spec/semantic_conventions.md @00e2b51",
	Detect: dialect.Detect{Keys: []string{"openinference.span.kind"}},
	Keys: []dialect.Key{
		{From: "openinference.span.kind", To: dialect.RawKind},
		{From: "tool.name", To: dialect.ToolName},
		{From: "tool.description", To: dialect.ToolDescription},
		{From: "tool_call.id", To: dialect.ToolCallID},
		{From: "tool.id", To: dialect.ToolCallID},
		{From: "input.value", To: dialect.RawInput},
		{From: "tool.parameters", To: dialect.RawParams},
		{From: "tool_call.function.arguments", To: dialect.RawParams},
		{From: "output.value", To: dialect.RawOutput},
		{From: "llm.model_name", To: dialect.RequestModel},
		{From: "embedding.model_name", To: dialect.RequestModel},
		{From: "llm.provider", To: dialect.Provider, As: dialect.ReadProvider},
		{From: "llm.system", To: dialect.Provider, As: dialect.ReadProvider},
		{From: "llm.finish_reason", To: dialect.FinishReasons},
		{From: "llm.token_count.prompt", To: dialect.InputTokens},
		{From: "llm.token_count.completion", To: dialect.OutputTokens},
		{From: "llm.token_count.prompt_details.cache_read", To: dialect.CacheRead},
		{From: "llm.token_count.prompt_details.cache_write", To: dialect.CacheWrite},
		{From: "llm.token_count.completion_details.reasoning", To: dialect.Reasoning},
		{From: "llm.cost.total", To: dialect.Cost},
		{From: "session.id", To: dialect.Conversation},
		{From: "agent.name", To: dialect.AgentName},
		{From: "graph.node.id", To: dialect.RawID},
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
func openInferenceKind(s *dialect.Span) string {
	kind := s.Text(dialect.RawKind)
	switch {
	case !s.Has(dialect.Provider):
	case kind == "AGENT" && !s.Has(dialect.AgentName) && !s.Has(dialect.RawID):
		return "RUN"
	case kind == "TOOL" && strings.HasPrefix(s.Name, "handoff") && !s.Has(dialect.ToolName) && !s.Has(dialect.RawInput):
		return "HANDOFF"
	case kind == "CHAIN" && s.Name == "mcp_tools":
		return "MCP"
	}
	return kind
}

func finishOpenInference(s *dialect.Span) {
	kind := openInferenceKind(s)
	s.AddText(dialect.Operation, openInferenceOperation(kind))
	switch kind {
	case "TOOL":
		s.Move(dialect.ToolArguments, dialect.RawInput)
		s.Move(dialect.ToolArguments, dialect.RawParams)
		langChainTool(s, dialect.RawOutput)
		s.Move(dialect.ToolResult, dialect.RawOutput)
		if !s.Has(dialect.ToolName) {
			s.SetText(dialect.ToolName, s.Name)
		}
	case "AGENT":
		s.AddText(dialect.AgentName, s.Name)
		openInferenceMessages(s)
	case "RUN":
		s.AddText(dialect.WorkflowName, s.Name)
		openInferenceMessages(s)
	case "CHAIN":
		dialect.MarkUsage(s)
	case "MCP":
		s.AddText(dialect.Method, mcpconv.MethodToolsList)
	case "LLM":
		s.Flattened(0, dialect.InputMessages, "message.", "user")
		s.Flattened(1, dialect.OutputMessages, "message.", "assistant")
	}
	if kind != "LLM" && kind != "EMBEDDING" {
		s.Drop(dialect.Provider)
	}
	s.Use(dialect.RawKind)
}

func openInferenceMessages(s *dialect.Span) {
	s.Convert(dialect.InputMessages, dialect.RawInput, "user")
	s.Convert(dialect.OutputMessages, dialect.RawOutput, "assistant")
}
