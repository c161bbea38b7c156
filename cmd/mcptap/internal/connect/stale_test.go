package connect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
)

// The MCP server that an earlier version gave Copilot goes, unless its user has changed it.
func TestNoLongerWanted(t *testing.T) {
	const (
		given = `{"mcpServers": {"otelcol-mcp": {"type": "http", "url": "http://localhost:4319/mcp"}}}`
		own   = `{"mcpServers": {"otelcol-mcp": {"type": "http", "url": "http://localhost:4319/mcp", "tools": ["host_heartbeat"]}}}`
	)
	for before, after := range map[string]string{given: "{}", own: own} {
		home := t.TempDir()
		r := Request{
			Agent: agents.ByName("copilot"), Target: agents.Target{Program: "/opt/bin/mcptap", Endpoint: agents.DefaultEndpoint},
			Machine: agents.Machine{Home: home, OS: "linux", Env: func(string) string { return "" }},
			Journal: Journal{Folder: filepath.Join(home, "journal")},
		}
		path := filepath.Join(home, ".copilot", "mcp-config.json")
		wrote := Change{Path: path, New: []byte(given), journal: r.Journal, record: &record{Agent: "copilot", Path: path, Ops: []op{{
			Path: []string{"mcpServers", "otelcol-mcp"}, Value: []byte(`{"type":"http","url":"http://localhost:4319/mcp"}`),
		}}}}
		require.NoError(t, wrote.Apply())
		require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		p, err := New(r)
		require.NoError(t, err)
		for _, c := range p.Changes {
			require.NoError(t, c.Apply())
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, after, string(text))
	}
}
