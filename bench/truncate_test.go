package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
)

const (
	maxBytes   = 30 << 10 // the processor's default
	payloadKey = "mcp.tool.output_json"
)

// BenchmarkTruncate runs a batch through the mcp processor that only truncates
// (ours), through the transform processor with truncate_all, and through ours when
// it is turned off, which tells what any processor costs. With stitching, as by
// default, is another case, in which there is nothing to join.
func BenchmarkTruncate(b *testing.B) {
	truncateAll := map[string]any{"trace_statements": []any{fmt.Sprintf("truncate_all(span.attributes, %d)", maxBytes)}}
	alone := map[string]any{"stitch": off, "normalize": off}
	nothing := map[string]any{"stitch": off, "normalize": off, "truncate": off}
	for _, c := range []struct {
		name string
		size int
	}{{"fits", 1 << 10}, {"cut-40KiB", 40 << 10}, {"cut-200KiB", 200 << 10}} {
		b.Run(c.name, func(b *testing.B) {
			payload := strings.Repeat("a", c.size)
			b.Run("ours", func(b *testing.B) { truncate(b, mcpprocessor.NewFactory(), alone, payload) })
			b.Run("ottl", func(b *testing.B) { truncate(b, transformprocessor.NewFactory(), truncateAll, payload) })
			b.Run("off", func(b *testing.B) { truncate(b, mcpprocessor.NewFactory(), nothing, payload) })
		})
	}
}

// BenchmarkTruncateStitch is BenchmarkTruncate with stitching.
func BenchmarkTruncateStitch(b *testing.B) {
	truncateAll := map[string]any{"trace_statements": []any{fmt.Sprintf("truncate_all(span.attributes, %d)", maxBytes)}}
	payload := strings.Repeat("a", 1<<10)
	both := map[string]any{"normalize": off}
	b.Run("fits/ours", func(b *testing.B) { truncate(b, mcpprocessor.NewFactory(), both, payload) })
	b.Run("fits/ottl", func(b *testing.B) { truncate(b, transformprocessor.NewFactory(), truncateAll, payload) })
}

func truncate(b *testing.B, factory processor.Factory, conf map[string]any, payload string) {
	p := newProcessor(b, factory, conf)
	td := tenAttributes(payload)
	run := func() {
		if err := p.ConsumeTraces(b.Context(), td); err != nil {
			b.Fatal(err)
		}
	}
	if len(payload) <= maxBytes {
		cputime.Loop(b, run)
		return
	}
	cputime.LoopAfter(b, func() { refill(td, payload) }, run)
}

func newProcessor(b *testing.B, factory processor.Factory, conf map[string]any) consumer.Traces {
	cfg := factory.CreateDefaultConfig()
	require.NoError(b, confmap.NewFromStringMap(conf).Unmarshal(cfg))
	p, err := factory.CreateTraces(b.Context(), processortest.NewNopSettings(factory.Type()), cfg, consumertest.NewNop())
	require.NoError(b, err)
	return p
}

// tenAttributes makes spans of tool calls, in ten traces that are mixed, of which one
// attribute in ten is a payload. No two of them join.
func tenAttributes(payload string) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range spansInBatch {
		span := spans.AppendEmpty()
		span.SetTraceID(traceID(1 + i%10))
		span.SetSpanID(pcommon.SpanID{7: byte(1 + i)})
		span.SetKind(ptrace.SpanKindClient)
		attrs := span.Attributes()
		attrs.PutStr("session.id", fmt.Sprintf("session-%d", i))
		attrs.PutStr("mcp.method.name", "tools/call")
		attrs.PutStr("mcp.protocol.version", "2025-11-25")
		attrs.PutStr("mcp.rpc.direction", "outbound")
		attrs.PutStr("gen_ai.operation.name", "execute_tool")
		attrs.PutStr("gen_ai.tool.name", "read_file")
		attrs.PutStr("jsonrpc.request.id", strconv.Itoa(i))
		attrs.PutStr("network.transport", "pipe")
		attrs.PutInt("mcp.rpc.duration_ms", 12)
		attrs.PutStr(payloadKey, payload)
	}
	return td
}

// refill puts the payload back, in place, after it was cut.
func refill(td ptrace.Traces, payload string) {
	for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return strings.HasPrefix(key, payloadKey+"_") })
		span.Attributes().PutStr(payloadKey, payload)
	}
}
