package inspectorexporter

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/stream"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

func TestEventsOfTheReference(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	f := r.listen("/_inspector/events")
	hello := f.next()
	assert.Equal(t, "Connected", hello.data["type"])
	assert.Equal(t, inspectorwire.ProcessWriter(), hello.data["writer_id"])
	assert.Empty(t, hello.id)
	r.send(started("s-1"),
		span("s-1", "signal.start", 6, wait, 4, 4, "mcp.signal.name", "approve", "mcp.signal.prompt", "May I?", "mcp.signal.schema_json", `{"type":"object"}`),
		span("s-1", "signal.wait", wait, root, 4, 6), ended("s-1"))
	var kinds []string
	last := int64(0)
	for range 4 {
		got := f.next()
		kinds = append(kinds, got.data["type"].(string))
		assert.Equal(t, "s-1", got.data["session_id"])
		id, err := strconv.ParseInt(got.id, 10, 64)
		require.NoError(t, err)
		assert.Greater(t, id, last)
		assert.InDelta(t, float64(id), got.data["event_id"], 0)
		last = id
		switch got.data["type"] {
		case "SessionStarted":
			assert.Equal(t, "Fix the build", got.data["title"])
		case "WaitingOnSignal":
			assert.Equal(t, map[string]any{"type": "object"}, got.data["signal_schema"])
			assert.Equal(t, got.data["schema"], got.data["signal_schema"])
		case "SessionFinished":
			assert.Equal(t, "completed", got.data["status"])
		}
	}
	assert.Equal(t, []string{"SessionStarted", "WaitingOnSignal", "SignalReceived", "SessionFinished"}, kinds)
}

// TestAnotherReaderReadsTheSame: what is sent is what our own decoder of the
// Inspector's events takes.
func TestAnotherReaderReadsTheSame(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("s-1"), ended("s-1"))
	first := r.events.Next() - 2
	n := 0
	r.events.From(first, func(_ int64, event []byte) bool {
		var e inspectorwire.Event
		require.NoError(t, inspectorwire.DecodeText(string(event), &e))
		assert.Empty(t, e.Invalid, e.Raw)
		assert.Equal(t, "s-1", e.SessionID)
		n++
		return true
	})
	assert.Equal(t, 2, n)
}

func TestReplay(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("a"), started("b"), started("c"))
	next := r.events.Next()
	f := r.listen("/_inspector/events", "Last-Event-ID", strconv.FormatInt(next-3, 10))
	assert.Equal(t, "complete", f.next().data["replay"])
	assert.Equal(t, "b", f.next().data["session_id"])
	assert.Equal(t, "c", f.next().data["session_id"])

	f = r.listen("/_inspector/events?last_event_id=5")
	assert.Equal(t, "gap", f.next().data["replay"], "of an earlier process")
	assert.Equal(t, "a", f.next().data["session_id"])

	for range stream.Size {
		r.publish(sessions.Event{Type: inspectorwire.TypeHeartbeat, SessionID: "a"})
	}
	f = r.listen("/_inspector/events", "Last-Event-ID", strconv.FormatInt(next-1, 10))
	assert.Equal(t, "complete", f.next().data["replay"])
	f = r.listen("/_inspector/events", "Last-Event-ID", strconv.FormatInt(next-2, 10))
	assert.Equal(t, "gap", f.next().data["replay"])
	assert.Equal(t, strconv.FormatInt(next, 10), f.next().id, "the oldest that is kept")

	res := r.do(http.MethodGet, "/_inspector/events", "Last-Event-ID", "x")
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusBadRequest, res.StatusCode)
}

func TestTheBoardsView(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	f := r.listen("/_inspector/events?view=board")
	f.until("Connected")
	r.send(started("s-1"))
	changed := f.until("SessionChanged")
	assert.Empty(t, changed.id)
	row := changed.data["session"].(map[string]any)
	assert.Equal(t, "s-1", row["id"])
	assert.Equal(t, "running", row["state"])
	r.send(ended("s-1"))
	for row["state"] != "done" {
		row = f.until("SessionChanged").data["session"].(map[string]any)
	}
	_, lines := r.get("/_inspector/trace/s-1")
	assert.InDelta(t, len(lines), row["trace_bytes"], 0)
	r.removed("s-1")
	assert.Equal(t, "s-1", f.until("SessionRemoved").data["session_id"])
}

func TestNotMoreClientsThanAllowed(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.events = stream.New(1, t0)
	f := r.listen("/_inspector/events")
	f.until("Connected")
	res := r.do(http.MethodGet, "/_inspector/events")
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	assert.Equal(t, "10", res.Header.Get("Retry-After"))
}

func TestPayloadsStayInTheirLine(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	f := r.listen("/_inspector/events?view=board")
	f.until("Connected")
	const hostile = "a\r\n\r\nevent: evil\ndata: {}\n\n\u2028\x00</script>"
	r.send(func(s ptrace.Span) {
		started("s-1")(s)
		s.Attributes().PutStr("mcp.session.title", hostile)
	})
	assert.Equal(t, hostile, f.until("SessionStarted").data["title"])
	assert.Equal(t, hostile, f.until("SessionChanged").data["session"].(map[string]any)["title"])
}
