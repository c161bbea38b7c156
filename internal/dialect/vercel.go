package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// vercel is the dialect of Vercel AI SDK, legacy spans.
var vercel = Dialect{
	Name: "vercel", Title: "Vercel AI SDK, legacy spans",
	Source: "ai-sdk.dev, AI SDK Core: Telemetry",
	Detect: Detect{Keys: []string{"ai.operationId"}, Scopes: []string{"ai"}},
	Keys: []Key{
		{From: "ai.operationId", To: RawKind},
		{From: "ai.toolCall.name", To: ToolName},
		{From: "ai.toolCall.id", To: ToolCallID},
		{From: "ai.toolCall.args", To: ToolArguments},
		{From: "ai.toolCall.result", To: ToolResult},
		{From: "ai.model.id", To: RequestModel},
		{From: "ai.model.provider", To: Provider, As: ReadProvider},
		{From: "gen_ai.system", To: Provider, As: ReadProvider},
		{From: "ai.prompt.messages", To: RawInput},
		{From: "ai.prompt", To: RawParams},
		{From: "ai.response.text", To: RawOutput},
		{From: "ai.response.object", To: RawOutput},
		{From: "ai.response.toolCalls", To: RawMore},
		{From: "ai.response.reasoning", To: RawFlag},
		{From: "ai.response.finishReason", To: FinishReasons},
		{From: "ai.response.id", To: ResponseID},
		{From: "ai.response.model", To: ResponseModel},
		{From: "ai.response.msToFirstChunk", To: FirstChunk, As: ReadMillis},
		{From: "ai.stream.msToFirstChunk", To: FirstChunk, As: ReadMillis},
		{From: "ai.settings.maxOutputTokens", To: MaxTokens},
		{From: "ai.settings.temperature", To: Temperature},
		{From: "ai.settings.topP", To: TopP},
		{From: "ai.usage.inputTokens", To: InputTokens},
		{From: "ai.usage.promptTokens", To: InputTokens},
		{From: "ai.usage.tokens", To: InputTokens},
		{From: "ai.usage.outputTokens", To: OutputTokens},
		{From: "ai.usage.completionTokens", To: OutputTokens},
		{From: "ai.usage.cachedInputTokens", To: CacheRead},
		{From: "ai.usage.inputTokenDetails.cacheReadTokens", To: CacheRead},
		{From: "ai.usage.inputTokenDetails.cacheWriteTokens", To: CacheWrite},
		{From: "ai.usage.reasoningTokens", To: Reasoning},
		{From: "ai.usage.outputTokenDetails.reasoningTokens", To: Reasoning},
		{From: "ai.telemetry.metadata.sessionId", To: Conversation},
		{From: "ai.telemetry.metadata.userId", To: UserID},
		{From: "ai.telemetry.functionId", To: AgentName},
	},
	Finish: finishVercel,
	Notes: []string{
		"The operation is that of `ai.operationId`: `….doGenerate` and `….doStream` are `chat`, `….doEmbed` is `embeddings`, `ai.toolCall` is `execute_tool`, and those around them are `invoke_agent`, but for `ai.embed` and `ai.embedMany`, which are no agents.",
		"The spans around model calls repeat their tokens: these are not translated, and the span gets `mcp.dialect.repeats=usage`.",
	},
}

func finishVercel(s *Span) {
	id := s.Text(RawKind)
	base, _, _ := strings.Cut(id, " ")
	switch {
	case base == "ai.toolCall":
		s.AddText(Operation, mcpconv.OperationTool)
		s.Drop(AgentName)
		s.AddText(ToolType, mcpconv.ToolTypeFunction)
	case strings.HasSuffix(base, ".doEmbed"):
		s.AddText(Operation, mcpconv.OperationEmbed)
		s.Drop(AgentName)
	case strings.HasSuffix(base, ".doGenerate"), strings.HasSuffix(base, ".doStream"):
		s.AddText(Operation, mcpconv.OperationChat)
		s.Drop(AgentName)
	case strings.HasPrefix(base, "ai.embed"):
		repeatsUsage(s)
		for _, f := range []Field{AgentName, RequestModel, Provider} {
			s.Drop(f) // a model alone makes a generation of it in some backends
		}
	case strings.HasPrefix(base, "ai."):
		s.AddText(Operation, mcpconv.OperationAgent)
		repeatsUsage(s)
	default:
		return
	}
	s.Use(RawKind)
	vercelMessages(s)
}

// repeatsUsage leaves out what a span around calls of a model repeats of them.
func repeatsUsage(s *Span) {
	for f := InputTokens; f <= Reasoning; f++ {
		if s.Has(f) && !s.Own(f) {
			s.Drop(f)
			s.Repeats = mcpconv.RepeatsUsage
		}
	}
}

func vercelMessages(s *Span) {
	s.Convert(InputMessages, RawInput, "user")
	s.Convert(InputMessages, RawParams, "user")
	if s.NoMessages || s.Has(OutputMessages) || !s.Has(RawOutput) && !s.Has(RawMore) {
		return
	}
	b := &s.Builder
	b.Reset()
	b.Message("assistant")
	if reasoning := s.Text(RawFlag); reasoning != "" && len(reasoning) <= messages.MaxInput {
		b.Reasoning(reasoning)
	}
	if text := s.JSON(RawOutput); text != "" && len(text) <= messages.MaxInput {
		b.Text(text)
		s.Use(RawOutput)
	}
	if b.Parts(s.JSON(RawMore)) {
		s.Use(RawMore)
	}
	s.SetText(OutputMessages, b.String())
}
