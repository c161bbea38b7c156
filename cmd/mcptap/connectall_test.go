//go:build unix

package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/outbox"
)

// runConnect is connectAt for commands that may fail.
func runConnect(t *testing.T, args ...string) (out string, code int, err error) {
	t.Helper()
	cmd, exit := root()
	var b bytes.Buffer
	cmd.SetOut(&b)
	cmd.SetArgs(append([]string{"connect", "--mcptap", "/opt/bin/mcptap"}, args...))
	err = cmd.Execute()
	return b.String(), *exit, err
}

// Several agents have a line each; a heading comes before what there is to say about one.
func TestConnectAll(t *testing.T) {
	home := newHome(t, tree{".claude/x": "", ".gemini/x": "", ".cursor/x": ""})
	t.Setenv("PATH", home)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1000") // about which there is nothing left to say
	url := collectorStub(t, "")
	where := []string{"--all", "--endpoint", url, "--otlp-endpoint", url}

	out, code, err := runConnect(t, append(where, "--dry-run")...)
	require.NoError(t, err)
	assert.Zero(t, code)
	assert.Equal(t, "Claude Code   would be connected: hooks, telemetry, MCP server\n"+
		"Gemini CLI    would be connected: hooks, telemetry, MCP server\n"+
		"Cursor        would be connected: hooks, MCP server\n", out[:strings.Index(out, "\n\n")+1])
	assert.True(t, strings.HasSuffix(out, "\n\nDry run: no file was changed. To make the changes, leave out --dry-run.\n"+
		"After that, restart Claude Code, Gemini CLI and Cursor, then send a prompt.\n"), out)

	out, _, err = runConnect(t, append(where, "--diff", "--dry-run")...)
	require.NoError(t, err)
	for _, title := range []string{"== Claude Code ==", "== Gemini CLI ==", "== Cursor =="} {
		assert.Equal(t, 1, strings.Count(out, title+"\n"), out)
	}
	for line := range strings.Lines(out) {
		assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), lineMax)
	}

	out, _, err = runConnect(t, where...)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(out, "\n\nRestart Claude Code, Gemini CLI and Cursor, then send a prompt.\n"), out)

	require.NoError(t, os.RemoveAll(filepath.Join(home, ".gemini"))) // the agent is gone, but was connected
	out, code, err = runConnect(t, "--all", "--undo")
	require.NoError(t, err)
	assert.Zero(t, code)
	assert.Contains(t, out, "\nGemini CLI    nothing to undo\n")
	assert.True(t, strings.HasSuffix(out, "\n\nRestart Claude Code and Cursor.\n"), out)
	assert.Equal(t, tree{".claude/x": "", ".cursor/x": ""}, readTree(t, home))
}

// One agent whose settings cannot be read does not keep the others from being
// connected.
func TestConnectAllButOne(t *testing.T) {
	home := newHome(t, tree{".claude/settings.json": "{", ".cursor/x": ""})
	t.Setenv("PATH", home)
	out, code, err := runConnect(t, "--all")
	require.ErrorContains(t, err, "claude-code: "+home+"/.claude/settings.json: line 1, column 2: not valid JSON")
	assert.Equal(t, exitPartly, code)
	assert.Contains(t, out, "Claude Code   not done: see the error below\n")
	assert.NotContains(t, out, "not valid JSON", "standard error says it")
	assert.Contains(t, out, "Restart Cursor, send a prompt and look at http://localhost:7810/_inspector/ui\n")
	assert.FileExists(t, filepath.Join(home, ".cursor/mcp.json"))
}

// Undoing does not look at files of agents that connect never touched.
func TestUndoAllLeavesOthersAlone(t *testing.T) {
	home := newHome(t, tree{".claude/settings.json": "{", ".cursor/x": ""})
	t.Setenv("PATH", home)
	_, _, err := runConnect(t, "cursor")
	require.NoError(t, err)
	out, code, err := runConnect(t, "--all", "--undo")
	require.NoError(t, err)
	assert.Zero(t, code)
	assert.NotContains(t, out, "Claude Code")
	assert.Equal(t, tree{".claude/settings.json": "{", ".cursor/x": ""}, readTree(t, home))

	out, code, err = runConnect(t, "--all", "--undo")
	require.NoError(t, err)
	assert.Zero(t, code)
	assert.Equal(t, "No agent is connected: nothing to undo.\n", out)
}

