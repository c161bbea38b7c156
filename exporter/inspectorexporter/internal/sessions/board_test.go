package sessions

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"
)

var t0 = time.Date(2026, 2, 19, 16, 0, 0, 0, time.UTC)

// clock is the time of a board.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func board(limit int) (*Board, *clock) {
	c := &clock{t0.Add(time.Minute)}
	return New(limit, c.now), c
}

// item is a span or a log record.
type item func(b *Board) Update

func at(seconds int) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(t0.Add(time.Duration(seconds) * time.Second))
}

func span(session, name string, id, parent byte, from, to int, pairs ...any) item {
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID{1, session[0]})
	s.SetSpanID(pcommon.SpanID{7: id})
	s.SetParentSpanID(pcommon.SpanID{7: parent})
	s.SetName(name)
	s.SetStartTimestamp(at(from))
	s.SetEndTimestamp(at(to))
	put(s.Attributes(), session, pairs)
	return func(b *Board) Update { return b.Span(pcommon.NewResource(), s, "") }
}

func record(session, event string, id byte, from int, pairs ...any) item {
	r := plog.NewLogRecord()
	r.SetTraceID(pcommon.TraceID{1, session[0]})
	r.SetSpanID(pcommon.SpanID{7: id})
	r.SetEventName(event)
	r.SetTimestamp(at(from))
	put(r.Attributes(), session, pairs)
	return func(b *Board) Update { return b.Log(pcommon.NewResource(), r, "") }
}

func put(m pcommon.Map, session string, pairs []any) {
	m.PutStr("session.id", session)
	for i := 0; i < len(pairs); i += 2 {
		_ = m.PutEmpty(pairs[i].(string)).FromRaw(pairs[i+1])
	}
}

func row(t require.TestingT, b *Board, id string) (r Row) {
	text, ok := b.Row(id)
	require.True(t, ok, id)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// TestAnyOrder: the spans and records of a session that ended give the same row in
// whatever order they come.
func TestAnyOrder(t *testing.T) {
	whole := []item{
		span("s", "session.start", 2, 1, 0, 0, "mcp.session.title", "T", "mcp.workflow.type", "host_session"),
		record("s", "session.start", 1, 0, "mcp.session.title", "T"),
		record("s", "call.start", 3, 1, "mcp.rpc.method", "tools/call"),
		span("s", "tool.call", 3, 1, 1, 2),
		record("s", "phase.start", 9, 1, "mcp.host.phase", "working"),
		span("s", "host.phase", 9, 1, 1, 5, "mcp.host.phase", "working"),
		span("s", "agent.start", 8, 7, 3, 3, "mcp.agent.name", "Explore"),
		span("s", "agent.call", 7, 1, 3, 5),
		span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "finished"),
		record("s", "session.end", 1, 6),
		stateRecord(1, 1, "mcp.summary.tool_calls", 1),
		stateRecord(1, 2, "mcp.summary.tool_calls", 1, "mcp.summary.agents", 1, "mcp.session.state.name", "done", "mcp.status.code", "ok",
			"mcp.session.end_time_unix_nano", t0.UnixNano()+6e9, "mcp.session.end_reason", "finished"),
	}
	want := Row{}
	rapid.Check(t, func(t *rapid.T) {
		b, _ := board(10)
		started, finished := 0, 0
		for _, give := range rapid.Permutation(whole).Draw(t, "order") {
			for _, e := range give(b).Events {
				switch e.Type {
				case "SessionStarted":
					started++
				case "SessionFinished":
					finished++
				}
			}
		}
		require.Equal(t, 1, started)
		require.Equal(t, 1, finished)
		got := row(t, b, "s")
		if want.ID == "" {
			want = got
		}
		require.Equal(t, want, got)
		require.Equal(t, Done, got.State)
	})
	assert.EqualValues(t, 1, want.ToolCalls)
	assert.EqualValues(t, 1, want.Agents)
	assert.EqualValues(t, 6, want.SpanCount)
}

// TestAnnouncedAsAnotherSpan: a call that hooks announced may leave as its agent's own
// span, before or after its start came.
func TestAnnouncedAsAnotherSpan(t *testing.T) {
	start := record("s", "call.start", 3, 1, "mcp.rpc.method", "tools/call", "gen_ai.tool.call.id", "toolu_1")
	end := span("s", "claude_code.tool", 4, 1, 1, 2, "mcp.announced_as", "0000000000000003", "gen_ai.operation.name", "execute_tool")
	b, _ := board(10)
	require.NotNil(t, start(b).Opened)
	assert.Nil(t, start(b).Opened, "it has a line")
	b, _ = board(10)
	end(b)
	assert.Nil(t, start(b).Opened, "it is over")
}

