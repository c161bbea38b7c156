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
	assert.Equal(t, []any{"running", "Fix the build", "0000000000000001"}, []any{row["state"], row["title"], row["root_span_id"]})

	r.log(record("s-1", "call.start", call, 1, "mcp.rpc.method", "tools/call", "mcp.tool.name", "grep"),
		record("s-1", "phase.start", 9, 1, "mcp.host.phase", "working"),
		state("s-1", 1, "mcp.host.phase", "working", "mcp.host.tokens.used", 50_000, "mcp.host.tokens.limit", 200_000, "mcp.host.current_task", "Read the log",
			"mcp.summary.tool_calls", 1, "mcp.session.open_calls.count", 1, "mcp.session.open_calls", []any{map[string]any{"name": "tool.call", "target": "grep"}}))
	row = r.row("s-1")
	assert.Equal(t, "claude-code", row["host"])
	open := row["open_calls"].([]any)[0].(map[string]any)
	assert.Equal(t, []any{"tool.call", "grep"}, []any{open["name"], open["detail"]})
	assert.Equal(t, map[string]any{"used": 50_000.0, "limit": 200_000.0, "percent": 25.0}, row["tokens"])
	assert.Equal(t, []any{"working", "Read the log", 1.0}, []any{row["phase"], row["current_task"], row["tool_calls"]})

	r.send(span("s-1", "tool.call", call, root, 1, 3), span("s-1", "tool.call", 30, root, 1, 3))
	assert.InDelta(t, 1, r.row("s-1")["tool_calls"], 0, "the record counts")
	r.log(state("s-1", 4, "mcp.session.state.name", "waiting", "mcp.wait.kind", "signal", "mcp.wait.name", "approve"))
	row = r.row("s-1")
	assert.Equal(t, []any{"waiting", "paused"}, []any{row["state"], row["status"]})
	assert.Equal(t, "approve", row["waiting"].(map[string]any)["name"])
	assert.Empty(t, row["open_calls"])

	r.send(ended("s-1"))
	r.log(state("s-1", 20, over()...))
	row = r.row("s-1")
	assert.Equal(t, []any{"done", "completed", "finished", 20_000.0}, []any{row["state"], row["status"], row["end_reason"], row["duration_ms"]})

	_, lines := r.get("/_inspector/trace/s-1")
	assert.Equal(t, 4+1+2, strings.Count(lines, "\n"), "spans; what the marker and records of starts announce")
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
	r.send(both(ended("failed"), fail("SERVER_ERROR")))
	r.log(state("cancelled", 1, over("mcp.status.code", "error", "mcp.error.code", "CANCELLED")...))
	assert.Equal(t, "failed", r.row("failed")["state"])
	assert.Equal(t, "no disk", r.row("failed")["error"])
	assert.Equal(t, "done", r.row("cancelled")["state"])
	assert.Equal(t, "cancelled", r.row("cancelled")["status"])
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
	r.log(record("s-1", "session.start", root, 0), state("s-1", 1, "mcp.session.title", "Only logs", "mcp.session.state.name", "waiting"),
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
