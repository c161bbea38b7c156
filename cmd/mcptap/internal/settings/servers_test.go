package settings

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var wrapper = Wrapper{Program: "/opt/mcptap", Flags: []string{"--endpoint", "http://c"}}

// Each client's file, before and after.
func TestWrap(t *testing.T) {
	for name, files := range map[string]struct{ before, after string }{
		"claude": {
			`{"mcpServers":{"a":{"command":"npx","args":["-y","pkg"],"env":{"K":"v"}},"web":{"type":"http","url":"http://x"}}}`,
			`{"mcpServers":{"a":{"command":"/opt/mcptap","args":["--endpoint", "http://c", "--server", "a", "--", "npx", "-y","pkg"],"env":{"K":"v"}},"web":{"type":"http","url":"http://x"}}}`,
		},
		"code": {
			`{
	// my servers
	"inputs": [],
	"servers": {
		"a": {
			"type": "stdio",
			"command": "uvx", // fast
			"args": [
				/* which */ "pkg", // this
				"${input:x}",
			],
		},
	},
}
`, `{
	// my servers
	"inputs": [],
	"servers": {
		"a": {
			"type": "stdio",
			"command": "/opt/mcptap", // fast
			"args": [ "--endpoint", "http://c", "--server", "a", "--", "uvx",
				/* which */ "pkg", // this
				"${input:x}",
			],
		},
	},
}
`,
		},
		"multiline": {
			"{\"mcpServers\": {\"a\": {\n  \"args\": [\n    \"x\"\n  ],\n  \"command\": \"c\"\n}}}",
			"{\"mcpServers\": {\"a\": {\n  \"args\": [\n    \"--endpoint\",\n    \"http://c\",\n    \"--server\",\n    \"a\",\n    \"--\",\n    \"c\",\n    \"x\"\n  ],\n  \"command\": \"/opt/mcptap\"\n}}}",
		},
		"no arguments": {
			"{\"mcpServers\": {\"a\": {\n  \"command\": \"c\"\n}}}",
			"{\"mcpServers\": {\"a\": {\n  \"command\": \"/opt/mcptap\",\n  \"args\": [\"--endpoint\", \"http://c\", \"--server\", \"a\", \"--\", \"c\"]\n}}}",
		},
		"zed": {
			`{"theme":"x","context_servers":{"old":{"command":{"path":"c","args":["x"]}},"new":{"source":"custom","command":"d","args":[]}},"agent_servers":{"g":{"command":"gem","args":["--acp"]}}}`,
			`{"theme":"x","context_servers":{"old":{"command":{"path":"/opt/mcptap","args":["--endpoint", "http://c", "--server", "old", "--", "c", "x"]}},"new":{"source":"custom","command":"/opt/mcptap","args":["--endpoint", "http://c", "--server", "new", "--", "d"]}},"agent_servers":{"g":{"command":"/opt/mcptap","args":["--endpoint", "http://c", "--server", "g", "--protocol", "acp", "--", "gem", "--acp"]}}}`,
		},
		"projects": {
			`{"projects":{"/p":{"mcpServers":{"a":{"command":"c","args":["--","x"]}}}}}`,
			`{"projects":{"/p":{"mcpServers":{"a":{"command":"/opt/mcptap","args":["--endpoint", "http://c", "--server", "a", "--", "c", "--","x"]}}}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			after, names, err := WrapServers("x.json", []byte(files.before), wrapper)
			require.NoError(t, err)
			assert.Equal(t, files.after, string(after))
			assert.NotEmpty(t, names)

			again, names, err := WrapServers("x.json", after, Wrapper{Program: "/elsewhere/mcptap"})
			require.NoError(t, err)
			assert.Equal(t, string(after), string(again), "twice is once")
			assert.Empty(t, names)

			back, names, err := UnwrapServers("x.json", after)
			require.NoError(t, err)
			assert.True(t, sameServers("x.json", []byte(files.before), back), "%s", back)
			assert.NotEmpty(t, names)
		})
	}
}

func TestNotAConfiguration(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"a":1}`, `{"mcpServers":7}`, `{"mcpServers":{}} x`} {
		_, _, err := WrapServers("x.json", []byte(text), wrapper)
		assert.Error(t, err, text)
	}
	for _, text := range []string{`{"mcpServers":{}}`, `{"mcpServers":{"a":{"url":"u"},"b":7,"c":{"command":7}}}`} {
		after, names, err := WrapServers("x.json", []byte(text), wrapper)
		require.NoError(t, err, text)
		assert.Equal(t, text, string(after))
		assert.Empty(t, names)
	}
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func apply(t *testing.T, c *ServersChange, err error) {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, c.Apply())
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestFileThereAndBack(t *testing.T) {
	const before = "{ \"mcpServers\" : {\"a\":{\"command\":\"c\", \"args\" : [ ] }}} // mine\n"
	path := writeFile(t, before)
	link := filepath.Join(t.TempDir(), "link.json")
	require.NoError(t, os.Symlink(path, link))

	c, err := PlanWrap(link, wrapper)
	apply(t, c, err)
	assert.Contains(t, content(t, path), "/opt/mcptap")
	assert.Equal(t, before, content(t, path+backupSuffix))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink, "the link is still one")
	info, err = os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	c, err = PlanWrap(link, wrapper)
	require.NoError(t, err)
	assert.Empty(t, c.Names)

	c, err = PlanUnwrap(link)
	apply(t, c, err)
	assert.Equal(t, before, content(t, path), "byte for byte")
	assert.NoFileExists(t, path+backupSuffix)
}

// A server added after wrapping stays, and the backup with it.
func TestUndoAfterChanges(t *testing.T) {
	path := writeFile(t, `{"mcpServers":{"a":{"command":"c","args":["x"]}}}`)
	c, err := PlanWrap(path, wrapper)
	apply(t, c, err)
	backup := content(t, path+backupSuffix)
	added := content(t, path)[:len(`{"mcpServers":{`)] + `"b":{"command":"d"},` + content(t, path)[len(`{"mcpServers":{`):]
	require.NoError(t, os.WriteFile(path, []byte(added), 0o600))

	c, err = PlanWrap(path, wrapper)
	apply(t, c, err)
	assert.Equal(t, []string{"b"}, c.Names)
	assert.Equal(t, backup, content(t, path+backupSuffix), "the older backup is the better one")

	c, err = PlanUnwrap(path)
	apply(t, c, err)
	assert.Equal(t, `{"mcpServers":{"b":{"command":"d"},"a":{"command":"c","args":["x"]}}}`, content(t, path))
	assert.FileExists(t, path+backupSuffix)
}

func FuzzWrap(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"npx","args":["-y","pkg"]}}}`))
	f.Add([]byte(`{"servers":{"a":{"command":{"path":"x"},},/* c */},}`))
	f.Add([]byte(`{"mcp":{"a":{"command":["npx"]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) { wrapAndUnwrap(t, "mcp.json", text) })
}

