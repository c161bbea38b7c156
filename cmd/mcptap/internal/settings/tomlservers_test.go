package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Codex's file, before and after; what Unwrap returns is what was there, to the
// byte.
func TestWrapTOML(t *testing.T) {
	const front = `"--endpoint", "http://c", "--server", `
	for name, files := range map[string]struct{ before, after string }{
		"table": {
			"model = \"x\" # mine\n\n[mcp_servers.a] # one\ncommand = 'npx' # this\nargs = [ # first\n  \"-y\", 'p' , # c\n]\nenv = { \"K\" = \"v\" }\n\n[mcp_servers.web]\nurl = \"http://x\"\n",
			"model = \"x\" # mine\n\n[mcp_servers.a] # one\ncommand = \"/opt/mcptap\" # this\nargs = [" + front + "\"a\", \"--\", 'npx',  # first\n  \"-y\", 'p' , # c\n]\nenv = { \"K\" = \"v\" }\n\n[mcp_servers.web]\nurl = \"http://x\"\n",
		},
		"no arguments": {
			"[mcp_servers.a]\r\n  command = \"c\" # this\r\n  enabled = true\r\n",
			"[mcp_servers.a]\r\n  command = \"/opt/mcptap\" # this\r\n  args = [" + front + "\"a\", \"--\", \"c\"]\r\n  enabled = true\r\n",
		},
		"no line break": {
			"[mcp_servers.\"b.c\"]\ncommand = \"\\u0063\"",
			"[mcp_servers.\"b.c\"]\ncommand = \"/opt/mcptap\"\nargs = [" + front + "\"b.c\", \"--\", \"\\u0063\"]",
		},
		"dotted": {
			"mcp_servers . a . command = \"c\"\nmcp_servers.a.args=[\"x\"]\n",
			"mcp_servers . a . command = \"/opt/mcptap\"\nmcp_servers.a.args=[" + front + "\"a\", \"--\", \"c\", \"x\"]\n",
		},
		"dotted without arguments": {
			"mcp_servers.a.command = \"c\"\n",
			"mcp_servers.a.command = \"/opt/mcptap\"\nmcp_servers.a.args = [" + front + "\"a\", \"--\", \"c\"]\n",
		},
		"inline": {
			"[mcp_servers]\na = { command = \"c\" }\n\"--\" = { args = [\"x\"], command = \"\"\"d\"\"\" }\n",
			"[mcp_servers]\na = { command = \"/opt/mcptap\", args = [" + front + "\"a\", \"--\", \"c\"] }\n\"--\" = { args = [" + front + "\"--\", \"--\", \"\"\"d\"\"\", \"x\"], command = \"/opt/mcptap\" }\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			after, names, err := WrapServers("config.toml", []byte(files.before), wrapper)
			require.NoError(t, err)
			assert.Equal(t, files.after, string(after))
			assert.NotEmpty(t, names)

			again, names, err := WrapServers("config.toml", after, Wrapper{Program: "/elsewhere/mcptap"})
			require.NoError(t, err)
			assert.Equal(t, string(after), string(again), "twice is once")
			assert.Empty(t, names)

			back, _, err := UnwrapServers("config.toml", after)
			require.NoError(t, err)
			assert.Equal(t, files.before, string(back))
			assert.True(t, sameServers("config.toml", []byte(files.before), back))
			assert.False(t, sameServers("config.toml", []byte(files.before), after))
		})
	}
}

func TestTOMLThatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		"": "no servers", "a = 1": "no servers", "[mcp_servers": "not valid TOML", "[mcp_servers.a]\ncommand = \"c\"\ncommand = \"d\"": "not valid TOML",
		"[mcp_servers.a]\ncommand = \"c\"\nargs = \"x\"": `server "a": its args are not a list`,
	} {
		_, _, err := WrapServers("config.TOML", []byte(text), wrapper)
		assert.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{"[mcp_servers]", "[mcp_servers.a]\nurl = \"u\"", "mcp_servers = {}", "[mcp_servers.a]\ncommand = 7"} {
		after, names, err := WrapServers("config.toml", []byte(text), wrapper)
		require.NoError(t, err, text)
		assert.Equal(t, text, string(after))
		assert.Empty(t, names)
	}
}

func TestTOMLStrings(t *testing.T) {
	odd := Wrapper{Program: `C:\Program Files\"mcptap".exe`, Flags: []string{"--session", "é\x7f\n'"}}
	after, _, err := WrapServers("config.toml", []byte("[mcp_servers.a]\ncommand = \"c\""), odd)
	require.NoError(t, err)
	assert.True(t, sameServers("config.toml", after, []byte("[mcp_servers.a]\ncommand = 'C:\\Program Files\\\"mcptap\".exe'\nargs = [\"--session\", \"é\\u007f\\n'\", \"--server\", \"a\", \"--\", \"c\"]")), "%s", after)
}

func TestTOMLFileThereAndBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	const before = "\ufeff[mcp_servers.a]\ncommand = \"c\"\nargs = [ ] # none\n"
	require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
	c, err := PlanWrap(path, wrapper)
	apply(t, c, err)
	assert.Equal(t, "\ufeff[mcp_servers.a]\ncommand = \"/opt/mcptap\"\nargs = [\"--endpoint\", \"http://c\", \"--server\", \"a\", \"--\", \"c\" ] # none\n", content(t, path))
	c, err = PlanUnwrap(path)
	apply(t, c, err)
	assert.Equal(t, before, content(t, path))
}

func FuzzWrapTOML(f *testing.F) {
	f.Add([]byte("[mcp_servers.a]\ncommand = 'npx' # x\nargs = [ # y\n\"-y\", # z\n]\n"))
	f.Add([]byte("mcp_servers.a = { command = \"c\", args = [] }"))
	f.Add([]byte("mcp_servers.a.command = \"c\"\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) { wrapAndUnwrap(t, "config.toml", text) })
}
