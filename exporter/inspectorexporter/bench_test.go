package inspectorexporter

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// BenchmarkTraces is what a span costs the pipeline: its session's row, its line
// and its place in the buffer; files are written elsewhere.
func BenchmarkTraces(b *testing.B) { benchmarkTraces(b, ptrace.StatusCodeUnset) }

// BenchmarkFailed is what it costs if all of them failed.
func BenchmarkFailed(b *testing.B) { benchmarkTraces(b, ptrace.StatusCodeError) }

func benchmarkTraces(b *testing.B, status ptrace.StatusCode) {
	cfg := configFor(b.TempDir())
	r := start(b, cfg)
	payload := `{"content":[{"type":"text","text":"` + strings.Repeat("x", 500) + `"}],"isError":false}`
	const spans = 100
	fill := make([]func(ptrace.Span), spans)
	for i := range fill {
		fill[i] = func(s ptrace.Span) {
			span("s-1", "tool.call", call, root, 1, 3, "mcp.tool.name", "grep", "mcp.tool.output_json", payload,
				"mcp.rpc.method", "tools/call", "mcp.rpc.duration_ms", 2000, "mcp.rpc.transport", "stdio")(s)
			s.SetSpanID([8]byte{1, byte(i)})
			s.Status().SetCode(status)
		}
	}
	td := spansOf(fill...)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if err := r.traces(b.Context(), td); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/spans, "ns/span")
	b.StopTimer()
}