// wrapAndUnwrap checks that wrapping twice is wrapping once, and that unwrapping
// gives what was there.
func wrapAndUnwrap(t *testing.T, path string, text []byte) {
	t.Helper()
	before, already, err := UnwrapServers(path, text)
	if err != nil || len(already) > 0 {
		return
	}
	after, names, err := WrapServers(path, before, wrapper)
	if err != nil {
		return
	}
	again, _, err := WrapServers(path, after, wrapper)
	if err != nil || !bytes.Equal(again, after) {
		t.Errorf("%q: twice is not once: %v", text, err)
	}
	back, undone, err := UnwrapServers(path, after)
	if err != nil || len(undone) != len(names) || !sameServers(path, before, back) {
		t.Errorf("%q became %q and then %q: %v", text, after, back, err)
	}
}

// Odd servers are restored to the byte, or refused.
func TestOddServers(t *testing.T) {
	for _, before := range []string{
		`{"mcpServers":{"--":{"command":"c","args":["x"]}}}`,
		`{"mcpServers":{"--propagate":{"command":"c","args":["--","x"]}}}`,
		`{"mcpServers":{"a":{"command":"\u0063\/d","args":["\u0078"]}}}`,
		"\ufeff{\"mcpServers\":{\"a\":{\"command\":\"c\",\"args\":[\"x\"]}}}\r\n",
		`{"mcp":{"a":{"type":"local","command":["\u0063", "-y","p"],"enabled":true},"b":{"type":"remote","url":"u"}}}`,
		`{"mcp":{"servers":{"a":{"type":"local","command":[ "c" ],},},},}`,
		`{"mcpServers":{"a":{"command":"mcptap","args":["http","--","x"]}}}`,
	} {
		after, names, err := WrapServers("x.json", []byte(before), wrapper)
		require.NoError(t, err, before)
		assert.Len(t, names, 1, before)
		back, names, err := UnwrapServers("x.json", after)
		require.NoError(t, err)
		assert.Len(t, names, 1, before)
		assert.Equal(t, before, string(back))
	}
	const args = `server "a": its args are not a list: make them one first`
	for _, text := range []string{`"x y"`, `7`, `{}`, `true`} {
		_, _, err := WrapServers("x.json", []byte(`{"mcpServers":{"a":{"command":"c","args":`+text+`}}}`), wrapper)
		assert.EqualError(t, err, args)
	}
	path := writeFile(t, "\ufeff"+`{"mcpServers":{"a":{"command":"\u0063","args": null}}}`)
	before := content(t, path)
	c, err := PlanWrap(path, wrapper)
	apply(t, c, err)
	assert.Contains(t, content(t, path), `"--", "\u0063"]`)
	c, err = PlanUnwrap(path)
	apply(t, c, err)
	assert.Equal(t, before, content(t, path))
}
