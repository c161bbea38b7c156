package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

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
		"`usage_details` and `cost_details` are read whatever the names of their members: input, output, prompt_tokens, cache_read_input_tokens and so on.",
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
	readUsage(s, messages.Valid(s.JSON(RawParams)))
	if total, ok := messages.Member(messages.Valid(s.JSON(RawMore)), "total").Float(); ok {
		s.AddText(Cost, formatSeconds(total))
	}
	if s.Text(RawFlag) == "ERROR" {
		s.Failed, s.ErrorText = true, s.Text(RawID)
	}
	if s.Has(Operation) {
		s.Use(RawKind)
	}
}

// readUsage reads an object that counts tokens.
func readUsage(s *Span, usage messages.Value) {
	beside := false
	for name, v := range messages.Members(usage) {
		n, ok := v.Int()
		if !ok || n < 0 {
			continue
		}
		s.Use(RawParams)
		switch strings.ToLower(name) {
		case "input": // Langfuse's own, without what came from a cache
			beside = !s.Has(InputTokens)
			s.AddInt(InputTokens, n)
		case "prompt_tokens", "prompttokencount", "prompttokens", "input_tokens", "inputtokens", "prompt_token_count":
			s.AddInt(InputTokens, n)
		case "output", "completion_tokens", "completiontokens", "output_tokens", "outputtokens", "candidates_token_count", "candidatestokencount":
			s.AddInt(OutputTokens, n)
		case "cache_read_input_tokens", "input_cached_tokens", "cachedinputtokens", "cached_content_token_count", "cachedcontenttokencount", "cachedcontenttokens", "cachereadinputtokens":
			s.AddInt(CacheRead, n)
		case "cache_creation_input_tokens", "cachewriteinputtokens", "input_cache_creation":
			s.AddInt(CacheWrite, n)
		case "output_reasoning_tokens", "reasoningtokens", "reasoning_tokens", "thoughts_token_count", "thoughtstokencount", "thoughtstokens":
			s.AddInt(Reasoning, n)
		}
	}
	if beside {
		wholeInput(s)
	}
}
