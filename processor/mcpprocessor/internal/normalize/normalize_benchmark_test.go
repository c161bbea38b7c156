package normalize

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
)

// batchSize is the number of spans in a batch of the benchmarks: many, so that stopping
// the timer for its copy weighs little.
const batchSize = 2000

// batchOf is a batch of the same span.
func batchOf(scope string, attributes map[string]any) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "checkout")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	for range batchSize {
		s := ss.Spans().AppendEmpty()
		s.SetName("GET /products")
		_ = s.Attributes().FromRaw(attributes)
	}
	return td
}

// stranger are the attributes of a span of no dialect: an HTTP client's.
var stranger = map[string]any{
	"http.request.method": "GET", "url.full": "http://localhost/products", "server.address": "localhost", "server.port": 80,
	"http.response.status_code": 200, "network.protocol.version": "1.1", "user_agent.original": "curl/8", "thread.id": 12,
}

var openInferenceTool = map[string]any{
	"openinference.span.kind": "TOOL", "tool.name": "weather", "tool.description": "The weather in a city", "tool_call.id": "call_1",
	"input.value": `{"city":"Oslo"}`, "input.mime_type": "application/json", "output.value": `{"celsius":21}`,
	"output.mime_type": "application/json", "session.id": "conversation-1", "metadata": "{}",
}

var openLLMetryTool = map[string]any{
	"traceloop.span.kind": "tool", "traceloop.entity.name": "weather", "traceloop.workflow.name": "plan",
	"traceloop.entity.input":  `{"tool_name":"weather","arguments":{"city":"Oslo"}}`,
	"traceloop.entity.output": `{"result":"21 °C"}`,
}

func BenchmarkNoDialect(b *testing.B) {
	for name, on := range map[string]bool{"on": true, "off": false} {
		b.Run(name, func(b *testing.B) {
			n := newNormalizer(b, func(c *Config) { c.Enabled = on })
			td := batchOf("io.opentelemetry.http", stranger)
			cputime.Loop(b, func() { _, _ = n.Traces(context.Background(), td) })
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batchSize), "ns/span")
		})
	}
}

func BenchmarkDialect(b *testing.B) {
	for name, attributes := range map[string]map[string]any{
		"openinference_tool": openInferenceTool,
		"openllmetry_tool":   openLLMetryTool,
		"vercel_tool": {
			"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather", "ai.toolCall.id": "call_1",
			"ai.toolCall.args": `{"city":"Oslo"}`, "ai.toolCall.result": `{"celsius":21}`, "operation.name": "ai.toolCall",
		},
	} {
		b.Run(name, func(b *testing.B) { benchmarkDialect(b, batchOf("x", attributes)) })
	}
	b.Run("openinference_llm", func(b *testing.B) {
		benchmarkDialect(b, manyOf(readTraces(b, "testdata/openinference/openai-js.json")))
	})
}

func benchmarkDialect(b *testing.B, from ptrace.Traces) {
	n := newNormalizer(b, nil)
	benchmark(b, from, func(td ptrace.Traces) { _, _ = n.Traces(context.Background(), td) })
}

// benchmark measures what run does to a copy of the batch. The copy is not measured.
func benchmark(b *testing.B, from ptrace.Traces, run func(td ptrace.Traces)) {
	var td ptrace.Traces
	cputime.LoopAfter(b, func() {
		td = ptrace.NewTraces()
		from.CopyTo(td)
	}, func() { run(td) })
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*from.SpanCount()), "ns/span")
}

// TestNoDialectCostsNoAllocation: most spans are none of an agent's.
func TestNoDialectCostsNoAllocation(t *testing.T) {
	n := newNormalizer(t, nil)
	td := batchOf("io.opentelemetry.http", stranger)
	before := ptrace.NewTraces()
	td.CopyTo(before)
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = n.Traces(ctx, td) }))
	require.Equal(t, before, td)
}

// TestDialectAllocatesWhatItWrites: a value for each attribute that is added, and once
// the memory for the attributes.
func TestDialectAllocatesWhatItWrites(t *testing.T) {
	n := newNormalizer(t, nil)
	for name, attributes := range map[string]map[string]any{"openinference": openInferenceTool, "openllmetry": openLLMetryTool} {
		from, ctx, added := batchOf("x", attributes), t.Context(), len(addedTo(t, attributes))
		copied := func() ptrace.Traces {
			td := ptrace.NewTraces()
			from.CopyTo(td)
			return td
		}
		copying := testing.AllocsPerRun(5, func() { copied() })
		all := testing.AllocsPerRun(5, func() { _, _ = n.Traces(ctx, copied()) })
		require.InDelta(t, added+1, (all-copying)/batchSize, 0.5, name)
	}
}

// manyOf is the traces many times.
func manyOf(from ptrace.Traces) ptrace.Traces {
	td := ptrace.NewTraces()
	for td.SpanCount() < batchSize {
		for _, rs := range from.ResourceSpans().All() {
			rs.CopyTo(td.ResourceSpans().AppendEmpty())
		}
	}
	return td
}
