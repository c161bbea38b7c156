package inspectorexporter

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestASessionFromStartToEnd(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("s-1"))
	row := r.row("s-1")
	assert.Equal(t, "running", row["state"])
	assert.Equal(t, "Fix the build", row["title"])
	assert.Equal(t, "claude-code", row["host"])
	assert.Equal(t, "0000000000000001", row["root_span_id"])

	r.log(record("s-1", "call.start", call, 1, "mcp.rpc.method", "tools/call", "mcp.tool.name", "grep"),
		record("s-1", "phase.start", 9, 1, "mcp.host.phase", "working"))
	row = r.row("s-1")
	open := row["open_calls"].([]any)[0].(map[string]any)
	assert.Equal(t, "tool.call", open["name"])
	assert.Equal(t, "grep", open["detail"])
	assert.Equal(t, "working", row["phase"])

	r.send(span("s-1", "notifications/host.heartbeat", 20, root, 2, 2, "mcp.host.phase", "thinking",
		"mcp.host.tokens.used", 50_000, "mcp.host.tokens.limit", 200_000, "mcp.host.current_task", "Read the log", "mcp.host.tool_calls.total", 3))
	row = r.row("s-1")
	assert.Equal(t, map[string]any{"used": 50_000.0, "limit": 200_000.0, "percent": 25.0}, row["tokens"])
	assert.Equal(t, "thinking", row["phase"])
	assert.Equal(t, "Read the log", row["current_task"])

	r.send(span("s-1", "tool.call", call, root, 1, 3))
	row = r.row("s-1")
	assert.Empty(t, row["open_calls"])
	assert.InDelta(t, 3, row["tool_calls"], 0, "as the host counts")

	r.send(span("s-1", "signal.start", 6, wait, 4, 4, "mcp.signal.name", "approve", "mcp.signal.prompt", "May I?"))
	row = r.row("s-1")
	assert.Equal(t, "waiting", row["state"])
	assert.Equal(t, "paused", row["status"])
	assert.Equal(t, "approve", row["waiting"].(map[string]any)["name"])

	r.send(span("s-1", "signal.wait", wait, root, 4, 6))
	assert.Equal(t, "running", r.row("s-1")["state"])

	r.send(ended("s-1"))
	row = r.row("s-1")
	assert.Equal(t, "done", row["state"])
	assert.Equal(t, "completed", row["status"])
	assert.Equal(t, "finished", row["end_reason"])
	assert.InDelta(t, 20_000, row["duration_ms"], 0)

	_, lines := r.get("/_inspector/trace/s-1")
	assert.Equal(t, 6+2+2, strings.Count(lines, "\n"), "spans; what markers and records of starts announce")
}

func TestLateStartsOpenNothing(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(ended("s-1"), span("s-1", "tool.call", call, root, 1, 3))
	r.send(started("s-1"))
	r.log(record("s-1", "call.start", call, 1, "mcp.rpc.method", "tools/call"))
	row := r.row("s-1")
	assert.Equal(t, "done", row["state"])
	assert.Empty(t, row["open_calls"])
	assert.Nil(t, row["phase"])
}

func TestStalledAndStuck(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("s-1"), span("s-1", "mcp.host.stalled", 21, root, 5, 5, "mcp.host.phase", "working"))
	row := r.row("s-1")
	assert.Equal(t, "stalled", row["state"])
	assert.Equal(t, "host_silent", row["stalled"].(map[string]any)["reason"])
	r.send(span("s-1", "mcp.host.resumed", 22, root, 6, 6))
	assert.Equal(t, "running", r.row("s-1")["state"])

	r.log(record("s-1", "call.start", call, 7, "mcp.rpc.method", "tools/call", "mcp.tool.name", "build"))
	r.send(span("s-1", "mcp.call.stuck", 23, call, 8, 8))
	row = r.row("s-1")
	assert.Equal(t, "stalled", row["state"])
	assert.Equal(t, map[string]any{"reason": "call_stuck", "detail": "build", "since": row["stalled"].(map[string]any)["since"]}, row["stalled"])
	r.send(span("s-1", "tool.call", call, root, 7, 9))
	assert.Equal(t, "running", r.row("s-1")["state"])
}

