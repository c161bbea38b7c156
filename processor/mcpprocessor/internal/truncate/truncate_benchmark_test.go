package truncate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const benchmarkSpans = 100

// spansOf makes spans with ten attributes, of which one is a payload.
func spansOf(payload string) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range benchmarkSpans {
		attrs := spans.AppendEmpty().Attributes()
		attrs.PutStr("mcp.method.name", "tools/call")
		attrs.PutStr("mcp.session.id", fmt.Sprintf("session-%d", i))
		attrs.PutStr("mcp.protocol.version", "2025-11-25")
		attrs.PutStr("gen_ai.operation.name", "execute_tool")
		attrs.PutStr("gen_ai.tool.name", "read_file")
		attrs.PutStr("network.transport", "pipe")
		attrs.PutInt("jsonrpc.request.id", int64(i))
		attrs.PutBool("mcp.tool.error", false)
		attrs.PutDouble("mcp.elapsed", 1.5)
		attrs.PutStr("mcp.tool.result_json", payload)
	}
	return td
}

// refill puts the payload back, in place, after it was cut.
func refill(td ptrace.Traces, payload string) {
	for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return strings.HasSuffix(key, flagSuffix) })
		span.Attributes().PutStr("mcp.tool.result_json", payload)
	}
}

// truncateAll does what the transform processor does with
// `truncate_all(span.attributes, 30720)`.
func truncateAll(b *testing.B) func(ptrace.Traces) {
	settings := componenttest.NewNopTelemetrySettings()
	parser, err := ottlspan.NewParser(ottlfuncs.StandardFuncs[*ottlspan.TransformContext](), settings, ottlspan.EnablePathContextNames())
	require.NoError(b, err)
	statements, err := parser.ParseStatements([]string{fmt.Sprintf("truncate_all(span.attributes, %d)", defaultMaxBytes)})
	require.NoError(b, err)
	sequence := ottl.NewStatementSequence(statements, settings)
	return func(td ptrace.Traces) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					tCtx := ottlspan.NewTransformContextPtr(rs, ss, span)
					require.NoError(b, sequence.Execute(b.Context(), tCtx))
					tCtx.Close()
				}
			}
		}
	}
}

// BenchmarkTruncate runs beside OTTL's truncate_all, on the same spans.
func BenchmarkTruncate(b *testing.B) {
	prefix := limited(defaultMaxBytes)
	json := truncatorOf(func(c *Config) { c.Mode = ModeJSON })
	doc := func(n int) string { return `{"text":"` + strings.Repeat("a", n-len(`{"text":""}`)) + `"}` }
	for _, c := range []struct{ name, payload string }{
		{"fits", doc(1024)},
		{"40KiB", doc(40 << 10)},
		{"200KiB", doc(200 << 10)},
	} {
		for _, way := range []struct {
			name string
			run  func(ptrace.Traces)
		}{
			{"prefix", func(td ptrace.Traces) { prefix.traces(td) }},
			{"json", func(td ptrace.Traces) { json.traces(td) }},
			{"ottl", truncateAll(b)},
		} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) { perSpan(b, c.payload, way.run) })
		}
	}
}

func perSpan(b *testing.B, payload string, run func(ptrace.Traces)) {
	td := spansOf(payload)
	b.ReportAllocs()
	for b.Loop() {
		if len(payload) > defaultMaxBytes {
			b.StopTimer()
			refill(td, payload)
			b.StartTimer()
		}
		run(td)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchmarkSpans, "ns/span")
}
