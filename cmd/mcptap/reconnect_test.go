//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
)

// existing is what a user of an agent has.
func existing(t *testing.T, agent string) tree {
	t.Helper()
	return readTree(t, filepath.Join("testdata", "connect", agent, "existing", "before"))
}

// Another program and another collector take the place of the first ones, and
// undoing still goes back to the start.
func TestReconnect(t *testing.T) {
	for _, a := range agents.All {
		t.Run(a.Name, func(t *testing.T) {
			before := existing(t, a.Name)
			home := newHome(t, before)
			_, _ = connectAt(t, home, a.Name, "--content")
			first := readTree(t, home).without(stateBelow)

			_, code := connectAt(t, home, a.Name, "--mcptap", "/elsewhere/mcptap", "--endpoint", "http://c:1", "--otlp-endpoint", "http://c:2")
			assert.Zero(t, code)
			for name, text := range readTree(t, home).without(stateBelow) {
				assert.NotContains(t, text, "/opt/bin/mcptap", name)
				assert.NotContains(t, text, "localhost:43", name)
			}
			_, _ = connectAt(t, home, a.Name, "--content")
			for name, text := range readTree(t, home).without(stateBelow) {
				assert.True(t, filepath.Ext(name) == ".js" || sameFile(t, name, first[name], text), "%s: %s", name, text)
			}
			_, _ = connectAt(t, home, a.Name, "--undo")
			assert.Equal(t, before, readTree(t, home).replace(home, goldenHome))
		})
	}
}

// Without a record, as after another machine's settings were copied, what looks
// like ours is removed.
func TestUndoWithoutRecord(t *testing.T) {
	for _, a := range agents.All {
		t.Run(a.Name, func(t *testing.T) {
			before := existing(t, a.Name).without(".gemini") // it had a switch off, which nobody knows now
			home := newHome(t, before)
			_, _ = connectAt(t, home, a.Name)
			require.NoError(t, os.RemoveAll(filepath.Join(home, ".local")))
			_, _ = connectAt(t, home, a.Name, "--undo")
			for name, text := range readTree(t, home) {
				assert.NotContains(t, text, "mcptap", name)
				if old, ok := before[name]; ok {
					assert.True(t, sameFile(t, name, strings.ReplaceAll(old, goldenHome, home), text), "%s: %s", name, text)
				}
			}
		})
	}
}

// In a project, nothing of the user's changes but what has to.
func TestProject(t *testing.T) {
	users := map[string]string{"claude-code": ".claude.json", "codex": ".codex/config.toml"}
	for _, a := range agents.All {
		t.Run(a.Name, func(t *testing.T) {
			before := existing(t, a.Name)
			home := newHome(t, before)
			project := filepath.Join(home, "src")
			require.NoError(t, os.Mkdir(project, 0o755))
			t.Chdir(project)
			out, code := connectAt(t, home, a.Name, "--scope", "project")
			assert.Zero(t, code, out)
			files := readTree(t, home).replace(home, goldenHome).without(stateBelow)
			assert.Contains(t, strings.Join(contents(files.only("src/")), ""), "mcptap")
			changed := files.without("src/")
			for name, text := range before {
				if name != users[a.Name] {
					assert.Equal(t, text, changed[name], name)
				}
			}
			again, _ := connectAt(t, home, a.Name, "--scope", "project")
			assert.NotContains(t, again, "\n@@ ")
			_, _ = connectAt(t, home, a.Name, "--scope", "project", "--undo")
			assert.Equal(t, before, readTree(t, home).replace(home, goldenHome))
		})
	}
}

func (files tree) only(prefix string) tree {
	chosen := tree{}
	for name, text := range files {
		if strings.HasPrefix(name, prefix) {
			chosen[name] = text
		}
	}
	return chosen
}

func contents(files tree) (all []string) {
	for _, text := range files {
		all = append(all, text)
	}
	return all
}

// Files that are broken, or not ours to write, are named, and nothing changes.
func TestConnectErrors(t *testing.T) {
	home := newHome(t, tree{".claude/settings.json": "{", ".codex/config.toml": "a = "})
	for want, args := range map[string][]string{
		"settings.json: line 1, column 2: not valid JSON": {"claude-code"},
		"config.toml: line 1, column 4: not valid TOML":   {"codex"},
		`"nobody" is not an agent`:                        {"nobody"},
		"name an agent, or use --all":                     {},
		"neither user nor project":                        {"cursor", "--scope", "x"},
		"--endpoint \"c:1\" is not":                       {"cursor", "--endpoint", "c:1"},
		"--otlp-endpoint \"/\" is not":                    {"cursor", "--otlp-endpoint", "x"},
		"is not an absolute path":                         {"cursor", "--mcptap", "mcptap"},
		"claude-code: " + home + "/.claud":                {"--all"},
	} {
		cmd, _ := root()
		cmd.SetOut(&strings.Builder{})
		cmd.SetArgs(append([]string{"connect"}, args...))
		assert.ErrorContains(t, cmd.Execute(), strings.Replace(want, `"/"`, `"x"`, 1))
	}
	assert.Equal(t, tree{".claude/settings.json": "{", ".codex/config.toml": "a = "}, readTree(t, home))
}
