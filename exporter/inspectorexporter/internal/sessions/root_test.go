package sessions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// traced is a span of any instrumentation, in the trace of that number.
func traced(trace, id, parent byte, name string, from, to int, pairs ...any) item {
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID{trace})
	s.SetSpanID(pcommon.SpanID{id})
	s.SetParentSpanID(pcommon.SpanID{parent})
	s.SetName(name)
	s.SetStartTimestamp(at(from))
	s.SetEndTimestamp(at(to))
	for i := 0; i < len(pairs); i += 2 {
		_ = s.Attributes().PutEmpty(pairs[i].(string)).FromRaw(pairs[i+1])
	}
	return func(b *Board) Update { return b.Span(pcommon.NewResource(), s, "") }
}

func TestARootEndsItsSessionWhateverItsName(t *testing.T) {
	b, _ := board(10)
	traced(1, 2, 1, "files.call_tool", 1, 2, "session.id", "app", "mcp.tool.name", "read")(b)
	assert.Equal(t, Running, row(t, b, "app").State)
	u := traced(1, 1, 0, "MyApp", 0, 3, "session.id", "app")(b)
	got := row(t, b, "app")
	assert.Equal(t, Done, got.State)
	assert.True(t, u.Ended)
	assert.EqualValues(t, 3000, got.DurationMS)
	traced(1, 3, 1, "late child", 1, 2, "session.id", "app")(b)
	assert.Equal(t, Done, row(t, b, "app").State, "a child that comes late reopens nothing")
}

func TestASessionOfSeveralTraces(t *testing.T) {
	b, _ := board(10)
	traced(1, 1, 0, "turn", 0, 3, "session.id", "app")(b)
	assert.Equal(t, Done, row(t, b, "app").State)
	u := traced(2, 12, 11, "chat", 5, 6, "session.id", "app")(b)
	assert.Equal(t, Running, row(t, b, "app").State, "it goes on")
	assert.Equal(t, "SessionStarted", u.Events[0].Type)
	traced(2, 11, 0, "turn", 5, 9, "session.id", "app")(b)
	got := row(t, b, "app")
	assert.Equal(t, Done, got.State)
	assert.EqualValues(t, 9000, got.DurationMS, "of all of it")
}

// TestASessionOfAnEarlierRunGoesOn: the index says nothing of markers.
func TestASessionOfAnEarlierRunGoesOn(t *testing.T) {
	old, _ := board(10)
	traced(1, 1, 0, "turn", 0, 3, "session.id", "app")(old)
	b, _ := board(10)
	require.True(t, b.Known("app", old.Meta("app"), 1, true))
	traced(2, 12, 11, "chat", 5, 6, "session.id", "app")(b)
	assert.Equal(t, Running, row(t, b, "app").State)
	traced(2, 11, 0, "turn", 5, 9, "session.id", "app")(b)
	assert.Equal(t, Done, row(t, b, "app").State)
}

// Roots that share a trace or a request id with a session are their sender's.
func TestRootsThatEndNoSession(t *testing.T) {
	b, _ := board(10)
	traced(1, 3, 1, "tool.call", 0, 1, "session.id", "app", "mcp.request_id", "0123456789abcdef")(b)
	server := ptrace.NewSpan()
	server.SetTraceID(pcommon.TraceID{2})
	server.Attributes().PutStr("mcp.request_id", "0123456789abcdef")
	b.Foresee(pcommon.NewResource(), server)
	assert.Equal(t, "app", traced(2, 1, 0, "POST /mcp", 0, 1, "mcp.request_id", "0123456789abcdef")(b).ID)
	assert.Equal(t, Running, row(t, b, "app").State, "a server's request ends")
	traced(1, 4, 0, "notifications/message", 2, 2, "session.id", "app")(b)
	assert.Equal(t, Running, row(t, b, "app").State, "a notification has no length")
}

// A session whose events and whose trace file are both read has two roots, of two
// traces, and one row.
func TestDerivedRootAndFileRootAreOneRow(t *testing.T) {
	derived := func(b *Board) {
		traced(1, 2, 1, "session.start", 0, 0, "session.id", "s", "mcp.session.title", "billing", "mcp.workflow.engine", "asyncio")(b)
		traced(1, 1, 0, "workflow.run", 0, 9, "session.id", "s", "mcp.session.title", "billing", "mcp.workflow.engine", "asyncio", "mcp.session.end_reason", "finished")(b)
	}
	file := func(b *Board) {
		traced(2, 12, 11, "tool.call", 1, 2, "session.id", "s", "mcp.tool.name", "t")(b)
		traced(2, 11, 0, "workflow.run", 0, 8, "session.id", "s")(b)
	}
	for name, order := range map[string][]func(*Board){"events first": {derived, file}, "file first": {file, derived}} {
		t.Run(name, func(t *testing.T) {
			b, _ := board(10)
			for _, part := range order {
				part(b)
			}
			page, err := b.List(Query{Limit: 10})
			require.NoError(t, err)
			require.Len(t, page.Sessions, 1)
			got := row(t, b, "s")
			assert.Equal(t, Done, got.State)
			assert.Equal(t, "billing", got.Title)
			assert.EqualValues(t, 9000, got.DurationMS)
		})
	}
}

// TestPaused: a trace that nobody keeps as a session may say that it waits.
func TestPaused(t *testing.T) {
	b, _ := board(10)
	traced(1, 2, 1, "agent.call", 1, 2, "session.id", "app", "mcp.session.paused", true)(b)
	got := row(t, b, "app")
	assert.Equal(t, Waiting, got.State)
	assert.Equal(t, "paused", got.Status)
	assert.Equal(t, "paused", got.Waiting.Name)
	traced(1, 4, 1, "notifications/progress", 2, 2, "session.id", "app")(b)
	assert.Equal(t, Waiting, row(t, b, "app").State)
	traced(1, 3, 1, "tool.call", 4, 5, "session.id", "app")(b)
	assert.Equal(t, Running, row(t, b, "app").State, "it works again")

	traced(1, 5, 1, "agent.call", 6, 7, "session.id", "app", "mcp.session.paused", "true")(b)
	assert.Equal(t, Waiting, row(t, b, "app").State)
	traced(1, 6, 1, "resume", 8, 8, "session.id", "app", "mcp.session.paused", false)(b)
	assert.Equal(t, Running, row(t, b, "app").State)

	traced(1, 7, 0, "MyApp", 0, 9, "session.id", "app", "mcp.session.paused", true)(b)
	assert.Equal(t, Waiting, row(t, b, "app").State, "a root that paused is not the end")
	traced(1, 8, 0, "MyApp", 10, 19, "session.id", "app")(b)
	got = row(t, b, "app")
	assert.Equal(t, Done, got.State)
	assert.Nil(t, got.Waiting)
}
