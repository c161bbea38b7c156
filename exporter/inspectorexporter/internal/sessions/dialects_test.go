package sessions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// normalized is what the processor makes of a recorded trace of a framework.
func normalized(t *testing.T, fixture string) ptrace.Traces {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../../processor/mcpprocessor/internal/normalize/testdata", fixture))
	require.NoError(t, err)
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
	require.NoError(t, err)
	return normalize(t, td)
}

// show gives a board all spans, as the exporter does.
func show(b *Board, td ptrace.Traces) (id string) {
	for _, foresee := range []bool{true, false} {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if foresee {
						b.Foresee(rs.Resource(), span)
					} else if u := b.Span(rs.Resource(), span, ss.Scope().Name()); u.ID != "" {
						id = u.ID
					}
				}
			}
		}
	}
	return id
}

// TestFrameworks: whatever dialect a framework writes, its session shows its tools,
// model calls, tokens, agents and errors, each counted once.
func TestFrameworks(t *testing.T) {
	usage := func(calls int64) *Usage {
		return &Usage{Input: 120 * calls, Output: 18 * calls, CacheRead: 64 * calls, Reasoning: 5 * calls}
	}
	without := func(u *Usage, change func(*Usage)) *Usage {
		change(u)
		return u
	}
	for fixture, want := range map[string]struct {
		id, model, host string
		Totals
	}{
		"openinference/openai-js.json":    {model: "gpt-4o", host: "openinference-agent", Totals: Totals{LLMCalls: 1, Usage: usage(1)}},
		"openinference/langchain-js.json": {id: "conversation-1", host: "langchain-agent", Totals: Totals{LLMCalls: 1, ToolCalls: 1}},
		"openllmetry/openai-js.json": {model: "gpt-4o", host: "openllmetry-agent", Totals: Totals{
			LLMCalls: 1, Usage: &Usage{Input: 120, Output: 18},
		}},
		"openllmetry/mcp-js.json": {host: "mcp-program", Totals: Totals{ToolCalls: 2, Errors: 1}},
		"vercel/ai-5.json": {id: "conversation-1", model: "gpt-4o", host: "vercel-agent", Totals: Totals{
			LLMCalls: 2, ToolCalls: 1, Turns: 1, Usage: &Usage{Input: 240, Output: 36},
		}},
		"vercel_otel/ai-7.json": {model: "gpt-4o", host: "vercel-agent", Totals: Totals{
			LLMCalls: 2, ToolCalls: 1, Turns: 1, Usage: without(usage(2), func(u *Usage) { u.Reasoning = 0 }),
		}},
		"adk/adk-js.json": {id: "conversation-1", model: "gemini-2.5-flash", host: "adk-agent", Totals: Totals{
			LLMCalls: 2, ToolCalls: 1, Agents: 1, Usage: without(usage(2), func(u *Usage) { u.Reasoning = 0 }),
		}},
		"langfuse/sdk-js.json": {id: "conversation-1", model: "gpt-4o", host: "langfuse-agent", Totals: Totals{
			LLMCalls: 1, ToolCalls: 2, Turns: 1, Errors: 1, Usage: &Usage{Input: 120, Output: 18, CacheRead: 64, CostUSD: 0.0021},
		}},
		"openinference/openai-agents-js.json": {model: "gpt-4o", host: "openai-agents", Totals: Totals{LLMCalls: 3, ToolCalls: 2, Agents: 1, Errors: 1, Usage: usage(3)}},
		"openinference/langgraph-js.json": {id: "conversation-1", model: "gpt-4o", host: "langgraph-agent", Totals: Totals{
			LLMCalls: 3, ToolCalls: 2, Errors: 1, Usage: usage(3),
		}},
		"mastra/otel-exporter-js.json": {id: "conversation-1", model: "gpt-4o", host: "mastra-agent", Totals: Totals{
			LLMCalls: 3, ToolCalls: 2, Turns: 1, Errors: 1, Usage: usage(3),
		}},
		"genkit/genkit-go.json": {model: "gpt-4o", host: "genkit-agent", Totals: Totals{LLMCalls: 2, ToolCalls: 2, Errors: 1, Usage: usage(2)}},
	} {
		t.Run(fixture, func(t *testing.T) {
			b, _ := board(10)
			id := show(b, normalized(t, fixture))
			got := row(t, b, id)
			if want.id != "" {
				assert.Equal(t, want.id, got.ID)
			}
			assert.Equal(t, want.model, got.Model)
			assert.Equal(t, want.host, got.Host)
			assert.Equal(t, want.Totals, got.Totals)
		})
	}
}

// TestOneCallInTwoProcesses: a server's span of a call counts only if no client's does.
func TestOneCallInTwoProcesses(t *testing.T) {
	call := func(id, parent byte, kind ptrace.SpanKind, flags uint32) ptrace.Span {
		s := ptrace.NewSpan()
		s.SetTraceID([16]byte{7})
		s.SetSpanID([8]byte{id})
		if parent != 0 {
			s.SetParentSpanID([8]byte{parent})
		}
		s.SetKind(kind)
		s.SetFlags(flags)
		s.SetStartTimestamp(1e9)
		s.SetEndTimestamp(2e9)
		put(s.Attributes(), "s", []any{"gen_ai.operation.name", "execute_tool"})
		return s
	}
	for name, test := range map[string]struct {
		server ptrace.Span
		want   int64
	}{
		"of that client":           {call(3, 2, ptrace.SpanKindServer, 0x300), 1},
		"of an unknown parent":     {call(3, 2, ptrace.SpanKindServer, 0), 1},
		"below one's own HTTP":     {call(3, 2, ptrace.SpanKindServer, 0x100), 2},
		"another call of a client": {call(3, 2, ptrace.SpanKindClient, 0x300), 2},
	} {
		client := call(2, 1, ptrace.SpanKindClient, 0)
		for _, order := range [][]ptrace.Span{{client, test.server}, {test.server, client}} {
			b, _ := board(10)
			for _, span := range order {
				b.Span(pcommon.NewResource(), span, "")
			}
			assert.Equal(t, test.want, row(t, b, "s").ToolCalls, name)
		}
		b, _ := board(10)
		b.Span(pcommon.NewResource(), test.server, "")
		assert.Equal(t, int64(1), row(t, b, "s").ToolCalls, "%s, whose client sends nothing", name)
	}
}

// TestSubAgentsOnce: what repeats an agent's call that others report is none of its own.
func TestSubAgentsOnce(t *testing.T) {
	b, _ := board(10)
	span("s", "agent_call", 2, 1, 1, 2, "gen_ai.operation.name", "invoke_agent", "mcp.dialect.repeats", "call")(b)
	span("s", "agent.call", 3, 1, 1, 2)(b)
	assert.Equal(t, int64(1), row(t, b, "s").Agents)
}
