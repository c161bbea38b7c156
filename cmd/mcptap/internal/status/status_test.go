package status

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/connect"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/outbox"
)

// What the shell of a hook noted becomes a problem of the agent.
func TestFailedHook(t *testing.T) {
	state := t.TempDir()
	assert.Empty(t, failedHook(state, "codex"))
	for code, want := range map[string]string{
		"127\n": "its last hook failed, which the agent did not notice: mcptap is gone or cannot be run",
		"2":     "its last hook failed, which the agent did not notice: mcptap ended early with exit code 2",
		"":      "its last hook failed, which the agent did not notice: mcptap ended early",
	} {
		require.NoError(t, os.WriteFile(agents.FailedHook(state, "codex"), []byte(code), 0o600))
		assert.Equal(t, want, failedHook(state, "codex"))
	}
}

// A collector that hooks could not reach is named, with what waits for it.
func TestAway(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PATH", home)
	r := connect.Request{
		Machine: agents.Machine{Home: home, OS: "linux", Env: func(string) string { return "" }},
		Target:  agents.Target{Endpoint: "http://127.0.0.1:1", OTLP: "http://127.0.0.1:1"},
		Journal: connect.Journal{Folder: home},
	}
	box := outbox.New(home, "http://c")
	require.NoError(t, box.MarkDown("no answer in time", time.Now()))
	require.NoError(t, box.Put(&outbox.Item{}, time.Now()))
	report := Check(t.Context(), r, "http://127.0.0.1:1", "mcptap")
	require.Len(t, report.Away, 1)
	assert.Equal(t, Away{"http://c", report.Away[0].Since, "no answer in time", false, 1}, report.Away[0])
	assert.False(t, report.HasWebUI() || report.Good())
}

func TestIsOf(t *testing.T) {
	for host, agent := range map[string]string{
		"codex_cli_rs": "codex", "gemini-cli-mcp-client": "gemini-cli", "Claude Code": "", "claude-code": "claude-code", "github-copilot-cli": "copilot", "": "",
	} {
		for _, a := range agents.All {
			assert.Equal(t, a.Name == agent, isOf(a, host), "%s %s", host, a.Name)
		}
	}
}