// TestReadersOfChanges: who follows the changes, however many at a time, has
// what a list has.
func TestReadersOfChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _ := board(rapid.IntRange(1, 8).Draw(t, "limit"))
		mine, version := map[string]string{}, uint64(0)
		read := func(limit int) {
			changes, upTo := b.Changes(version, limit)
			require.LessOrEqual(t, len(changes), limit)
			version = upTo
			for _, c := range changes {
				if mine[c.ID] = string(c.Row); c.Row == nil {
					delete(mine, c.ID)
				}
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}).Draw(t, "id")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				read(rapid.IntRange(1, 3).Draw(t, "limit"))
			case 1:
				b.Remove(id)
			case 2:
				span(id, "workflow.run", 1, 0, 0, rapid.IntRange(1, 9).Draw(t, "end"))(b)
			default:
				span(id, "tool.call", rapid.Byte().Draw(t, "span"), 1, rapid.IntRange(-9, 9).Draw(t, "start"), 10)(b)
			}
		}
		for version != b.Version() {
			read(2)
		}
		page, err := b.List(Query{Limit: 1000})
		require.NoError(t, err)
		require.Len(t, mine, len(page.Sessions))
		for _, text := range page.Sessions {
			var r Row
			require.NoError(t, json.Unmarshal(text, &r))
			require.JSONEq(t, string(text), mine[r.ID])
		}
	})
}

// TestPagesAreTheWhole: pages of any size, in either order, have each session
// once, in order.
func TestPagesAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _ := board(100)
		n := rapid.IntRange(0, 30).Draw(t, "sessions")
		for i := range n {
			id := fmt.Sprintf("s%02d", i)
			span(id, "session.start", 2, 1, rapid.IntRange(-5, 5).Draw(t, "start"), 0)(b)
			if rapid.Bool().Draw(t, "ended") {
				span(id, "workflow.run", 1, 0, 0, 1)(b)
			}
		}
		q := Query{Limit: rapid.IntRange(1, 7).Draw(t, "limit"), Attention: rapid.Bool().Draw(t, "attention")}
		seen := map[string]bool{}
		var last *Row
		for {
			page, err := b.List(q)
			require.NoError(t, err)
			require.Equal(t, n, page.Total)
			for _, text := range page.Sessions {
				var r Row
				require.NoError(t, json.Unmarshal(text, &r))
				require.False(t, seen[r.ID])
				seen[r.ID] = true
				if last != nil && (!q.Attention || last.State == r.State) {
					require.GreaterOrEqual(t, last.StartedAt, r.StartedAt)
				}
				last = &r
			}
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				break
			}
		}
		require.Len(t, seen, n)
	})
}

// TestSilenceIsToldToAll: also when somebody has looked at the row meanwhile.
func TestSilenceIsToldToAll(t *testing.T) {
	for name, look := range map[string]func(b *Board){
		"a row":        func(b *Board) { b.Row("s") },
		"a list":       func(b *Board) { _, _ = b.List(Query{Limit: 10}) },
		"a heartbeat":  func(b *Board) { b.Beat(10) },
		"nobody looks": func(*Board) {},
	} {
		b, c := board(10)
		span("s", "session.start", 2, 1, 0, 0)(b)
		c.t = c.t.Add(61 * time.Minute)
		version := b.Version()
		look(b)
		b.Tick()
		assert.Greater(t, b.Version(), version, name)
		changes, upTo := b.Changes(version, 10)
		require.Len(t, changes, 1, name)
		b.Tick()
		assert.Equal(t, upTo, b.Version(), "once")
	}
}

func TestForeignSessions(t *testing.T) {
	b, c := board(10)
	span("f", "chat", 3, 2, 0, 1, "gen_ai.operation.name", "chat")(b)
	assert.Equal(t, Running, row(t, b, "f").State)
	c.t = c.t.Add(11 * time.Minute)
	got := row(t, b, "f")
	assert.Equal(t, Done, got.State, "nothing need tell of its end")
	assert.Equal(t, "completed", got.Status)
	for i := range 1000 {
		s := ptrace.NewSpan()
		s.SetTraceID(pcommon.TraceID{9, byte(i >> 8), byte(i)})
		s.SetSpanID(pcommon.SpanID{1})
		put(s.Attributes(), "f", nil)
		b.Span(pcommon.NewResource(), s, "")
	}
	assert.Len(t, b.byTrace, maxClaims)
}

