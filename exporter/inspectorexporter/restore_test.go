package inspectorexporter

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGoesOnAfterARestart: a receiver with storage keeps its sessions open, so
// that neither an end nor a new marker tells of the restart.
func TestGoesOnAfterARestart(t *testing.T) {
	dir := t.TempDir()
	r := start(t, configFor(dir))
	r.send(started("s-1"), span("s-1", "tool.call", 40, root, 0, 1))
	r.log(record("s-1", "call.start", call, 1, "mcp.rpc.method", "tools/call", "mcp.tool.name", "build"),
		record("s-1", "phase.start", 9, 1, "mcp.host.phase", "working"))
	before := r.row("s-1")
	require.Len(t, before["open_calls"], 1)
	r.close()

	r = start(t, configFor(dir))
	row := r.row("s-1")
	assert.Equal(t, "running", row["state"])
	assert.Equal(t, true, row["restored"])
	for _, key := range []string{"open_calls", "phase", "phase_since", "title", "started_at", "span_count", "tool_calls", "root_span_id"} {
		assert.Equal(t, before[key], row[key], key)
	}

	r.send(span("s-1", "tool.call", call, root, 1, 8))
	row = r.row("s-1")
	assert.Equal(t, "running", row["state"])
	assert.Nil(t, row["restored"], "it was heard of")
	assert.Empty(t, row["open_calls"])
	assert.InDelta(t, 2, row["tool_calls"], 0)

	r.send(ended("s-1"))
	assert.Equal(t, "done", r.row("s-1")["state"])
}

// TestBeginsAgainAfterARestart: a receiver without storage ends its sessions when
// it stops, and gives them the same ids when it hears of them again.
func TestBeginsAgainAfterARestart(t *testing.T) {
	dir := t.TempDir()
	stopped := span("s-1", "workflow.run", root, 0, 0, 5, "mcp.session.end_reason", "shutdown")
	r := start(t, configFor(dir))
	r.send(started("s-1"), stopped)
	r.send(started("s-1"))
	assert.Equal(t, "done", r.row("s-1")["state"], "the marker was only late")
	r.close()

	again := span("s-1", "session.start", mark, root, -3, -3) // the host says how long it has been running
	for _, restart := range []bool{true, false} {
		r = start(t, configFor(dir))
		r.send(again)
		row := r.row("s-1")
		assert.Equal(t, "running", row["state"])
		assert.Nil(t, row["ended_at"])
		r.send(stopped)
		assert.Equal(t, "running", r.row("s-1")["state"], "the former end comes twice")
		if restart {
			r.close()
			r = start(t, configFor(dir))
			assert.Equal(t, "running", r.row("s-1")["state"], "so its file says")
			r.close()
		}
	}
	r.send(ended("s-1"))
	row := r.row("s-1")
	assert.Equal(t, "done", row["state"])
	assert.Equal(t, "finished", row["end_reason"])
}

// TestGoesOnBeforeItsFileIsRead: what comes while earlier sessions are still
// being read tells neither the title nor that an end is to be expected.
func TestGoesOnBeforeItsFileIsRead(t *testing.T) {
	dir := t.TempDir()
	r := start(t, configFor(dir))
	r.send(started("s-1"), span("s-1", "tool.call", 40, root, 0, 1))
	r.close()

	r = start(t, configFor(dir))
	r.board.Remove("s-1") // as if it had not been read
	r.send(span("s-1", "tool.call", call, root, 2, 3))
	require.NoError(t, r.restored.replay(t.Context(), "s-1", "s-1"))
	row := r.row("s-1")
	assert.Equal(t, "Fix the build", row["title"])
	assert.Equal(t, "running", row["state"])
	assert.Nil(t, row["restored"])
	assert.InDelta(t, 3, row["span_count"], 0, "what is new was counted once")
	assert.InDelta(t, 2, row["tool_calls"], 0)
	assert.Equal(t, t0.UTC().Format("2006-01-02T15:04:05.999999999Z"), row["started_at"])
}

// TestTitles: what a person knows the session by.
func TestTitles(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(span("s-1", "session.start", mark, root, 0, 0, "mcp.workflow.type", "mcp_session"))
	assert.Equal(t, "claude · s-1", r.row("s-1")["title"], "the service, while no client is known")
	r.send(span("s-1", "tool.call", call, root, 0, 1, "mcp.client.name", "cursor"))
	assert.Equal(t, "cursor · s-1", r.row("s-1")["title"])
	r.send(span("s-1", "tool.call", 40, root, 0, 1, "mcp.session.title", "Fix it"))
	assert.Equal(t, "Fix it", r.row("s-1")["title"])
	r.send(span("49757271-d177-4d40-9b30-e8f09ed9ca78", "session.start", mark, root, 0, 0))
	assert.Equal(t, "claude · 49757271…ca78", r.row("49757271-d177-4d40-9b30-e8f09ed9ca78")["title"])
}
