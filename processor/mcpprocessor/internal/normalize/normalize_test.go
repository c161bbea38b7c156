package normalize

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

func onlySpan(td ptrace.Traces) ptrace.Span {
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
}

// one is a trace of one span.
func one(scope, name string, attributes map[string]any) ptrace.Traces {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	s := ss.Spans().AppendEmpty()
	s.SetName(name)
	_ = s.Attributes().FromRaw(attributes)
	return td
}

// TestAlso: backends that read keys of their own get them, of spans that keep to the
// conventions as well. Langfuse counts what came from a cache beside the input.
func TestAlso(t *testing.T) {
	n := newNormalizer(t, func(c *Config) { c.Also = []string{OpenInference, Langfuse} })
	chat := map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o", "gen_ai.input.messages": "[]", "gen_ai.conversation.id": "c",
		"gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 18, "gen_ai.usage.cache_read.input_tokens": 64,
	}
	for _, scope := range []string{"x", mcpconv.ReceiverScope} {
		td, _ := n.Traces(t.Context(), one(scope, "chat", chat))
		got := onlySpan(td).Attributes().AsRaw()
		for key, want := range map[string]any{
			"openinference.span.kind": "LLM", "llm.model_name": "gpt-4o", "llm.token_count.prompt": int64(120), "input.value": "[]",
			"session.id": "c", "langfuse.observation.type": "generation", "langfuse.observation.model.name": "gpt-4o",
			"langfuse.observation.input":         "[]",
			"langfuse.observation.usage_details": `{"output":18,"cache_read_input_tokens":64,"input":56}`,
		} {
			assert.Equal(t, want, got[key], key)
		}
	}
	failed := one("x", "weather", map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": "no"})
	onlySpan(failed).Status().SetCode(ptrace.StatusCodeError)
	onlySpan(failed).Status().SetMessage("no such city")
	td, _ := n.Traces(t.Context(), failed)
	got := onlySpan(td).Attributes().AsRaw()
	assert.Equal(t, "TOOL", got["openinference.span.kind"])
	assert.Equal(t, "ERROR", got["langfuse.observation.level"])
	assert.Equal(t, "no such city", got["langfuse.observation.status_message"])
	assert.Equal(t, "no", got["output.value"])
}

// TestSchema: a scope says what it keeps to only if all of it does, and keeps what it
// said before.
func TestSchema(t *testing.T) {
	n := newNormalizer(t, nil)
	tool := map[string]any{"openinference.span.kind": "TOOL"}
	schema := func(change func(ptrace.ScopeSpans)) string {
		td := one("x", "weather", tool)
		change(td.ResourceSpans().At(0).ScopeSpans().At(0))
		td, _ = n.Traces(t.Context(), td)
		return td.ResourceSpans().At(0).ScopeSpans().At(0).SchemaUrl()
	}
	assert.Equal(t, mcpconv.GenAISchema, schema(func(ptrace.ScopeSpans) {}))
	assert.Empty(t, schema(func(ss ptrace.ScopeSpans) { ss.Spans().AppendEmpty().SetName("GET /") }))
	assert.Equal(t, "https://x", schema(func(ss ptrace.ScopeSpans) { ss.SetSchemaUrl("https://x") }))
}

// TestExceptionWithoutType: not all that record an exception say what it was.
func TestExceptionWithoutType(t *testing.T) {
	td := one("x", "weather", map[string]any{"openinference.span.kind": "TOOL"})
	onlySpan(td).Status().SetCode(ptrace.StatusCodeError)
	onlySpan(td).Events().AppendEmpty().SetName("exception")
	td, _ = newNormalizer(t, nil).Traces(t.Context(), td)
	kind, _ := onlySpan(td).Attributes().Get("error.type")
	assert.Equal(t, "_OTHER", kind.Str())
}

// TestOwnTelemetryStays: what this project's receiver makes has all keys already.
func TestOwnTelemetryStays(t *testing.T) {
	n := newNormalizer(t, nil)
	attributes := map[string]any{"mcp.rpc.method": "tools/call", "mcp.tool.name": "weather"}
	td, _ := n.Traces(t.Context(), one(mcpconv.ReceiverScope, "tool.call", attributes))
	assert.Equal(t, attributes, onlySpan(td).Attributes().AsRaw())
}

// TestChosenDialects: the others stay as they are.
func TestChosenDialects(t *testing.T) {
	n := newNormalizer(t, func(c *Config) { c.Dialects = []string{"vercel"} })
	tool := map[string]any{"openinference.span.kind": "TOOL"}
	td, _ := n.Traces(t.Context(), one("x", "weather", tool))
	assert.Equal(t, tool, onlySpan(td).Attributes().AsRaw())
}

// TestOff: conventions, kinds, statuses, names and originals are what the
// configuration says.
func TestOff(t *testing.T) {
	n := newNormalizer(t, func(c *Config) {
		c.Conventions, c.Kinds, c.Status, c.RenameSpans, c.RemoveOriginals = []string{Inspector}, false, false, true, true
	})
	td := one("x", "forecast.tool", map[string]any{
		"traceloop.span.kind": "tool", "traceloop.entity.input": `{"tool_name":"forecast","arguments":{"city":"Oslo"}}`, "other": 1,
	})
	onlySpan(td).Status().SetMessage("21 °C")
	td, _ = n.Traces(t.Context(), td)
	span := onlySpan(td)
	assert.Equal(t, map[string]any{
		"mcp.rpc.method": "tools/call", "mcp.tool.name": "forecast", "mcp.tool.input_json": `{"city":"Oslo"}`, "mcp.status.code": "ok",
		"mcp.dialect": "openllmetry", "mcp.dialect.span_name": "forecast.tool", "other": int64(1),
	}, span.Attributes().AsRaw())
	assert.Equal(t, "tools/call forecast", span.Name())
	assert.Equal(t, ptrace.SpanKindUnspecified, span.Kind())
	assert.Equal(t, "21 °C", span.Status().Message())
}

// TestConcurrently: batches may be processed at the same time.
func TestConcurrently(t *testing.T) {
	n := newNormalizer(t, nil)
	want, _ := n.Traces(t.Context(), readTraces(t, "testdata/openinference/openai-js.json"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				got, _ := n.Traces(t.Context(), readTraces(t, "testdata/openinference/openai-js.json"))
				assert.Equal(t, want, got)
			}
		})
	}
	all.Wait()
}

// TestSpansDoNotMix: what is known of a span is not there any more for the next one.
func TestSpansDoNotMix(t *testing.T) {
	n := newNormalizer(t, nil)
	together := ptrace.NewTraces()
	for range 2 {
		for _, file := range fixtures(t) {
			if !isLogs(file) {
				for _, rs := range readTraces(t, file).ResourceSpans().All() {
					rs.CopyTo(together.ResourceSpans().AppendEmpty())
				}
			}
		}
	}
	alone := ptrace.NewTraces()
	for _, rs := range together.ResourceSpans().All() {
		td := ptrace.NewTraces()
		rs.CopyTo(td.ResourceSpans().AppendEmpty())
		td, _ = newNormalizer(t, nil).Traces(t.Context(), td)
		td.ResourceSpans().At(0).CopyTo(alone.ResourceSpans().AppendEmpty())
	}
	together, _ = n.Traces(t.Context(), together)
	require.Equal(t, alone, together)
}
