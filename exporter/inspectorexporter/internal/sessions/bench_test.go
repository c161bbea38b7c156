package sessions

import (
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// BenchmarkBurst is one call of a session in which so many others are open: its
// start, and its end.
func BenchmarkBurst(b *testing.B) {
	for _, open := range []int{1, 10, 100, 900} {
		b.Run(strconv.Itoa(open), func(b *testing.B) {
			all, _ := board(10)
			start, end, resource := plog.NewLogRecord(), ptrace.NewSpan(), pcommon.NewResource()
			start.SetEventName("call.start")
			end.SetName("tool.call")
			put(start.Attributes(), "s", []any{"mcp.rpc.method", "tools/call", "mcp.tool.name", "search"})
			put(end.Attributes(), "s", []any{"mcp.rpc.method", "tools/call", "mcp.tool.name", "search"})
			start.SetTraceID([16]byte{1})
			end.SetTraceID([16]byte{1})
			end.SetParentSpanID([8]byte{1})
			call := func(i int, over bool) {
				id, from := pcommon.SpanID{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i), 7: 1}, at(i)
				start.SetSpanID(id)
				start.SetTimestamp(from)
				if !over {
					all.Log(resource, start, "")
					return
				}
				end.SetSpanID(id)
				end.SetStartTimestamp(from)
				end.SetEndTimestamp(from + 1)
				all.Span(resource, end, "")
			}
			for i := range open {
				call(i, false)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				call(open+i, false)
				call(i, true)
			}
		})
	}
}
