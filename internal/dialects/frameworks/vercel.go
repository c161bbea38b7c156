package frameworks

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Vercel is the dialect of Vercel AI SDK, legacy spans.
var Vercel = dialect.Dialect{
	Name: "vercel", Title: "Vercel AI SDK, legacy spans",
	Source: "ai-sdk.dev, AI SDK Core: Telemetry",
	Detect: dialect.Detect{Keys: []string{"ai.operationId"}, Scopes: []string{"ai"}},
	Keys: []dialect.Key{
		{From: "ai.operationId", To: dialect.RawKind},
		{From: "ai.toolCall.name", To: dialect.ToolName},
		{From: "ai.toolCall.id", To: dialect.ToolCallID},
		{From: "ai.toolCall.args", To: dialect.ToolArguments},
		{From: "ai.toolCall.result", To: dialect.ToolResult},
		{From: "ai.model.id", To: dialect.RequestModel},
		{From: "ai.model.provider", To: dialect.Provider, As: dialect.ReadProvider},
		{From: "gen_ai.system", To: dialect.Provider, As: dialect.ReadProvider},
		{From: "ai.prompt.messages", To: dialect.RawInput},
		{From: "ai.prompt", To: dialect.RawParams},
		{From: "ai.response.text", To: dialect.RawOutput},
		{From: "ai.response.object", To: dialect.RawOutput},
		{From: "ai.response.toolCalls", To: dialect.RawMore},
		{From: "ai.response.reasoning", To: dialect.RawFlag},
		{From: "ai.response.finishReason", To: dialect.FinishReasons},
		{From: "ai.response.id", To: dialect.ResponseID},
		{From: "ai.response.model", To: dialect.ResponseModel},
		{From: "ai.response.msToFirstChunk", To: dialect.FirstChunk, As: dialect.ReadMillis},
		{From: "ai.stream.msToFirstChunk", To: dialect.FirstChunk, As: dialect.ReadMillis},
		{From: "ai.settings.maxOutputTokens", To: dialect.MaxTokens},
		{From: "ai.settings.temperature", To: dialect.Temperature},
		{From: "ai.settings.topP", To: dialect.TopP},
		{From: "ai.usage.inputTokens", To: dialect.InputTokens},
		{From: "ai.usage.promptTokens", To: dialect.InputTokens},
		{From: "ai.usage.tokens", To: dialect.InputTokens},
		{From: "ai.usage.outputTokens", To: dialect.OutputTokens},
		{From: "ai.usage.completionTokens", To: dialect.OutputTokens},
		{From: "ai.usage.cachedInputTokens", To: dialect.CacheRead},
		{From: "ai.usage.inputTokenDetails.cacheReadTokens", To: dialect.CacheRead},
		{From: "ai.usage.inputTokenDetails.cacheWriteTokens", To: dialect.CacheWrite},
		{From: "ai.usage.reasoningTokens", To: dialect.Reasoning},
		{From: "ai.usage.outputTokenDetails.reasoningTokens", To: dialect.Reasoning},
		{From: "ai.telemetry.metadata.sessionId", To: dialect.Conversation},
		{From: "ai.telemetry.metadata.userId", To: dialect.UserID},
		{From: "ai.telemetry.functionId", To: dialect.AgentName},
	},
	Finish: finishVercel,
	Notes: []string{
		"The operation is that of `ai.operationId`: `….doGenerate` and `….doStream` are `chat`, `….doEmbed` is `embeddings`, `ai.toolCall` is `execute_tool`, and those around them are `invoke_agent`, but for `ai.embed` and `ai.embedMany`, which are no agents.",
		"The spans around model calls repeat their tokens: these are not translated, and the span gets `mcp.dialect.repeats=usage`.",
	},
}

func finishVercel(s *dialect.Span) {
	id := s.Text(dialect.RawKind)
	base, _, _ := strings.Cut(id, " ")
	switch {
	case base == "ai.toolCall":
		s.AddText(dialect.Operation, mcpconv.OperationTool)
		s.Drop(dialect.AgentName)
		s.AddText(dialect.ToolType, mcpconv.ToolTypeFunction)
	case strings.HasSuffix(base, ".doEmbed"):
		s.AddText(dialect.Operation, mcpconv.OperationEmbed)
		s.Drop(dialect.AgentName)
	case strings.HasSuffix(base, ".doGenerate"), strings.HasSuffix(base, ".doStream"):
		s.AddText(dialect.Operation, mcpconv.OperationChat)
		s.Drop(dialect.AgentName)
	case strings.HasPrefix(base, "ai.embed"):
		repeatsUsage(s)
		for _, f := range []dialect.Field{dialect.AgentName, dialect.RequestModel, dialect.Provider} {
			s.Drop(f) // a model alone makes a generation of it in some backends
		}
	case strings.HasPrefix(base, "ai."):
		s.AddText(dialect.Operation, mcpconv.OperationAgent)
		repeatsUsage(s)
	default:
		return
	}
	s.Use(dialect.RawKind)
	vercelMessages(s)
}

// repeatsUsage leaves out what a span around calls of a model repeats of them.
func repeatsUsage(s *dialect.Span) {
	for f := dialect.InputTokens; f <= dialect.Reasoning; f++ {
		if s.Has(f) && !s.Own(f) {
			s.Drop(f)
			s.Repeats = mcpconv.RepeatsUsage
		}
	}
}

func vercelMessages(s *dialect.Span) {
	s.Convert(dialect.InputMessages, dialect.RawInput, "user")
	s.Convert(dialect.InputMessages, dialect.RawParams, "user")
	if s.Has(dialect.OutputMessages) || !s.Has(dialect.RawOutput) && !s.Has(dialect.RawMore) {
		return
	}
	b := &s.Builder
	b.Reset()
	b.Message("assistant")
	if reasoning := s.Text(dialect.RawFlag); reasoning != "" && len(reasoning) <= messages.MaxInput {
		b.Reasoning(reasoning)
	}
	if text := s.JSON(dialect.RawOutput); text != "" && len(text) <= messages.MaxInput {
		b.Text(text)
		s.Use(dialect.RawOutput)
	}
	if b.Parts(s.JSON(dialect.RawMore)) {
		s.Use(dialect.RawMore)
	}
	s.SetText(dialect.OutputMessages, b.String())
}
