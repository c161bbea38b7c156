//go:build unix

package main

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

var update = flag.Bool("update", false, "write what connect makes into testdata/connect")

// goldenHome stands for the home folder in what is compared.
const goldenHome = "/home/me"

// tree are files by their path below a folder.
type tree map[string]string

// program matches the plugin, which is not what is tested here but for its start.
var program = regexp.MustCompile(`(?s)^(// Written by mcptap connect[^\n]*\n).*`)

func readTree(t *testing.T, folder string) tree {
	t.Helper()
	files := tree{}
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // there may be no folder
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		name, err := filepath.Rel(folder, path)
		require.NoError(t, err)
		files[filepath.ToSlash(name)] = program.ReplaceAllString(string(text), "$1")
		return nil
	})
	return files
}

func (files tree) write(t *testing.T, folder string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

func (files tree) replace(from, to string) tree {
	changed := tree{}
	for name, text := range files {
		changed[name] = strings.ReplaceAll(text, from, to)
	}
	return changed
}

// without is without the files whose names begin so.
func (files tree) without(prefix string) tree {
	rest := tree{}
	for name, text := range files {
		if !strings.HasPrefix(name, prefix) {
			rest[name] = text
		}
	}
	return rest
}

// trustedHash is of a command that has a path below the home folder, which is another one
// in each run.
var trustedHash = regexp.MustCompile("sha256:[0-9a-f]{64}")

func (files tree) withoutHashes() tree {
	for name, text := range files {
		files[name] = trustedHash.ReplaceAllString(text, "sha256:HASH")
	}
	return files
}

const stateBelow = ".local/state/"

// newHome makes a home folder with these files, and the environment of a machine
// that has nothing else.
func newHome(t *testing.T, files tree) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	files.replace(goldenHome, home).write(t, home)
	t.Setenv("HOME", home)
	for _, name := range []string{
		"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
		"MCPTAP_ENDPOINT", "MCPTAP_HEADERS", "OTELCOL_MCP_URL", "MCPTAP_OTLP_ENDPOINT", "COPILOT_OTEL_ENABLED", "OTEL_EXPORTER_OTLP_ENDPOINT",
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
	} {
		t.Setenv(name, "")
	}
	return home
}

var lines = regexp.MustCompile(`\([1-9]\d* lines\)`)

// recordName has a hash of the path, which is another one in each run.
var recordName = regexp.MustCompile("-[0-9a-f]{12}-")

// noCollector depends on what runs on the machine.
var noCollector = regexp.MustCompile(`(?m)^No collector answers at .*\n`)

// connectAt runs connect, and is what it prints.
func connectAt(t *testing.T, home string, args ...string) (out string, code int) {
	t.Helper()
	cmd, exit := root()
	var b bytes.Buffer
	cmd.SetOut(&b)
	cmd.SetArgs(append([]string{"connect", "--mcptap", "/opt/bin/mcptap"}, args...))
	require.NoError(t, cmd.Execute())
	text := strings.ReplaceAll(b.String(), home, goldenHome)
	text = noCollector.ReplaceAllString(text, "")
	text = lines.ReplaceAllString(text, "(N lines)")
	return recordName.ReplaceAllString(text, "-HASH-"), *exit
}

// Each agent's files before and after, there and back.
func TestConnect(t *testing.T) {
	for _, a := range agents.All {
		cases, err := os.ReadDir(filepath.Join("testdata", "connect", a.Name))
		require.NoError(t, err)
		for _, c := range cases {
			t.Run(a.Name+"/"+c.Name(), func(t *testing.T) {
				golden(t, a.Name, filepath.Join("testdata", "connect", a.Name, c.Name()))
			})
		}
	}
}

