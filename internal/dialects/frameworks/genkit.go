package frameworks

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Genkit is the dialect of Genkit.
var Genkit = dialect.Dialect{
	Name: "genkit", Title: "Genkit",
	Source: "firebase/genkit go/core/tracing/tracing.go v1.4.0",
	Detect: dialect.Detect{Keys: []string{"genkit:type", "genkit:name"}, Scopes: []string{"genkit-tracer"}},
	Keys: []dialect.Key{
		{From: "genkit:metadata:subtype", To: dialect.RawKind},
		{From: "genkit:name", To: dialect.RawID},
		{From: "genkit:input", To: dialect.RawInput},
		{From: "genkit:output", To: dialect.RawOutput},
		{From: "genkit:sessionId", To: dialect.Conversation},
	},
	Finish: finishGenkit,
	Notes: []string{
		"The operation is that of the subtype: `model` is `chat`, `tool` and `tool.v2` are `execute_tool`, `flow` is `invoke_workflow`, `embedder` is `embeddings`, `retriever` and `reranker` are `retrieval`. The other subtypes have none.",
		"The name of a model is that of its provider, a slash, and the model. Finish reason, tokens and messages are taken out of `genkit:output`, as is the result of a `tool.v2`.",
	},
}

func finishGenkit(s *dialect.Span) {
	switch s.Text(dialect.RawKind) {
	case "model", "background-model":
		s.AddText(dialect.Operation, mcpconv.OperationChat)
		genkitModel(s)
		genkitAnswer(s)
	case "tool", "tool.v2":
		s.AddText(dialect.Operation, mcpconv.OperationTool)
		s.AddText(dialect.ToolName, s.Text(dialect.RawID))
		s.AddText(dialect.ToolType, mcpconv.ToolTypeFunction)
		s.Move(dialect.ToolArguments, dialect.RawInput)
		genkitResult(s)
	case "flow":
		s.AddText(dialect.Operation, mcpconv.OperationWorkflow)
		s.AddText(dialect.WorkflowName, s.Text(dialect.RawID))
	case "embedder":
		s.AddText(dialect.Operation, mcpconv.OperationEmbed)
		genkitModel(s)
	case "retriever", "reranker":
		s.AddText(dialect.Operation, mcpconv.OperationRetrieve)
	default:
		return
	}
	s.Use(dialect.RawKind)
	s.Use(dialect.RawID)
}

// genkitModel takes provider and model out of a name: openai/gpt-4o.
func genkitModel(s *dialect.Span) {
	name := s.Text(dialect.RawID)
	if provider, model, ok := strings.Cut(name, "/"); ok {
		s.AddText(dialect.Provider, dialect.ProviderOf(provider))
		name = model
	}
	s.AddText(dialect.RequestModel, name)
}

// genkitAnswer reads what a model was asked and answered.
func genkitAnswer(s *dialect.Span) {
	s.Convert(dialect.InputMessages, dialect.RawInput, "user")
	answer := messages.Valid(s.JSON(dialect.RawOutput))
	if !s.Has(dialect.OutputMessages) {
		if text := s.Builder.Convert(string(messages.Member(answer, "message")), "assistant"); text != "" {
			s.SetText(dialect.OutputMessages, text)
			s.Use(dialect.RawOutput)
		}
	}
	s.AddText(dialect.FinishReasons, messages.Member(answer, "finishReason").Str())
	dialect.ReadUsage(s, messages.Member(answer, "usage"))
}

// genkitResult takes the result out of what a tool.v2 has around it.
func genkitResult(s *dialect.Span) {
	if s.Text(dialect.RawKind) == "tool.v2" {
		if output := messages.Member(messages.Valid(s.JSON(dialect.RawOutput)), "output"); output != "" {
			s.AddText(dialect.ToolResult, output.Text())
			s.Use(dialect.RawOutput)
			return
		}
	}
	s.Move(dialect.ToolResult, dialect.RawOutput)
}
