package sessions

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"
)

// half makes a span of one side of a call; an empty session is named by its trace.
func half(session string, trace, id, parent byte, kind ptrace.SpanKind, name string, pairs ...any) item {
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID{trace})
	s.SetSpanID(pcommon.SpanID{id})
	if parent != 0 {
		s.SetParentSpanID(pcommon.SpanID{parent})
	}
	s.SetKind(kind)
	s.SetName(name)
	s.SetStartTimestamp(at(int(id)))
	s.SetEndTimestamp(at(int(id) + 10))
	put(s.Attributes(), session, pairs)
	if session == "" {
		s.Attributes().Remove("session.id")
	}
	return func(b *Board) Update {
		b.Foresee(pcommon.NewResource(), s)
		return b.Span(pcommon.NewResource(), s, "")
	}
}

// TestHalvesAreOneRow: the trace of a server, or an Inspector's inbound session, is part of
// the row of the session whose call it served, in whatever order the spans of both come,
// linked or moved into the caller's trace.
func TestHalvesAreOneRow(t *testing.T) {
	const client, server, internal = ptrace.SpanKindClient, ptrace.SpanKindServer, ptrace.SpanKindInternal
	request := []any{"mcp.request_id", "0123456789abcdef", "gen_ai.operation.name", "execute_tool"}
	moved := append([]any{"mcp.stitch.original_trace_id", "02000000000000000000000000000000"}, request...)
	work := []any{"gen_ai.operation.name", "chat"}
	for name, served := range map[string][]item{
		"a trace":                {half("", 2, 5, 0, server, "tools/call deploy", request...), half("", 2, 6, 5, internal, "chat", work...)},
		"an inbound session":     {half("in", 2, 5, 0, server, "workflow.run", request...), half("in", 2, 6, 5, internal, "chat", work...)},
		"a session that reports": {half("in", 2, 5, 0, server, "workflow.run", request...), record("in", "mcp.session.state", 5, 5, "mcp.session.state.sequence", 1)},
		"a trace that was moved": {half("", 1, 5, 3, server, "tools/call deploy", moved...), half("", 1, 6, 5, internal, "chat", work...)},
		"a moved session":        {half("in", 1, 5, 3, server, "workflow.run", moved...), half("in", 1, 6, 5, internal, "chat", work...)},
	} {
		t.Run(name, func(t *testing.T) {
			all := append([]item{
				half("out", 1, 3, 1, client, "tool.call", request...),
				half("out", 1, 4, 3, client, "tools/call deploy", request...), // one claim, inside of the other
				half("out", 1, 1, 0, internal, "agent", work...),
			}, served...)
			rapid.Check(t, func(t *rapid.T) {
				b, _ := board(10)
				for _, give := range rapid.Permutation(all).Draw(t, "order") {
					give(b)
				}
				require.Equal(t, []string{"out"}, ids(b))
				if name != "a session that reports" {
					require.EqualValues(t, 5, row(t, b, "out").SpanCount)
				}
				for _, give := range served {
					require.Contains(t, []string{"out"}, give(b).ID, "what is late is there too")
				}
			})
		})
	}
}
