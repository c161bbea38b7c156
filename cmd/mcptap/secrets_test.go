//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is printed has no secrets of the user, who may paste it somewhere.
func TestNoSecretsPrinted(t *testing.T) {
	home := newHome(t, tree{
		".claude/settings.json": "{\n  \"env\": {\n    \"ANTHROPIC_API_KEY\": \"sk-\\\"1\",\n    \"HTTP_PROXY\": \"http://me:sk-2@proxy\",\n" +
			"    \"OTEL_EXPORTER_OTLP_ENDPOINT\": \"http://me:sk-3@c\",\n    \"OTEL_EXPORTER_OTLP_HEADERS\": \"a=sk-4\"\n  }\n}\n",
		".codex/config.toml": "[otel]\nexporter = \"none\"\nauth_token = 'sk-5'\n",
	})
	for _, agent := range []string{"claude-code", "codex"} {
		for _, more := range []string{"--dry-run", "--force", "--undo"} {
			out, _ := connectAt(t, home, agent, more, "--diff")
			assert.Contains(t, out, "***", agent+more)
			assert.NotContains(t, out, "sk-", agent+more)
		}
	}
	text, err := os.ReadFile(filepath.Join(home, ".codex/config.toml"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "sk-5")
}

// What a person gives to a server, in its environment or in headers, is nobody else's,
// whatever it is called and however the file writes it.
func TestNoServerValuesPrinted(t *testing.T) {
	home := newHome(t, tree{
		".claude.json": "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\", \"env\": {\"TEAM\": \"private-1\", \"PIN\": 4711}},\n" +
			"    \"b\": {\n      \"type\": \"http\", \"url\": \"https://b/\",\n      \"headers\": {\n        \"X-Team\": \"private-2\"\n      }\n    },\n" +
			"    \"otelcol-mcp\": {\"type\": \"http\", \"url\": \"https://c/\", \"headers\": {\"X-Team\": \"private-3\"}}\n  }\n}\n",
		".claude/settings.json": "{\"env\": {\"MY_TOKEN\": \"private-4\", \"DB\": \"https://me:private-10@db/\", \"OTEL_EXPORTER_OTLP_ENDPOINT\": \"http://seen:1\", \"TEAM\": \"private-11\"}}\n",
		".codex/config.toml": "[mcp_servers.a]\ncommand = \"a\"\nenv = { TEAM = \"private-5\", PIN = 4711 }\n\n" +
			"[mcp_servers.b]\nurl = \"https://b/\"\n\n[mcp_servers.b.http_headers]\nX-Team = 'private-6'\n\"X Long\" = \"\"\"\nprivate-7\"\"\"\n\n" +
			"[mcp_servers.otelcol-mcp]\nurl = \"https://c/\"\nhttp_headers = { X-Team = \"private-8\" }\n\n[otel]\nexporter = \"none\"\n",
		".config/opencode/opencode.jsonc": "{\n  // servers\n  \"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"a\"], \"environment\": {\"TEAM\": \"private-9\",},},},\n}\n",
	})
	for _, agent := range []string{"claude-code", "codex", "opencode"} {
		for _, more := range [][]string{{"--dry-run"}, {"--wrap"}, {"--wrap", "--force"}, {"--undo"}} {
			out, _ := connectAt(t, home, append([]string{agent, "--diff"}, more...)...)
			for _, secret := range []string{"private", "4711"} {
				assert.NotContains(t, out, secret, "%s %s", agent, more)
			}
			if agent == "claude-code" && more[0] == "--dry-run" {
				assert.Contains(t, out, "http://seen:1", "what mcptap itself writes is shown")
				assert.Contains(t, out, "\"TEAM\": \"***\"\n", "each on a line of its own, and hidden if it is not ours")
			}
		}
	}
	for name, text := range readTree(t, home).without(stateBelow) {
		assert.NotContains(t, text, mask, name)
	}
}

// An address with a password would stand in settings and in lists of processes.
func TestNoPasswordInAddress(t *testing.T) {
	home := newHome(t, tree{})
	for flag, hint := range map[string]string{"--endpoint": "MCPTAP_AUTHORIZATION", "--otlp-endpoint": "OTEL_EXPORTER_OTLP_HEADERS"} {
		cmd, _ := root()
		cmd.SetOut(&strings.Builder{})
		cmd.SetArgs([]string{"connect", "cursor", flag, "http://me:sk-1@c"})
		err := cmd.Execute()
		require.ErrorContains(t, err, hint)
		assert.NotContains(t, err.Error(), "sk-1")
	}
	assert.Empty(t, readTree(t, home))
}

// Without its copy a file cannot be restored to the byte, but all else works.
func TestLostOriginal(t *testing.T) {
	for _, reconnect := range []bool{false, true} {
		before := existing(t, "claude-code")
		home := newHome(t, before)
		_, _ = connectAt(t, home, "claude-code")
		originals, err := filepath.Glob(filepath.Join(home, stateBelow, "otelcol-mcp/mcptap/*.original"))
		require.NoError(t, err)
		require.NotEmpty(t, originals)
		for _, path := range originals {
			require.NoError(t, os.Remove(path))
		}
		if reconnect {
			_, _ = connectAt(t, home, "claude-code", "--content")
		}
		_, _ = connectAt(t, home, "claude-code", "--undo")
		files := readTree(t, home)
		for name, text := range before.replace(goldenHome, home) {
			assert.True(t, sameFile(t, name, text, files[name]), "%s: %s", name, files[name])
		}
		assert.Len(t, files, len(before))
	}
}
