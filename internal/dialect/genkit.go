package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// genkit is the dialect of Genkit.
var genkit = Dialect{
	Name: "genkit", Title: "Genkit",
	Source: "firebase/genkit go/core/tracing/tracing.go v1.4.0",
	Detect: Detect{Keys: []string{"genkit:type", "genkit:name"}, Scopes: []string{"genkit-tracer"}},
	Keys: []Key{
		{From: "genkit:metadata:subtype", To: RawKind},
		{From: "genkit:name", To: RawID},
		{From: "genkit:input", To: RawInput},
		{From: "genkit:output", To: RawOutput},
		{From: "genkit:sessionId", To: Conversation},
	},
	Finish: finishGenkit,
	Notes: []string{
		"The operation is that of the subtype: `model` is `chat`, `tool` and `tool.v2` are `execute_tool`, `flow` is `invoke_workflow`, `embedder` is `embeddings`, `retriever` and `reranker` are `retrieval`. The other subtypes have none.",
		"The name of a model is that of its provider, a slash, and the model. Finish reason, tokens and messages are taken out of `genkit:output`, as is the result of a `tool.v2`.",
	},
}

func finishGenkit(s *Span) {
	switch s.Text(RawKind) {
	case "model", "background-model":
		s.AddText(Operation, mcpconv.OperationChat)
		genkitModel(s)
		genkitAnswer(s)
	case "tool", "tool.v2":
		s.AddText(Operation, mcpconv.OperationTool)
		s.AddText(ToolName, s.Text(RawID))
		s.AddText(ToolType, mcpconv.ToolTypeFunction)
		s.Move(ToolArguments, RawInput)
		genkitResult(s)
	case "flow":
		s.AddText(Operation, mcpconv.OperationWorkflow)
		s.AddText(WorkflowName, s.Text(RawID))
	case "embedder":
		s.AddText(Operation, mcpconv.OperationEmbed)
		genkitModel(s)
	case "retriever", "reranker":
		s.AddText(Operation, mcpconv.OperationRetrieve)
	default:
		return
	}
	s.Use(RawKind)
	s.Use(RawID)
}

// genkitModel takes provider and model out of a name: openai/gpt-4o.
func genkitModel(s *Span) {
	name := s.Text(RawID)
	if provider, model, ok := strings.Cut(name, "/"); ok {
		s.AddText(Provider, ProviderOf(provider))
		name = model
	}
	s.AddText(RequestModel, name)
}

// genkitAnswer reads what a model was asked and answered.
func genkitAnswer(s *Span) {
	s.Convert(InputMessages, RawInput, "user")
	answer := messages.Valid(s.JSON(RawOutput))
	if !s.Has(OutputMessages) {
		if text := s.Builder.Convert(string(messages.Member(answer, "message")), "assistant"); text != "" {
			s.SetText(OutputMessages, text)
			s.Use(RawOutput)
		}
	}
	s.AddText(FinishReasons, messages.Member(answer, "finishReason").Str())
	ReadUsage(s, messages.Member(answer, "usage"))
}

// genkitResult takes the result out of what a tool.v2 has around it.
func genkitResult(s *Span) {
	if s.Text(RawKind) == "tool.v2" {
		if output := messages.Member(messages.Valid(s.JSON(RawOutput)), "output"); output != "" {
			s.AddText(ToolResult, output.Text())
			s.Use(RawOutput)
			return
		}
	}
	s.Move(ToolResult, RawOutput)
}
