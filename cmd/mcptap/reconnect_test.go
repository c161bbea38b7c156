//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/status"
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

// Headers stand in all hooks, and only there: connecting twice changes nothing, and without
// them they go.
func TestConnectWithHeaders(t *testing.T) {
	const headers = "X-Organization-Id=acme%20GmbH,X-User-Id=ann"
	hook := regexp.MustCompile("mcptap'? hook ")
	for _, a := range agents.All {
		t.Run(a.Name, func(t *testing.T) {
			before := existing(t, a.Name)
			home := newHome(t, before)
			_, _ = connectAt(t, home, a.Name)
			plain, connected := readTree(t, home).without(stateBelow), connectedAt(t, home)
			_, _ = connectAt(t, home, a.Name, "--headers", headers)
			with := readTree(t, home).without(stateBelow)
			for name, text := range with {
				assert.Equal(t, len(hook.FindAllString(text, -1)), strings.Count(text, headers), name)
			}
			if a.Name != "opencode" { // it has a plugin, which is left out here
				assert.NotEqual(t, plain, with)
			}
			assert.Equal(t, connected, connectedAt(t, home), "what is there is what was wanted")
			t.Setenv("MCPTAP_HEADERS", headers)
			_, _ = connectAt(t, home, a.Name)
			assert.Equal(t, with, readTree(t, home).without(stateBelow))
			t.Setenv("MCPTAP_HEADERS", "")
			_, _ = connectAt(t, home, a.Name)
			for name, text := range readTree(t, home).without(stateBelow) {
				assert.NotContains(t, text, "acme", name)
			}
			_, _ = connectAt(t, home, a.Name, "--undo")
			assert.Equal(t, before, readTree(t, home).replace(home, goldenHome))
		})
	}
}

// connectedAt is what status says of each agent.
func connectedAt(t *testing.T, home string) map[string]status.Connected {
	t.Helper()
	out, _ := statusAt(t, home, "--json")
	var report status.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	connected := map[string]status.Connected{}
	for _, a := range report.Agents {
		connected[a.Name] = a.Connected
	}
	return connected
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
		"settings.json: line 1, column 2: not valid JSON":           {"claude-code"},
		"config.toml: line 1, column 4: not valid TOML":             {"codex"},
		`"nobody" is not an agent`:                                  {"nobody"},
		"name an agent, or use --all":                               {},
		"both --all and an agent are given: leave one out":          {"--all", "claude-code"},
		`"foo" has no =: write NAME=VALUE`:                          {"cursor", "--headers", "foo"},
		"neither user nor project":                                  {"cursor", "--scope", "x"},
		"--endpoint \"c:1\" is not":                                 {"cursor", "--endpoint", "c:1"},
		"--otlp-endpoint \"/\" is not":                              {"cursor", "--otlp-endpoint", "x"},
		"is not an absolute path":                                   {"cursor", "--mcptap", "mcptap"},
		"--headers or MCPTAP_HEADERS: the value of X-Team may have": {"cursor", "--headers", "X-Team=a b"},
		"claude-code: " + home + "/.claud":                          {"--all"},
	} {
		cmd, _ := root()
		cmd.SetOut(&strings.Builder{})
		cmd.SetArgs(append([]string{"connect"}, args...))
		assert.ErrorContains(t, cmd.Execute(), strings.Replace(want, `"/"`, `"x"`, 1))
	}
	assert.Equal(t, tree{".claude/settings.json": "{", ".codex/config.toml": "a = "}, readTree(t, home))
}