// TestServersOfCalls: the spans of a server, in a trace of its own, are with the
// call that has the same request id, whatever order they come in.
func TestServersOfCalls(t *testing.T) {
	b, _ := board(10)
	record("s", "call.start", 3, 1, "mcp.rpc.method", "tools/call", "mcp.request_id", "0123456789abcdef")(b)
	server := func(id byte, pairs ...any) ptrace.Span {
		s := ptrace.NewSpan()
		s.SetTraceID(pcommon.TraceID{42})
		s.SetSpanID(pcommon.SpanID{id})
		s.SetName("SELECT")
		for i := 0; i < len(pairs); i += 2 {
			s.Attributes().PutStr(pairs[i].(string), pairs[i+1].(string))
		}
		return s
	}
	child, root := server(1), server(2, "mcp.request_id", "0123456789abcdef")
	none := pcommon.NewResource()
	none.Attributes().PutStr("service.name", "database")
	b.Foresee(none, child)
	b.Foresee(none, root)
	assert.Equal(t, "s", b.Span(none, child, "").ID)
	assert.Equal(t, "s", b.Span(none, root, "").ID)
	assert.NotEqual(t, "database", row(t, b, "s").Host)
	short := server(3, "mcp.request_id", "1")
	short.SetTraceID(pcommon.TraceID{43})
	b.Foresee(none, short)
	assert.Equal(t, "2b000000000000000000000000000000", b.Span(none, short, "").ID, "too short to be unique")
	b.Remove("s")
	assert.Empty(t, b.byRequest)
}

// TestSparkHasTheTimesOfRecords, whenever they come.
func TestSparkHasTheTimesOfRecords(t *testing.T) {
	b, _ := board(3)
	for _, at := range []int{3, 1, 2, 3} {
		record("s", "mcp.session.state", 1, at, "mcp.session.state.sequence", at, "mcp.host.tokens.used", 10*at)(b)
	}
	got := row(t, b, "s")
	for i, want := range []int64{10, 20, 30} {
		assert.Equal(t, want, got.Spark[i].Used)
		assert.Equal(t, int64(i)*int64(time.Second), int64(got.Spark[i].Time-got.Spark[0].Time), "%v", got.Spark)
	}
	assert.Len(t, got.Spark, 3)
	assert.EqualValues(t, 30, got.Tokens.Used, "of the last one")
}

func TestBounds(t *testing.T) {
	b, _ := board(3)
	for i := range 10 {
		span(fmt.Sprintf("s%d", i), "session.start", 2, 1, i, i)(b)
	}
	assert.Equal(t, 3, b.Len())
	for i := range 3000 {
		record("s9", "call.start", byte(i), i, "mcp.rpc.method", "tools/call")(b)
		record("s9", "mcp.session.state", 1, i, "mcp.session.state.sequence", i, "mcp.host.tokens.used", i)(b)
	}
	s := b.byID["s9"]
	assert.LessOrEqual(t, len(s.lines.opened.Items), maxLines)
	got := row(t, b, "s9")
	assert.LessOrEqual(t, len(got.Spark), 60)
	assert.LessOrEqual(t, len(got.OpenCalls), maxOpenShown)
	for range 5000 {
		b.Remove("s9")
		span("s9", "session.start", 2, 1, 0, 0)(b)
	}
	assert.LessOrEqual(t, b.entries.Len(), 3+maxRemoved)
}

func TestHostileTimesAndNumbers(t *testing.T) {
	b, _ := board(3)
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{1})
	s.SetName("workflow.run")
	s.SetStartTimestamp(1<<64 - 1)
	s.SetEndTimestamp(1)
	put(s.Attributes(), "s", []any{"mcp.host.tokens.used", -5, "mcp.host.tokens.limit", 0, "mcp.session.epoch", "x", "mcp.host.tokens.percent", -1.0})
	b.Span(pcommon.NewResource(), s, "")
	got := row(t, b, "s")
	assert.Nil(t, got.Tokens)
	assert.Zero(t, got.DurationMS)
}

func TestConcurrently(t *testing.T) {
	b, _ := board(20)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 300 {
				id := fmt.Sprintf("s%d", (i+g)%30)
				span(id, "tool.call", byte(i), 1, 0, 1)(b)
				record(id, "call.start", byte(i+1), 0, "mcp.rpc.method", "ping")(b)
				b.Grown(id, int64(i), 1)
				_, _ = b.List(Query{Limit: 10, Attention: true})
				_, _ = b.Changes(b.Version()-5, 10)
				b.Tick()
			}
		})
	}
	all.Wait()
	assert.LessOrEqual(t, b.Len(), 20)
}
