package connect

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Where what was done is remembered: by the system's custom, or where the user says.
func TestStateFolder(t *testing.T) {
	none := func(string) string { return "" }
	only := func(name, value string) func(string) string {
		return func(n string) string {
			if n == name {
				return value
			}
			return ""
		}
	}
	for _, c := range []struct {
		system string
		env    func(string) string
		want   string
	}{
		{"linux", none, "home/.local/state"},
		{"darwin", none, "home/.local/state"},
		{"linux", only("LocalAppData", "local"), "home/.local/state"},
		{"linux", only("XDG_STATE_HOME", "state"), "state"},
		{"windows", only("LocalAppData", "local"), "local"},
		{"windows", none, "home/.local/state"},
	} {
		assert.Equal(t, filepath.FromSlash(c.want+"/otelcol-mcp/mcptap"), StateFolder("home", c.system, c.env))
	}
}
