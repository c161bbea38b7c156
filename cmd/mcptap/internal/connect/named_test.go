package connect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
)

// What settings name counts, whoever wrote them.
func TestAddresses(t *testing.T) {
	for _, a := range agents.All {
		home := t.TempDir()
		r := Request{
			Agent: a, Journal: Journal{Folder: filepath.Join(home, "journal")},
			Machine: agents.Machine{Home: home, OS: "linux", Env: func(string) string { return "" }},
			Target:  agents.Target{Program: "/opt/mcptap", Endpoint: "http://c:1", OTLP: "http://c:2"},
		}
		plan, err := New(r)
		require.NoError(t, err)
		for _, c := range plan.Changes {
			require.NoError(t, c.Apply())
		}
		r.Target.Endpoint, r.Target.OTLP = "http://other:1", "http://other:2"
		n := Addresses(r)
		assert.Equal(t, []string{"http://c:1"}, n.Endpoints, a.Name)
		if a.Name != "cursor" && a.Name != "copilot" { // which have none, or in variables only
			assert.Equal(t, []string{"http://c:2"}, n.OTLP, a.Name)
		}
	}
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".codex"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".codex/hooks.json"), []byte(`{"hooks": {"Stop": [{"hooks": [{"command": "/a/mcptap hook codex"}, {"command": "x"}]}]}}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".codex/config.toml"), []byte("[otel"), 0o600))
	r := Request{Agent: agents.ByName("codex"), Machine: agents.Machine{Home: home, OS: "linux", Env: func(string) string { return "" }}}
	assert.Equal(t, Named{Endpoints: []string{agents.DefaultEndpoint}}, Addresses(r))
}
