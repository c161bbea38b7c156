//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// mine is a hook that a user puts next to the one of mcptap.
const mine = `{"type":"command","command":"/my/own/check.sh"}`

// addHook puts it into the group that connect has made.
func addHook(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), `"PreToolUse"`)
	require.True(t, ok)
	rest = strings.Replace(rest, "}]", "}, "+mine+"]", 1)
	require.NoError(t, os.WriteFile(path, []byte(before+`"PreToolUse"`+rest), 0o600))
}

// toolHooks are the commands before a tool, of all groups.
func toolHooks(t *testing.T, path string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	d, err := settings.Parse(path, text)
	require.NoError(t, err)
	v, _ := d.Value("hooks", "PreToolUse")
	list, _ := v.([]any)
	for _, group := range list {
		hooks, _ := group.(map[string]any)["hooks"].([]any)
		for _, h := range hooks {
			command, _ := h.(map[string]any)["command"].(string)
			all = append(all, command)
		}
	}
	return all
}

// A user's hook in a group of mcptap is the user's.
func TestOwnHookInGroup(t *testing.T) {
	for agent, file := range map[string]string{"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"} {
		t.Run(agent, func(t *testing.T) {
			home := newHome(t, tree{})
			_, _ = connectAt(t, home, agent)
			path := filepath.Join(home, file)
			ours := toolHooks(t, path)
			addHook(t, path)
			again, _ := connectAt(t, home, agent)
			assert.NotContains(t, again, "\n@@ ", "it is connected")

			_, _ = connectAt(t, home, agent, "--endpoint", "http://c:1")
			hooks := toolHooks(t, path)
			assert.Len(t, hooks, 2)
			assert.Contains(t, hooks, "/my/own/check.sh")
			assert.NotContains(t, hooks, ours[0])

			_, _ = connectAt(t, home, agent, "--undo")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, sameFile(t, path, `{"hooks":{"PreToolUse":[{"hooks":[`+mine+`]}]}}`, string(text)), "%s", text)
			assert.Len(t, readTree(t, home).without(stateBelow), 1)
		})
	}
}

// The original stays if undoing did not restore it to the byte.
func TestOriginalStays(t *testing.T) {
	before := existing(t, "claude-code")
	home := newHome(t, before)
	_, _ = connectAt(t, home, "claude-code")
	addHook(t, filepath.Join(home, ".claude/settings.json"))
	out, _ := connectAt(t, home, "claude-code", "--undo")
	assert.Contains(t, out, "The original stays at ")
	assert.Contains(t, contents(readTree(t, home).only(stateBelow)), before[".claude/settings.json"])
	assert.Contains(t, toolHooks(t, filepath.Join(home, ".claude/settings.json")), "/my/own/check.sh")
}

// Nor does --force drop what is beside a hook that it replaces.
func TestForceKeepsOwnHook(t *testing.T) {
	settings := `{"hooks":{"PreToolUse":[{"hooks":[` + mine + `,{"type":"command","command":"curl http://c/v1/hooks/claude-code"}]}]}}`
	home := newHome(t, tree{".claude/settings.json": settings})
	_, code := connectAt(t, home, "claude-code", "--force")
	assert.Zero(t, code)
	path := filepath.Join(home, ".claude/settings.json")
	hooks := toolHooks(t, path)
	assert.Len(t, hooks, 2)
	assert.Equal(t, "/my/own/check.sh", hooks[0])
	tree{".claude/settings.json": edited(t, path, readTree(t, home)[".claude/settings.json"])}.write(t, home)
	_, _ = connectAt(t, home, "claude-code", "--undo")
	assert.Equal(t, []string{"/my/own/check.sh", "curl http://c/v1/hooks/claude-code"}, toolHooks(t, path))
}
