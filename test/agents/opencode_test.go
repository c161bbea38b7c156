package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// opencode runs with run: a command that its permissions deny is refused.
var opencode = &agent{
	name: "opencode", title: "opencode", program: "opencode", npm: "opencode-ai", anonymous: true, keep: keepOpencode,
	scripts: func() []model.Script {
		return []model.Script{
			{Marker: childMarker, Turns: []model.Turn{
				{Calls: []model.Call{{Tool: "read", Arguments: map[string]any{"filePath": "notes.txt"}}}},
				{Text: "The child is done."},
			}},
			{Marker: marker, Turns: []model.Turn{
				{Text: "I begin.", Calls: []model.Call{opencodeBash("echo hello")}},
				{Calls: []model.Call{
					opencodeBash("sleep 0.2; echo one"),
					{Tool: "local_add", Arguments: map[string]any{"a": 1, "b": 2}},
					{Tool: "remote_add", Arguments: map[string]any{"a": 3, "b": 4}},
				}},
				{Calls: []model.Call{{Tool: "local_fail", Label: fails, Arguments: map[string]any{"reason": "scripted trouble"}}}},
				{Calls: []model.Call{labelled(exits, opencodeBash("exit 3"))}},
				{Calls: []model.Call{labelled(refused, opencodeBash("touch forbidden.txt"))}},
				{Fail: 503},
				{Calls: []model.Call{{Tool: "task", Label: spawns, Arguments: map[string]any{
					"description": "Child task", "prompt": "Do the " + childMarker + ".", "subagent_type": "general",
				}}}},
				{Text: "All is done."},
			}},
		}
	},
	configure: func(t *testing.T, s *scene) {
		opencodeInstalled(t, s)
		s.writeJSON(t, filepath.Join(s.home, ".config", "opencode", "opencode.json"), map[string]any{
			"$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled",
			"model": "fake/scripted", "small_model": "fake/scripted",
			"provider": map[string]any{"fake": map[string]any{
				"npm": "@ai-sdk/openai-compatible", "name": "fake",
				"options": map[string]any{"baseURL": s.model.URL + "/v1", "apiKey": "none"},
				"models": map[string]any{"scripted": map[string]any{
					"name": "scripted", "tool_call": true, "limit": map[string]any{"context": 100000, "output": 8000},
					"cost": map[string]any{"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
				}},
			}},
			"permission": map[string]any{"bash": map[string]any{"*": "allow", "touch *": "deny"}},
			"mcp": map[string]any{
				"local":  map[string]any{"type": "local", "command": append([]string{s.toolserver}, s.stdioArgs()...), "enabled": true},
				"remote": map[string]any{"type": "remote", "url": s.httpURL, "enabled": true},
			},
		})
	},
	environment: func(*scene) []string {
		return []string{
			"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
			"OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
		}
	},
	before: func(t *testing.T, s *scene) {
		if s.mode.otlp && !s.mode.hooks { // opencode run exits without its last spans and records
			address := harness.FreeAddress(t)
			_, port, _ := strings.Cut(address, ":")
			s.serve(t, address, "serve", "--port", port)
		}
	},
	runs: func(s *scene) [][]string {
		if s.server != "" {
			return [][]string{{"run", "--attach", s.server, "--dir", s.project, prompt}}
		}
		return [][]string{{"run", prompt}}
	},
}

func opencodeBash(command string) model.Call {
	return model.Call{Tool: "bash", Arguments: map[string]any{"command": command, "description": "Run a command"}}
}

// opencodeInstalled leaves what opencode writes at its first start with a
// network: the package of types that it gets for plugins, which none needs to run.
func opencodeInstalled(t *testing.T, s *scene) {
	dir := filepath.Join(s.home, ".config", "opencode")
	types := map[string]any{"dependencies": map[string]any{"@opencode-ai/plugin": "*"}}
	s.writeJSON(t, filepath.Join(dir, "package.json"), types)
	s.writeJSON(t, filepath.Join(dir, "package-lock.json"), map[string]any{"packages": map[string]any{"": types}})
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755))
}
