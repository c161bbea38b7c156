package dialect

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
)

// ReadUsage reads an object that counts tokens.
func ReadUsage(s *Span, usage messages.Value) {
	beside := false
	for name, v := range usage.Members() {
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
		WholeInput(s)
	}
}

// WholeInput adds to the tokens of the input those that a cache gave or took.
func WholeInput(s *Span) {
	if s.Own(InputTokens) {
		return
	}
	input, ok := s.Int(InputTokens)
	if !ok {
		return
	}
	read, _ := s.Int(CacheRead)
	written, _ := s.Int(CacheWrite)
	if read < 0 || written < 0 || input < 0 || read > 1<<40 || written > 1<<40 || input > 1<<40 {
		return
	}
	s.values[InputTokens].SetInt(input + read + written)
}
