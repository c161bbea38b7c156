package inspectorexporter

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// lone is a span without session, alone in a trace.
func lone(trace byte, name string, attributes ...any) func(ptrace.Span) {
	return func(s ptrace.Span) {
		span("", name, trace, 0, 1, 1, attributes...)(s)
		s.SetTraceID(pcommon.TraceID{200, trace})
	}
}

func (r *running) sendOurs(spans ...func(ptrace.Span)) {
	r.t.Helper()
	td := spansOf(spans...)
	td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName(mcpconv.ReceiverScope)
	require.NoError(r.t, r.traces(r.t.Context(), td))
}

type streamRow struct {
	ID         string
	Kind       string
	Day        string
	Items      int
	Errors     int
	TraceBytes int `json:"trace_bytes"`
}

func (r *running) streams() map[string]streamRow {
	r.t.Helper()
	_, body := r.get("/_inspector/streams")
	var list struct{ Streams []streamRow }
	require.NoError(r.t, json.Unmarshal([]byte(body), &list), body)
	byKind := map[string]streamRow{}
	for _, row := range list.Streams {
		byKind[row.Kind] = row
	}
	return byKind
}

// TestWhatHasNoSessionIsNone: MCP Events, logs of a connection and messages
// without a session are three streams.
func TestWhatHasNoSessionIsNone(t *testing.T) {
	dir := t.TempDir()
	r := start(t, configFor(dir))
	f := r.listen("/_inspector/events?view=board")
	r.sendOurs(
		lone(1, "notifications/events/event", "mcp.event.id", "e-1", "mcp.event.name", "deploy.done", "mcp.event.subscription_id", "s"),
		lone(2, "notifications/events/event", "mcp.event.id", "e-2", "mcp.event.name", "deploy.done"),
		func(s ptrace.Span) {
			lone(3, "notifications/events/error", "mcp.event.subscription_id", "s")(s)
			s.Status().SetCode(ptrace.StatusCodeError)
		},
		lone(4, "log", "mcp.log.scope", "connection", "mcp.log.message", "up"),
		lone(5, "notifications/host.heartbeat", "mcp.host.phase", "working"),
		span("", "tool.call", 6, 0, 1, 2, "mcp.tool.name", "echo"),
	)
	changed := f.until("StreamChanged").data["stream"].(map[string]any)
	assert.Contains(t, []any{"events", "logs", "messages"}, changed["kind"])
	_, list := r.get("/_inspector/sessions")
	assert.Contains(t, list, `"sessions":[]`)
	got := r.streams()
	require.Len(t, got, 3)
	assert.Equal(t, 3, got["events"].Items)
	assert.Equal(t, 1, got["events"].Errors)
	assert.Equal(t, 1, got["logs"].Items)
	assert.Equal(t, 2, got["messages"].Items)
	assert.Equal(t, time.Now().UTC().Format(time.DateOnly), got["events"].Day)
	res, lines := r.get("/_inspector/trace/" + got["events"].ID)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Equal(t, 3, strings.Count(lines, "\n"))
	assert.Len(t, lines, got["events"].TraceBytes)

	r.close()
	r = start(t, configFor(dir))
	require.Eventually(t, r.restored.ready.Load, 10*time.Second, time.Millisecond)
	again := r.streams()
	assert.Equal(t, got, again, "after a restart")
	r.sendOurs(lone(7, "notifications/events/event", "mcp.event.id", "e-3"))
	assert.Equal(t, 4, r.streams()["events"].Items)
	_, list = r.get("/_inspector/sessions")
	assert.Contains(t, list, `"sessions":[]`)
}

// TestWhoseSessionIsKnown: with a session id, or in a session's trace, they are
// that session's, and spans of other instrumentation are as they were.
func TestWhoseSessionIsKnown(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.sendOurs(started("s-1"),
		span("s-1", "notifications/events/event", 7, root, 1, 1, "mcp.event.id", "e-1"),
		func(s ptrace.Span) {
			lone(2, "notifications/events/event", "mcp.event.id", "e-2")(s)
			s.SetTraceID(traceOf("s-1"))
		})
	r.send(span("", "chat", 9, 0, 1, 2, "gen_ai.operation.name", "chat"))
	assert.Empty(t, r.streams())
	assert.InDelta(t, 3, r.row("s-1")["span_count"], 0)
	assert.Equal(t, 2, r.board.Len())
}

// TestSessionsNamedLikeStreams: the names of streams are nobody's else.
func TestSessionsNamedLikeStreams(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	name := "events_" + time.Now().UTC().Format(time.DateOnly)
	r.send(started(name))
	r.sendOurs(lone(1, "notifications/events/event", "mcp.event.id", "e-1"))
	res, _ := r.get("/_inspector/sessions/" + name)
	assert.Equal(t, http.StatusNotFound, res.StatusCode)
	_, list := r.get("/_inspector/sessions")
	assert.Contains(t, list, `"original_id":"`+name+`"`)
	assert.Equal(t, 1, r.streams()["events"].Items)
}

// TestLogsOfStreams: their log records say what their spans do.
func TestLogsOfStreams(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.sendOurs(lone(1, "notifications/events/event", "mcp.event.id", "e-1"))
	r.log(func(l plog.LogRecord) {
		l.SetTraceID(pcommon.TraceID{200, 1})
		l.SetEventName("deploy.done")
		put(l.Attributes(), "", []any{"mcp.event.id", "e-1"})
	})
	assert.Zero(t, r.board.Len())
	assert.Equal(t, 1, r.streams()["events"].Items)
}
