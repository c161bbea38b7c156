package agents

import (
	"path/filepath"
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
)

const geminiModel = "gemini-2.5-flash"

// geminiCLI runs with -p: a command that its policies deny is refused.
var geminiCLI = &agent{
	name: "gemini-cli", title: "Gemini CLI", program: "gemini", npm: "@google/gemini-cli", anonymous: true, keep: keepGemini,
	scripts: func() []model.Script {
		return []model.Script{
			{Marker: childMarker, Turns: []model.Turn{
				{Calls: []model.Call{{Tool: "read_file", Arguments: map[string]any{"file_path": "notes.txt"}}}},
				{Calls: []model.Call{{Tool: "complete_task", Arguments: map[string]any{
					"result": map[string]any{"response": "The child is done."},
				}}}},
			}},
			{Marker: marker, Turns: []model.Turn{
				{Text: "I begin.", Calls: []model.Call{geminiShell("echo hello")}},
				{Calls: []model.Call{
					{Tool: "read_file", Arguments: map[string]any{"file_path": "notes.txt"}},
					{Tool: "mcp_local_add", Arguments: map[string]any{"a": 1, "b": 2}},
					{Tool: "mcp_remote_add", Arguments: map[string]any{"a": 3, "b": 4}},
				}},
				{Calls: []model.Call{{Tool: "mcp_local_fail", Label: fails, Arguments: map[string]any{"reason": "scripted trouble"}}}},
				{Calls: []model.Call{labelled(exits, geminiShell("exit 3"))}},
				{Calls: []model.Call{labelled(refused, geminiShell("touch forbidden.txt"))}},
				{Fail: 500},
				{Calls: []model.Call{{Tool: "invoke_agent", Label: spawns, Arguments: map[string]any{
					"agent_name": "generalist", "prompt": "Do the " + childMarker + ".",
				}}}},
				{Text: "All is done."},
			}},
		}
	},
	configure: func(t *testing.T, s *scene) {
		s.write(t, filepath.Join(s.home, ".gemini", "policies", "test.toml"), `[[rule]]
toolName = "run_shell_command"
commandPrefix = "touch"
decision = "deny"
priority = 900

[[rule]]
toolName = "run_shell_command"
decision = "allow"
priority = 500
`)
		s.writeJSON(t, filepath.Join(s.home, ".gemini", "settings.json"), map[string]any{
			"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}},
			"general":  map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
			"privacy":  map[string]any{"usageStatisticsEnabled": false},
			"mcpServers": map[string]any{
				"local":  map[string]any{"command": s.toolserver, "args": s.stdioArgs(), "trust": true},
				"remote": map[string]any{"httpUrl": s.httpURL, "trust": true},
			},
		})
	},
	environment: func(s *scene) []string {
		return []string{"GOOGLE_GEMINI_BASE_URL=" + s.model.URL, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	},
	runs: func(*scene) [][]string {
		return [][]string{{"-m", geminiModel, "-p", prompt}}
	},
}

func geminiShell(command string) model.Call {
	return model.Call{Tool: "run_shell_command", Arguments: map[string]any{"command": command}}
}
