package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A framework's span of a tool and the one of its MCP client in it are one call, in
// whatever order they come, unless they are of different tools.
func TestNestedToolSpans(t *testing.T) {
	tool := func(id, parent byte, kind ptrace.SpanKind, name string, attributes map[string]any) ptrace.Span {
		s := ptrace.NewSpan()
		s.SetTraceID(pcommon.TraceID{1})
		s.SetSpanID(pcommon.SpanID{id})
		s.SetParentSpanID(pcommon.SpanID{parent})
		s.SetKind(kind)
		s.SetName("execute_tool")
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Unix(1, 0)))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Unix(2, 0)))
		_ = s.Attributes().FromRaw(attributes)
		s.Attributes().PutStr("session.id", "s-1")
		s.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
		s.Attributes().PutStr("gen_ai.tool.name", name)
		return s
	}
	outer := func(id byte, name string) ptrace.Span {
		return tool(id, 99, ptrace.SpanKindInternal, name, map[string]any{"gen_ai.tool.call.id": "call_" + name})
	}
	inner := func(id, parent byte, name string) ptrace.Span {
		return tool(id, parent, ptrace.SpanKindClient, name, map[string]any{"mcp.method.name": "tools/call"})
	}
	for name, of := range map[string]struct {
		spans []ptrace.Span
		calls int64
	}{
		"the inner first": {[]ptrace.Span{inner(2, 1, "search"), outer(1, "search")}, 1},
		"the outer first": {[]ptrace.Span{outer(1, "search"), inner(2, 1, "search")}, 1},
		"with a prefix":   {[]ptrace.Span{inner(2, 1, "search"), outer(1, "github__search")}, 1},
		"two calls":       {[]ptrace.Span{inner(2, 1, "search"), outer(1, "search"), inner(4, 3, "fetch"), outer(3, "fetch")}, 2},
		"another tool":    {[]ptrace.Span{inner(2, 1, "search"), outer(1, "research")}, 2},
		"beside it":       {[]ptrace.Span{inner(2, 9, "search"), outer(1, "search")}, 2},
		"calls others":    {[]ptrace.Span{outer(2, "search"), tool(1, 99, ptrace.SpanKindInternal, "search", nil)}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(10, func() time.Time { return time.Unix(3, 0) })
			for _, s := range of.spans {
				b.Span(pcommon.NewResource(), s, "scope")
			}
			assert.Equal(t, of.calls, b.byID["s-1"].row.ToolCalls)
		})
	}
}
