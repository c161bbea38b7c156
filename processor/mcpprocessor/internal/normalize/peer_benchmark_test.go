package normalize

import (
	"context"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// peers are statements of the transform processor that have the effect of the
// normalizer for one kind of span of a dialect.
var peers = map[string]struct {
	statements string
	span       map[string]any
}{
	"openinference_tool": {`
trace_statements:
  - context: span
    conditions: ['attributes["openinference.span.kind"] == "TOOL"']
    statements:
      - set(attributes["gen_ai.operation.name"], "execute_tool") where attributes["gen_ai.operation.name"] == nil
      - set(attributes["gen_ai.tool.name"], attributes["tool.name"]) where attributes["gen_ai.tool.name"] == nil
      - set(attributes["mcp.tool.name"], attributes["tool.name"]) where attributes["mcp.tool.name"] == nil
      - set(attributes["gen_ai.tool.description"], attributes["tool.description"]) where attributes["gen_ai.tool.description"] == nil
      - set(attributes["gen_ai.tool.call.id"], attributes["tool_call.id"]) where attributes["gen_ai.tool.call.id"] == nil
      - set(attributes["mcp.tool.call_id"], attributes["tool_call.id"]) where attributes["mcp.tool.call_id"] == nil
      - set(attributes["gen_ai.tool.call.arguments"], attributes["input.value"]) where attributes["gen_ai.tool.call.arguments"] == nil
      - set(attributes["gen_ai.tool.call.result"], attributes["output.value"]) where attributes["gen_ai.tool.call.result"] == nil
      - set(attributes["gen_ai.conversation.id"], attributes["session.id"]) where attributes["gen_ai.conversation.id"] == nil
      - set(attributes["mcp.status.code"], "ok") where attributes["mcp.status.code"] == nil and status.code != 2
      - set(attributes["mcp.dialect"], "openinference") where attributes["mcp.dialect"] == nil
`, openInferenceTool},
	"openllmetry_tool": {`
trace_statements:
  - context: span
    conditions: ['attributes["traceloop.span.kind"] == "tool"']
    statements:
      - set(cache["in"], ParseJSON(attributes["traceloop.entity.input"]))
      - set(cache["out"], ParseJSON(attributes["traceloop.entity.output"]))
      - set(attributes["gen_ai.operation.name"], "execute_tool") where attributes["gen_ai.operation.name"] == nil
      - set(attributes["mcp.method.name"], "tools/call") where attributes["mcp.method.name"] == nil
      - set(attributes["mcp.rpc.method"], "tools/call") where attributes["mcp.rpc.method"] == nil
      - set(attributes["gen_ai.tool.type"], "extension") where attributes["gen_ai.tool.type"] == nil
      - set(attributes["gen_ai.tool.name"], attributes["traceloop.entity.name"]) where attributes["gen_ai.tool.name"] == nil
      - set(attributes["mcp.tool.name"], attributes["traceloop.entity.name"]) where attributes["mcp.tool.name"] == nil
      - set(attributes["gen_ai.tool.call.arguments"], String(cache["in"]["arguments"])) where attributes["gen_ai.tool.call.arguments"] == nil
      - set(attributes["gen_ai.tool.call.result"], String(cache["out"]["result"])) where attributes["gen_ai.tool.call.result"] == nil
      - set(attributes["mcp.dialect.kind"], "Unspecified") where kind.string == "Unspecified"
      - set(kind, SPAN_KIND_CLIENT) where kind.string == "Unspecified"
      - set(attributes["mcp.status.code"], "ok") where attributes["mcp.status.code"] == nil and status.code != 2
      - set(attributes["mcp.dialect"], "openllmetry") where attributes["mcp.dialect"] == nil
`, openLLMetryTool},
}

func transform(tb testing.TB, statements string, next *consumertest.TracesSink) processor.Traces {
	tb.Helper()
	factory := transformprocessor.NewFactory()
	cfg := factory.CreateDefaultConfig()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(statements))
	require.NoError(tb, err)
	conf, err := retrieved.AsConf()
	require.NoError(tb, err)
	require.NoError(tb, conf.Unmarshal(cfg))
	p, err := factory.CreateTraces(context.Background(), processortest.NewNopSettings(factory.Type()), cfg, next)
	require.NoError(tb, err)
	require.NoError(tb, p.Start(context.Background(), componenttest.NewNopHost()))
	tb.Cleanup(func() { require.NoError(tb, p.Shutdown(context.Background())) })
	return p
}

// TestPeerHasTheSameEffect keeps the comparison honest.
func TestPeerHasTheSameEffect(t *testing.T) {
	for name, peer := range peers {
		t.Run(name, func(t *testing.T) {
			sink := new(consumertest.TracesSink)
			require.NoError(t, transform(t, peer.statements, sink).ConsumeTraces(t.Context(), batchOf("x", peer.span)))
			ours, _ := newNormalizer(t, nil).Traces(t.Context(), batchOf("x", peer.span))
			span := func(td ptrace.Traces) map[string]any {
				return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
			}
			require.Equal(t, span(sink.AllTraces()[0]), span(ours))
		})
	}
}

// BenchmarkPeer is the normalizer beside the transform processor, and beside what no
// processor can do without: to write the same attributes, once it knows them.
func BenchmarkPeer(b *testing.B) {
	for name, peer := range peers {
		from, sink := batchOf("x", peer.span), new(consumertest.TracesSink)
		added := addedTo(b, peer.span)
		theirs, ours := transform(b, peer.statements, sink), newNormalizer(b, nil)
		b.Run(name+"/normalize", func(b *testing.B) {
			benchmark(b, from, func(td ptrace.Traces) { _, _ = ours.Traces(context.Background(), td) })
		})
		b.Run(name+"/only_write", func(b *testing.B) {
			benchmark(b, from, func(td ptrace.Traces) { writeOnly(td, added) })
		})
		b.Run(name+"/transform", func(b *testing.B) {
			benchmark(b, from, func(td ptrace.Traces) {
				sink.Reset()
				_ = theirs.ConsumeTraces(context.Background(), td)
			})
		})
	}
}

// addedTo are the attributes that the normalizer adds to a span, all of them texts.
func addedTo(tb testing.TB, span map[string]any) (added []translation) {
	tb.Helper()
	td, _ := newNormalizer(tb, nil).Traces(context.Background(), one("x", "GET /products", span))
	for key, v := range onlySpan(td).Attributes().All() {
		if _, before := span[key]; !before {
			added = append(added, translation{key, v.Str()})
		}
	}
	return added
}

// writeOnly writes attributes to all spans, with room for them made at once.
func writeOnly(td ptrace.Traces, added []translation) {
	for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		m := span.Attributes()
		m.EnsureCapacity(m.Len() + len(added))
		for _, one := range added {
			m.PutStr(one.from, one.to)
		}
	}
}
