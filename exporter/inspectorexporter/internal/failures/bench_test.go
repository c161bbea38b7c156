package failures

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// BenchmarkAdd is one failed call on the wire in a session in which as many failed before as
// are remembered: of none of the others, or each in a step of its own that failed, too.
func BenchmarkAdd(b *testing.B) {
	for name, steps := range map[string]bool{"calls": false, "calls in steps": true} {
		b.Run(name, func(b *testing.B) {
			var f Failures
			call, around := ptrace.NewSpan(), ptrace.NewSpan()
			call.SetKind(ptrace.SpanKindClient)
			call.SetName("tool.call")
			call.Attributes().PutStr("mcp.rpc.method", "tools/call")
			call.Attributes().PutStr("mcp.tool.name", "read")
			around.SetEndTimestamp(1)
			i := 0
			add := func() {
				i++
				call.SetSpanID(pcommon.SpanID{1, byte(i >> 16), byte(i >> 8), byte(i)})
				call.SetParentSpanID(pcommon.SpanID{2, byte(i >> 16), byte(i >> 8), byte(i)})
				if f.Add(call, false); steps {
					around.SetSpanID(call.ParentSpanID())
					f.Add(around, false)
				}
			}
			for range maxKnown {
				add()
			}
			b.ReportAllocs()
			for b.Loop() {
				add()
			}
		})
	}
}
