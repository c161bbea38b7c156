package sessions

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func kindsOf(events []Event) (kinds []string) {
	for i := range events {
		kinds = append(kinds, events[i].Type)
	}
	return kinds
}

// asJSON is the last event as a client sees it.
func asJSON(t *testing.T, events []Event) (v map[string]any) {
	t.Helper()
	require.NotEmpty(t, events)
	text, err := json.Marshal(&events[len(events)-1])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

// TestWhatPassesThroughIsTold: resources, prompts and progress, whichever way
// they came.
func TestWhatPassesThroughIsTold(t *testing.T) {
	for _, c := range []struct {
		give item
		want map[string]any
	}{
		{
			span("s", "resource.fetch", 3, 1, 1, 2, "mcp.resource.uri", "file:///a", "mcp.resource.mime_type", "text/plain", "mcp.resource.bytes", 12),
			map[string]any{"type": "ResourceFetched", "uri": "file:///a", "mime_type": "text/plain", "bytes": 12.0},
		},
		{
			span("s", "resources/read", 3, 1, 1, 2, "mcp.method.name", "resources/read", "mcp.resource.uri", "file:///a"),
			map[string]any{"type": "ResourceFetched", "uri": "file:///a"},
		},
		{
			span("s", "prompt.apply", 3, 1, 1, 1, "mcp.prompt.template_id", "review", "mcp.prompt.parameters_json", `{"lang":"go"}`),
			map[string]any{"type": "PromptUsed", "template_id": "review", "parameters": map[string]any{"lang": "go"}},
		},
		{
			span("s", "prompt.apply", 3, 1, 1, 1, "gen_ai.prompt.name", "review", "mcp.prompt.parameters_json", `{"cut`),
			map[string]any{"type": "PromptUsed", "template_id": "review"},
		},
		{
			span("s", "progress.update", 3, 1, 1, 1, "mcp.progress.token", "7", "mcp.progress.percent", 42.5, "mcp.progress.message", "half"),
			map[string]any{"type": "ProgressUpdate", "progress_token": "7", "percent": 42.5, "message": "half"},
		},
		{
			span("s", "notifications/progress", 3, 1, 1, 1, "mcp.progress.token", "7", "mcp.progress.progress", 3, "mcp.progress.total", 4),
			map[string]any{"type": "ProgressUpdate", "progress_token": "7", "percent": 75.0},
		},
	} {
		b, _ := board(10)
		span("s", "session.start", 2, 1, 0, 0)(b)
		got := asJSON(t, c.give(b).Events)
		for _, key := range []string{"session_id", "timestamp", "event_id"} {
			assert.Contains(t, got, key)
			delete(got, key)
		}
		assert.Equal(t, c.want, got)
		assert.Empty(t, c.give(b).Events, "a repeat")
	}
}

// TestASessionBeginsBeforeItsEvents, also if its first state record is late.
func TestASessionBeginsBeforeItsEvents(t *testing.T) {
	b, _ := board(10)
	give := func(name string, id byte, pairs ...any) []string {
		s := ptrace.NewSpan()
		s.SetTraceID(pcommon.TraceID{1})
		s.SetSpanID(pcommon.SpanID{id})
		s.SetParentSpanID(pcommon.SpanID{1})
		s.SetName(name)
		s.SetStartTimestamp(at(1))
		s.SetEndTimestamp(at(2))
		put(s.Attributes(), "s", pairs)
		return kindsOf(b.Span(pcommon.NewResource(), s, ourScopes).Events)
	}
	assert.Empty(t, give("session.start", 2))
	assert.Equal(t, []string{"SessionStarted", "ResourceFetched"}, give("resource.fetch", 3, "mcp.resource.uri", "file:///a"))
	assert.Empty(t, kindsOf(stateRecord(1, 1)(b).Events))
}

func TestWhatIsNotTold(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	for i, give := range []item{
		span("s", "resource.fetch", 3, 1, 1, 2, "mcp.status.code", "error", "mcp.resource.uri", "file:///a"),
		span("s", "resource.fetch", 4, 1, 1, 2),
		span("s", "prompt.apply", 5, 1, 1, 2),
		span("s", "notifications/progress", 6, 1, 1, 1, "mcp.progress.token", "7", "mcp.progress.progress", 3),
		span("s", "progress.update", 7, 1, 1, 1, "mcp.progress.percent", 3.0),
	} {
		assert.Empty(t, give(b).Events, i)
	}
	span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed")(b)
	assert.Empty(t, span("s", "resource.fetch", 8, 1, 1, 2, "mcp.resource.uri", "file:///a")(b).Events, "after its end")
}

// TestProgressIsThrottled: twice a second, and the last one is not lost.
func TestProgressIsThrottled(t *testing.T) {
	b, c := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	var told []Event
	for i := range 100 {
		told = append(told, span("s", "progress.update", byte(10+i), 1, 1, 1, "mcp.progress.token", "7", "mcp.progress.percent", i)(b).Events...)
		c.t = c.t.Add(10 * time.Millisecond)
	}
	assert.LessOrEqual(t, len(told), 3)
	c.t = c.t.Add(time.Second)
	assert.InDelta(t, 99, asJSON(t, b.Beat(10))["percent"], 0)
	assert.Empty(t, b.Beat(10))
}

// TestHeartbeats: each session that runs has one every 15 s, with what came since.
func TestHeartbeats(t *testing.T) {
	b, c := board(10)
	stateRecord(1, 1, "mcp.summary.tool_calls", 1)(b)
	stateRecord(1, 2, "mcp.summary.tool_calls", 1, "mcp.summary.llm_calls", 1, "mcp.summary.input_tokens", 100, "mcp.summary.output_tokens", 20)(b)
	c.t = c.t.Add(14 * time.Second)
	assert.Empty(t, b.Beat(10))
	c.t = c.t.Add(time.Second)
	beats := b.Beat(10)
	require.Equal(t, []string{"Heartbeat"}, kindsOf(beats))
	got := asJSON(t, beats)
	assert.Equal(t, []any{"s", 1.0, 120.0, 1.0}, []any{got["session_id"], got["llm_calls_delta"], got["tokens_delta"], got["tool_calls_delta"]})
	c.t = c.t.Add(15 * time.Second)
	got = asJSON(t, b.Beat(10))
	assert.Equal(t, []any{0.0, 0.0, 0.0}, []any{got["llm_calls_delta"], got["tokens_delta"], got["tool_calls_delta"]}, "nothing is told twice")

	stateRecord(1, 3, "mcp.session.state.name", "done", "mcp.session.end_time_unix_nano", t0.UnixNano()+6e9)(b)
	c.t = c.t.Add(time.Minute)
	assert.Empty(t, b.Beat(10), "it has ended")
}

// TestHeartbeatsKeepTheirPace: looking for them a little late delays no later one,
// and what was missed is not made up for.
func TestHeartbeatsKeepTheirPace(t *testing.T) {
	b, c := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	n := 0
	for range 100 {
		c.t = c.t.Add(900 * time.Millisecond)
		n += len(b.Beat(10))
	}
	assert.Equal(t, 6, n, "in 90 s")
	c.t = c.t.Add(5 * time.Minute)
	assert.Len(t, b.Beat(10), 1)
	assert.Empty(t, b.Beat(10))
}

// TestHeartbeatsOfMany: so many at a time, the longest due first, and none for a
// session that stalls or of which this run was told nothing.
func TestHeartbeatsOfMany(t *testing.T) {
	b, c := board(100)
	for i := range 30 {
		span(fmt.Sprintf("s%02d", i), "session.start", 2, 1, 0, 0)(b)
	}
	record("s00", "mcp.session.state", 1, 5, "mcp.session.state.sequence", 1, "mcp.session.state.name", "stalled")(b)
	c.t = c.t.Add(15 * time.Second)
	seen := map[string]int{}
	for range 4 {
		beats := b.Beat(10)
		assert.LessOrEqual(t, len(beats), 10)
		for i := range beats {
			seen[beats[i].SessionID]++
		}
	}
	assert.Len(t, seen, 29)
	assert.NotContains(t, seen, "s00")
	for id, n := range seen {
		assert.Equal(t, 1, n, id)
		b.Remove(id)
	}
	c.t = c.t.Add(15 * time.Second)
	assert.Empty(t, b.Beat(10))
}

// TestProgressOfACall: the call has it as span events, the last of which counts.
func TestProgressOfACall(t *testing.T) {
	b, _ := board(10)
	call := ptrace.NewSpan()
	call.SetTraceID(pcommon.TraceID{1, 's'})
	call.SetSpanID(pcommon.SpanID{3})
	call.SetParentSpanID(pcommon.SpanID{1})
	call.SetName("tool.call")
	call.SetEndTimestamp(at(2))
	call.Attributes().PutStr("session.id", "s")
	for i := range 4 {
		e := call.Events().AppendEmpty()
		e.SetName("progress")
		e.Attributes().PutStr("mcp.progress.token", "7")
		e.Attributes().PutDouble("mcp.progress.progress", float64(i))
		e.Attributes().PutDouble("mcp.progress.total", 4)
	}
	call.Events().AppendEmpty().SetName("retry")
	got := asJSON(t, b.Span(pcommon.NewResource(), call, "").Events)
	assert.Equal(t, "ProgressUpdate", got["type"])
	assert.InDelta(t, 75, got["percent"], 0)
}
