package sessions

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWhatARowSums: model, turns, refusals, sources and usage.
func TestWhatARowSums(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	assert.Equal(t, "mcp", row(t, b, "s").Engine)
	assert.Nil(t, row(t, b, "s").Usage)
	for i := range 2 {
		span("s", "chat", byte(3+i), 1, 1, 2, "gen_ai.operation.name", "chat", "gen_ai.request.model", "claude", "gen_ai.response.model", "claude-sonnet-4",
			"gen_ai.usage.input_tokens", 100, "gen_ai.usage.output_tokens", 20, "gen_ai.usage.cache_read.input_tokens", 70,
			"gen_ai.usage.cache_creation.input_tokens", 5, "gen_ai.usage.reasoning.output_tokens", 3, "mcp.llm.cost_usd", 0.25)(b)
	}
	span("s", "chat", 3, 1, 1, 2, "gen_ai.operation.name", "chat", "gen_ai.usage.input_tokens", 100)(b) // a repeat
	span("s", "invoke_agent", 5, 1, 1, 2, "gen_ai.operation.name", "invoke_agent", "gen_ai.usage.input_tokens", 1000)(b)
	span("s", "agent.turn", 6, 1, 1, 5, "mcp.turn.index", 1)(b)
	span("s", "tool.call", 7, 6, 2, 3, "mcp.tool.decision", "reject")(b)
	span("s", "tool.call", 8, 6, 2, 3, "mcp.tool.decision", "accept")(b)
	got := row(t, b, "s")
	assert.Equal(t, "claude-sonnet-4", got.Model)
	assert.EqualValues(t, 1, got.Turns)
	assert.EqualValues(t, 1, got.Refusals)
	assert.EqualValues(t, 2, got.LLMCalls)
	assert.Equal(t, &Usage{Input: 200, Output: 40, CacheRead: 140, CacheWrite: 10, Reasoning: 6, CostUSD: 0.5}, got.Usage)
	assert.Nil(t, got.Tokens, "that is what fills the context window")

	span("s", "session.summary", 9, 1, 6, 6, "mcp.summary.input_tokens", 300, "mcp.summary.turns", 4, "mcp.summary.refusals", 2, "mcp.summary.cost_usd", 0.75)(b)
	span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed", "mcp.workflow.engine", "temporal",
		"mcp.session.sources", []any{"hooks", "otlp_spans"})(b)
	got = row(t, b, "s")
	assert.Equal(t, []string{"hooks", "otlp_spans"}, got.Sources)
	assert.EqualValues(t, 4, got.Turns)
	assert.EqualValues(t, 2, got.Refusals)
	assert.EqualValues(t, 300, got.Usage.Input)
	assert.EqualValues(t, 40, got.Usage.Output)
	assert.InDelta(t, 0.75, got.Usage.CostUSD, 0)
	assert.Equal(t, "temporal", got.Engine)
}

func TestHostileUsage(t *testing.T) {
	b, _ := board(10)
	many := make([]any, 1000)
	for i := range many {
		many[i] = "x"
	}
	span("s", "llm.generate", 3, 1, 1, 2, "gen_ai.usage.input_tokens", -5, "gen_ai.usage.output_tokens", "many", "mcp.llm.cost_usd", "inf", "mcp.session.sources", many)(b)
	span("s", "llm.generate", 4, 1, 1, 2, "gen_ai.usage.input_tokens", int64(1)<<62)(b)
	span("s", "llm.generate", 5, 1, 1, 2, "gen_ai.usage.input_tokens", int64(1)<<62)(b)
	got := row(t, b, "s")
	assert.GreaterOrEqual(t, got.Usage.Input, int64(0))
	assert.LessOrEqual(t, len(got.Sources), 16)
}

func TestEngineOfTheReference(t *testing.T) {
	b, _ := board(10)
	u := span("s", "session.start", 2, 1, 0, 0, "mcp.engine.type", "asyncio")(b)
	assert.Equal(t, "asyncio", row(t, b, "s").Engine)
	assert.Equal(t, "asyncio", *u.Events[0].Engine)
	u = span("r", "session.start", 2, 1, 0, 0)(b)
	assert.Equal(t, "mcp", *u.Events[0].Engine)
}