// The copy of a file that was changed since stays, and may hold keys: that is said, also
// if nothing of the file changes.
func TestUndoSaysWhatStays(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"something else": func(text string) string { return strings.Replace(text, `"model": "x"`, `"model": "y"`, 1) },
		"what connect wrote": func(string) string {
			return `{"model": "x", "env": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://elsewhere:1"}}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := newHome(t, tree{".claude/settings.json": "{\n  \"model\": \"x\",\n  \"env\": {\n    \"OTEL_EXPORTER_OTLP_ENDPOINT\": \"http://mine:1\"\n  }\n}\n"})
			_, _, err := runConnect(t, "claude-code", "--force")
			require.NoError(t, err)
			path := filepath.Join(home, ".claude/settings.json")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.Remove(filepath.Join(home, ".claude.json")))
			require.NoError(t, os.WriteFile(path, []byte(edit(string(text))), 0o600))
			out, _, err := runConnect(t, "claude-code", "--undo")
			require.NoError(t, err)
			originals, err := filepath.Glob(filepath.Join(home, stateBelow, "otelcol-mcp/mcptap/*.original"))
			require.NoError(t, err)
			require.Len(t, originals, 1)
			assert.Contains(t, out, "The original stays at "+originals[0]+". It may hold keys: delete it when you no longer need it.\n")
		})
	}
}

// What waits for a collector goes with the last agent: no hook will send it.
func TestUndoForgetsWhatWaits(t *testing.T) {
	home := newHome(t, nil)
	t.Setenv("PATH", home)
	_, _, err := runConnect(t, "cursor", "claude-code")
	require.NoError(t, err)
	state := filepath.Join(home, stateBelow, "otelcol-mcp/mcptap")
	box := outbox.New(state, "http://c")
	require.NoError(t, box.Put(&outbox.Item{Body: []byte("{}")}, time.Now()))
	for _, step := range []struct {
		args  []string
		waits bool
	}{{[]string{"cursor"}, true}, {[]string{"claude-code", "--dry-run"}, true}, {[]string{"claude-code"}, false}} {
		_, _, err = runConnect(t, append(step.args, "--undo")...)
		require.NoError(t, err)
		assert.Equal(t, step.waits, box.HasItems(time.Now()), step.args)
	}
}

// Settings that were copied from another machine have no record here.
func TestUndoAllWithoutRecord(t *testing.T) {
	home := newHome(t, tree{".claude/settings.json": "{", ".cursor/x": ""})
	t.Setenv("PATH", home)
	_, _, err := runConnect(t, "cursor")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(home, ".local")))
	_, code, err := runConnect(t, "--all", "--undo")
	require.NoError(t, err)
	assert.Zero(t, code)
	for name, text := range readTree(t, home) {
		assert.NotContains(t, text, "mcptap", name)
	}
}

// A dry run ends with what there is to do, if there is anything.
func TestDryRunSaysWhatIsNext(t *testing.T) {
	newHome(t, nil)
	down := []string{"cursor", "--endpoint", "http://127.0.0.1:1"}
	out, _, err := runConnect(t, append(down, "--dry-run")...)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(out, "Dry run: no file was changed. To make the changes, leave out --dry-run.\n"+
		"After that, restart Cursor, then send a prompt.\n"+
		"No collector answers at http://127.0.0.1:1. Start it: otelcol-mcp --config embedded:default\n"), out)
	_, _, err = runConnect(t, down...)
	require.NoError(t, err)
	out, _, err = runConnect(t, "cursor", "--undo", "--dry-run")
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(out, "\nDry run: no file was changed. To make the changes, leave out --dry-run.\nAfter that, restart Cursor.\n"), out)
	_, _, err = runConnect(t, "cursor", "--undo")
	require.NoError(t, err)
	out, _, err = runConnect(t, "cursor", "--undo", "--dry-run")
	require.NoError(t, err)
	assert.Equal(t, "Cursor: nothing to undo\nDry run: no file was changed.\n", out)
}

// Several agents can be named, also as their programs are called.
func TestConnectSeveral(t *testing.T) {
	home := newHome(t, nil)
	_, _, err := runConnect(t, "claude", "gemini", "claude-code")
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(home, ".claude/settings.json"))
	assert.FileExists(t, filepath.Join(home, ".gemini/settings.json"))
	assert.NoDirExists(t, filepath.Join(home, ".cursor"))
}

func TestConnectWithoutAgents(t *testing.T) {
	home := newHome(t, nil)
	t.Setenv("PATH", home)
	cmd := mcptap(t, "connect", "--all")
	require.Error(t, cmd.Run())
	assert.Equal(t, exitUsage, cmd.ProcessState.ExitCode())
	assert.Contains(t, cmd.Stderr.(*bytes.Buffer).String(), "no agent found on this machine")

	out, code, err := runConnect(t, "--all", "--undo")
	require.NoError(t, err, "what is not there need not be undone")
	assert.Zero(t, code)
	assert.Equal(t, "No agent is connected: nothing to undo.\n", strings.TrimLeft(out, "\n"))
	assert.Empty(t, readTree(t, home))
}

// Without a collector the agent would report to nobody.
func TestConnectSaysThatNoCollectorAnswers(t *testing.T) {
	newHome(t, nil)
	out, code, err := runConnect(t, "cursor", "--endpoint", "http://127.0.0.1:1")
	require.NoError(t, err)
	assert.Zero(t, code)
	assert.Contains(t, out, "No collector answers at http://127.0.0.1:1. Start it: otelcol-mcp --config embedded:default\n")
	out, _, _ = runConnect(t, "cursor", "--endpoint", collectorStub(t, ""))
	assert.NotContains(t, out, "No collector")
}

// A hostile settings file stays as it is, its error names it, and the other agents are
// connected.
func TestHostileSettings(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"deep": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat(`{"a":`, 1e6)+"1"+strings.Repeat("}", 1e6)), 0o600)
		},
		"large":   func(path string) error { return cmp.Or(os.WriteFile(path, nil, 0o600), os.Truncate(path, 100<<20)) },
		"no text": func(path string) error { return os.WriteFile(path, []byte("{\"a\": \"\xff\"}"), 0o600) },
		"twice":   func(path string) error { return os.WriteFile(path, []byte(`{"env": {}, "env": {"A": "b"}}`), 0o600) },
		"loop":    func(path string) error { return os.Symlink(path, path) },
		"folder":  func(path string) error { return os.Mkdir(path, 0o700) },
		"pipe":    func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			home := newHome(t, tree{".claude/x": "", ".gemini/x": ""})
			t.Setenv("PATH", home)
			path := filepath.Join(home, ".claude/settings.json")
			require.NoError(t, make(path))
			var before []byte
			if name != "pipe" {
				before, _ = os.ReadFile(path)
			}
			cmd := mcptap(t, "connect", "--all")
			out, _ := cmd.Output()
			assert.Equal(t, exitPartly, cmd.ProcessState.ExitCode())
			errors := cmd.Stderr.(*bytes.Buffer).String()
			assert.Contains(t, errors, path+": ")
			assert.NotContains(t, string(out)+errors, "goroutine ")
			assert.Less(t, len(errors), 1000)
			assert.FileExists(t, filepath.Join(home, ".gemini/settings.json"))
			if name != "pipe" {
				after, _ := os.ReadFile(path)
				assert.True(t, bytes.Equal(before, after))
			}
			cmd = mcptap(t, "status", "--endpoint", "http://127.0.0.1:1", "--otlp-endpoint", "http://127.0.0.1:1", "--web-ui", "http://127.0.0.1:1")
			out, _ = cmd.Output()
			assert.Contains(t, string(out), "Gemini CLI")
			cmd = mcptap(t, "hook", "claude-code", "--endpoint", "http://127.0.0.1:1")
			cmd.Env = append(cmd.Env, "HOME="+tempHome(t), "CLAUDE_CONFIG_DIR="+filepath.Dir(path))
			cmd.Stdin = strings.NewReader("{}")
			require.NoError(t, cmd.Run())
		})
	}
}

// Names of others do not reach the terminal as they are.
func TestNamesAreEscaped(t *testing.T) {
	home := newHome(t, tree{"mcp.json": `{"mcpServers": {"a\u001b]0;x\u0007\u009b2J": {"command": "c"}}}`})
	for _, args := range [][]string{{"wrap", "--dry-run", home + "/mcp.json"}, {"wrap", home + "/mcp.json"}, {"wrap", "--undo", home + "/mcp.json"}, {"wrap", home + "/\x1b[2J"}} {
		cmd := mcptap(t, args...)
		out, _ := cmd.Output()
		text := string(out) + cmd.Stderr.(*bytes.Buffer).String()
		assert.NotEmpty(t, text)
		assert.Equal(t, -1, strings.IndexFunc(text, obeyed), "%q", text)
	}
}
