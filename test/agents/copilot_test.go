package agents

import (
	"path/filepath"
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
)

// copilotCLI runs with -p and a provider of its own, which needs no account: a
// command that its options deny is refused.
var copilotCLI = &agent{
	name: "copilot", title: "Copilot CLI", program: "copilot", npm: "@github/copilot", anonymous: true, keep: keepCopilot,
	scripts: func() []model.Script {
		return []model.Script{
			{Marker: childMarker, Turns: []model.Turn{
				{Calls: []model.Call{{Tool: "view", Arguments: map[string]any{"path": model.Found(`Current working directory: ([^\\]+)`)}}}},
				{Text: "The child is done."},
			}},
			{Marker: marker, Turns: []model.Turn{
				{Text: "I begin.", Calls: []model.Call{copilotBash("echo hello")}},
				{Calls: []model.Call{
					copilotBash("sleep 0.2; echo one"),
					{Tool: "local-add", Arguments: map[string]any{"a": 1, "b": 2}},
					{Tool: "remote-add", Arguments: map[string]any{"a": 3, "b": 4}},
				}},
				{Calls: []model.Call{{Tool: "local-fail", Label: fails, Arguments: map[string]any{"reason": "scripted trouble"}}}},
				{Calls: []model.Call{labelled(exits, copilotBash("exit 3"))}},
				{Calls: []model.Call{labelled(refused, copilotBash("touch forbidden.txt"))}},
				{Fail: 503},
				{Calls: []model.Call{{Tool: "task", Label: spawns, Arguments: map[string]any{
					"name": "child", "description": "Child task", "prompt": "Do the " + childMarker + ".", "agent_type": "general-purpose", "mode": "sync",
				}}}},
				{Text: "All is done."},
			}},
		}
	},
	configure: func(t *testing.T, s *scene) {
		s.writeJSON(t, filepath.Join(s.home, ".copilot", "config.json"), map[string]any{"trusted_folders": []string{s.project}})
		s.writeJSON(t, filepath.Join(s.home, ".copilot", "mcp-config.json"), map[string]any{"mcpServers": map[string]any{
			"local":  map[string]any{"type": "local", "command": s.toolserver, "args": s.stdioArgs(), "tools": []string{"*"}},
			"remote": map[string]any{"type": "http", "url": s.httpURL, "tools": []string{"*"}},
		}})
	},
	environment: func(s *scene) []string {
		return []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL=" + s.model.URL + "/v1",
			"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=gpt-5.4",
		}
	},
	runs: func(*scene) [][]string {
		return [][]string{{"-p", prompt, "--allow-all-tools", "--deny-tool", "shell(touch:*)", "--no-color", "--disable-client-telemetry"}}
	},
}

func copilotBash(command string) model.Call {
	return model.Call{Tool: "bash", Arguments: map[string]any{"command": command, "description": "Run a command"}}
}