func golden(t *testing.T, agent, folder string) {
	before := readTree(t, filepath.Join(folder, "before"))
	delete(before, "empty")
	flags := []string{agent}
	if text, err := os.ReadFile(filepath.Join(folder, "flags")); err == nil {
		flags = append(flags, strings.Fields(string(text))...)
	}
	home := newHome(t, before)

	dry, _ := connectAt(t, home, append(flags, "--dry-run")...)
	assert.Equal(t, before, readTree(t, home).replace(home, goldenHome), "a dry run changes nothing")

	out, code := connectAt(t, home, append(flags, "--diff")...)
	out = trustedHash.ReplaceAllString(out, "sha256:HASH")
	after := readTree(t, home).replace(home, goldenHome).without(stateBelow).withoutHashes()
	if *update {
		require.NoError(t, os.RemoveAll(filepath.Join(folder, "after")))
		after.write(t, filepath.Join(folder, "after"))
		tree{"output": out}.write(t, folder)
	}
	assert.Equal(t, readTree(t, filepath.Join(folder, "after")), after)
	assert.Equal(t, readTree(t, folder)["output"], out)
	assert.Equal(t, strings.Contains(out, "Left out: "), code == exitPartly)
	assert.Contains(t, dry, "Dry run: no file was changed.")

	again, _ := connectAt(t, home, append(flags, "--diff")...)
	assert.NotContains(t, again, "\n@@ ", "twice is once")
	assert.Equal(t, after, readTree(t, home).replace(home, goldenHome).without(stateBelow).withoutHashes())

	_, _ = connectAt(t, home, append(flags, "--undo")...)
	assert.Equal(t, before, readTree(t, home).replace(home, goldenHome), "byte for byte, and nothing else is left")
}

// What a user adds after connecting stays, and only that.
func TestUndoAfterEdits(t *testing.T) {
	for _, a := range agents.All {
		t.Run(a.Name, func(t *testing.T) {
			before := readTree(t, filepath.Join("testdata", "connect", a.Name, "existing", "before"))
			home := newHome(t, before)
			_, _ = connectAt(t, home, a.Name, "--wrap")
			for name, text := range readTree(t, home).without(stateBelow) {
				if filepath.Ext(name) != ".js" {
					tree{name: edited(t, name, text)}.write(t, home)
				}
			}
			again, _ := connectAt(t, home, a.Name)
			assert.NotContains(t, again, "\n@@ ")

			out, _ := connectAt(t, home, a.Name, "--undo")
			assert.Contains(t, out, "changed since; only what mcptap added is removed")
			files := readTree(t, home).without(stateBelow)
			assert.Empty(t, files.without(".")) // all names begin with a dot
			for name, text := range files {
				assert.True(t, sameFile(t, name, edited(t, name, before.replace(goldenHome, home)[name]), text), "%s: %s", name, text)
				assert.NotContains(t, text, "mcptap")
			}
		})
	}
}

// What was changed is restored where it was, also if the settings have moved since.
func TestUndoWhereItWas(t *testing.T) {
	for name, c := range map[string]struct {
		agent  string
		before tree
		move   func(t *testing.T, home string)
	}{
		"another file goes first": {
			"opencode",
			tree{".config/opencode/opencode.jsonc": "{\n  // mine\n  \"theme\": \"x\"\n}\n"},
			func(t *testing.T, home string) { tree{".config/opencode/opencode.json": "{}\n"}.write(t, home) },
		},
		"another folder of settings": {
			"opencode",
			tree{".config/opencode/opencode.json": "{\"theme\": \"x\"}\n"},
			func(t *testing.T, home string) { t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "elsewhere")) },
		},
		"another folder of Claude Code": {
			"claude-code",
			tree{".claude/settings.json": "{}\n"},
			func(t *testing.T, home string) { t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(home, "elsewhere")) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := newHome(t, c.before)
			_, _ = connectAt(t, home, c.agent)
			require.NotEqual(t, c.before, readTree(t, home))
			c.move(t, home)
			_, code := connectAt(t, home, c.agent, "--undo")
			assert.Zero(t, code)
			after := readTree(t, home)
			for path := range after {
				if _, mine := c.before[path]; !mine && path != ".config/opencode/opencode.json" {
					assert.Fail(t, "left: "+path)
				}
			}
			for path, text := range c.before {
				assert.Equal(t, text, after[path], path)
			}
		})
	}
}

// edited is a file with one more setting.
func edited(t *testing.T, name, text string) string {
	t.Helper()
	d, err := settings.Parse(name, []byte(text))
	require.NoError(t, err)
	require.NoError(t, d.Set([]string{"mine", "too"}, "x"))
	return string(d.Text())
}

func sameFile(t *testing.T, name, a, b string) bool {
	t.Helper()
	x, err := settings.Parse(name, []byte(a))
	require.NoError(t, err)
	y, err := settings.Parse(name, []byte(b))
	require.NoError(t, err)
	v, _ := x.Value()
	w, _ := y.Value()
	return settings.Same(v, w)
}