func TestFailedAndCancelled(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	fail := func(code string) func(ptrace.Span) {
		return func(s ptrace.Span) {
			s.Status().SetCode(ptrace.StatusCodeError)
			s.Attributes().PutStr("mcp.error.code", code)
			s.Attributes().PutStr("mcp.error.message", "no disk")
		}
	}
	both := func(a, b func(ptrace.Span)) func(ptrace.Span) { return func(s ptrace.Span) { a(s); b(s) } }
	r.send(both(ended("failed"), fail("SERVER_ERROR")), both(ended("cancelled"), fail("CANCELLED")))
	assert.Equal(t, "failed", r.row("failed")["state"])
	assert.Equal(t, "no disk", r.row("failed")["error"])
	assert.Equal(t, "done", r.row("cancelled")["state"])
	assert.Equal(t, "cancelled", r.row("cancelled")["status"])
}

func TestANewEpochReopens(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("s-1"), ended("s-1"))
	again := func(s ptrace.Span) {
		span("s-1", "session.start", 30, 31, 40, 40, "mcp.session.epoch", 2)(s)
		s.SetTraceID(pcommon.TraceID{9})
	}
	r.send(again)
	row := r.row("s-1")
	assert.Equal(t, "running", row["state"])
	assert.InDelta(t, 2, row["session_epoch"], 0)
	assert.Nil(t, row["ended_at"])
}

func TestWhoseSpan(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	foreign := func(trace pcommon.TraceID, attributes ...any) func(ptrace.Span) {
		return func(s ptrace.Span) {
			span("", "GET /", 50, 49, 1, 2, attributes...)(s)
			s.SetTraceID(trace)
		}
	}
	r.send(started("s-1"), foreign(traceOf("s-1")))
	assert.InDelta(t, 2, r.row("s-1")["span_count"], 0, "a span without session is with its trace")
	r.send(foreign(pcommon.TraceID{1}))
	res, _ := r.get("/_inspector/sessions/01000000000000000000000000000000")
	assert.Equal(t, http.StatusNotFound, res.StatusCode, "not about agents")
	r.send(foreign(pcommon.TraceID{2}, "mcp.method.name", "tools/call"))
	assert.Equal(t, "running", r.row("02000000000000000000000000000000")["state"])
	r.send(started("who@127.0.0.1/../x"))
	_, list := r.get("/_inspector/sessions?q=who@")
	assert.Contains(t, list, `"original_id":"who@127.0.0.1/../x"`)
	assert.Contains(t, list, `"id":"x-`)
}

func TestLogsAlone(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.log(record("s-1", "session.start", root, 0, "mcp.session.title", "Only logs"),
		record("s-1", "notifications/host.heartbeat", 8, 1, "mcp.host.phase", "waiting_approval"),
		record("", "unrelated", 8, 1), func(l plog.LogRecord) { l.SetEventName("nothing") })
	row := r.row("s-1")
	assert.Equal(t, "Only logs", row["title"])
	assert.Equal(t, "waiting", row["state"])
	for _, coding := range []string{"identity", "gzip"} {
		res, lines := r.get("/_inspector/trace/s-1", "Accept-Encoding", coding)
		assert.Equal(t, http.StatusOK, res.StatusCode)
		assert.Empty(t, lines, "no spans yet")
	}
}

// TestPipelinesSideBySide: traces and logs come at once, and yet no line of a
// span that runs is behind its final line.
func TestPipelinesSideBySide(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("s-1"))
	var both sync.WaitGroup
	const n = 200
	both.Go(func() {
		for i := range n {
			r.send(span("s-1", "tool.call", byte(10+i), root, 1, 3))
		}
	})
	both.Go(func() {
		for i := range n {
			r.log(record("s-1", "call.start", byte(10+i), 1, "mcp.rpc.method", "tools/call"))
		}
	})
	both.Wait()
	_, lines := r.get("/_inspector/trace/s-1")
	over := map[string]bool{}
	for line := range strings.Lines(lines) {
		var s struct {
			ID  string `json:"span_id"`
			End string `json:"end_time"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &s))
		require.False(t, s.End == "" && over[s.ID], line)
		over[s.ID] = over[s.ID] || s.End != ""
	}
	assert.Empty(t, r.row("s-1")["open_calls"])
}
