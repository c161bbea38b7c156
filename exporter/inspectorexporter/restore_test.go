package inspectorexporter

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGoesOnAfterARestart: a receiver with storage keeps its sessions open, so
// that neither an end nor a new marker tells of the restart.
func TestGoesOnAfterARestart(t *testing.T) {
	for name, crash := range map[string]func(t *testing.T, dir string){
		"stopped": func(*testing.T, string) {},
		"killed, and lines came since the last state was stored": func(t *testing.T, dir string) {
			index := filepath.Join(dir, ".sessions.jsonl")
			text, err := os.ReadFile(index)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(index, regexp.MustCompile(`"zsize":\d+`).ReplaceAll(text, []byte(`"zsize":1`)), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := start(t, configFor(dir))
			r.send(started("s-1"), span("s-1", "tool.call", 40, root, 0, 1))
			r.log(record("s-1", "call.start", call, 1, "mcp.rpc.method", "tools/call", "mcp.tool.name", "build"),
				state("s-1", 1, "mcp.host.phase", "working", "mcp.summary.tool_calls", 2, "mcp.session.open_calls", []any{map[string]any{"name": "tool.call"}}))
			before := r.row("s-1")
			require.Len(t, before["open_calls"], 1)
			r.close()
			crash(t, dir)

			r = start(t, configFor(dir))
			row := r.row("s-1")
			assert.Equal(t, "running", row["state"])
			assert.Equal(t, true, row["restored"])
			for _, key := range []string{"open_calls", "phase", "phase_since", "title", "started_at", "span_count", "trace_bytes", "tool_calls", "root_span_id"} {
				assert.Equal(t, before[key], row[key], key)
			}

			r.send(span("s-1", "tool.call", call, root, 1, 8))
			row = r.row("s-1")
			assert.Equal(t, "running", row["state"])
			assert.Nil(t, row["restored"], "it was heard of")
			assert.InDelta(t, 3, row["span_count"], 0)
			r.log(state("s-1", 20, over()...))
			assert.Equal(t, "done", r.row("s-1")["state"])
			r.close()
		})
	}
}

// TestStatesOfSessionsThatGoOnAreStored: a crash loses no more of a row than its last
// seconds.
func TestStatesOfSessionsThatGoOnAreStored(t *testing.T) {
	dir := t.TempDir()
	r := start(t, configFor(dir))
	r.send(started("s-1"))
	r.log(state("s-1", 1, "mcp.summary.tool_calls", 7))
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, ".sessions.jsonl"))
		return strings.Contains(string(text), `"tool_calls":7`)
	}, 30*time.Second, 10*time.Millisecond)
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
	assert.Equal(t, t0.UTC().Format("2006-01-02T15:04:05.999999999Z"), row["started_at"])
}
