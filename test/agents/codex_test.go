package agents

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
)

// codexAgents is where Codex has its tools for sub-agents.
const codexAgents = "multi_agent_v1"

// codex runs with exec and a sandbox that only reads.
var codex = &agent{
	name: "codex", title: "Codex", program: "codex", npm: "@openai/codex", keep: keepCodex,
	scripts: func() []model.Script {
		return []model.Script{
			{Marker: childMarker, Turns: []model.Turn{
				{Calls: []model.Call{shell("cat notes.txt")}},
				{Text: "The child is done."},
			}},
			{Marker: marker, Turns: []model.Turn{
				{Text: "I begin.", Calls: []model.Call{shell("echo hello")}},
				{Calls: []model.Call{
					shell("sleep 0.2; echo one"),
					{Tool: "add", Namespace: "mcp__local", Arguments: map[string]any{"a": 1, "b": 2}},
					{Tool: "add", Namespace: "mcp__remote", Arguments: map[string]any{"a": 3, "b": 4}},
				}},
				{Calls: []model.Call{{Tool: "fail", Namespace: "mcp__local", Label: fails, Arguments: map[string]any{"reason": "scripted trouble"}}}},
				{Calls: []model.Call{labelled(exits, shell("exit 3"))}},
				{Fail: 500},
				{Calls: []model.Call{{Tool: "spawn_agent", Namespace: codexAgents, Label: spawns, Arguments: map[string]any{
					"message": "Do the " + childMarker + ".",
				}}}},
				{Calls: []model.Call{{Tool: "wait_agent", Namespace: codexAgents, Arguments: map[string]any{
					"targets": []any{model.Found(`agent_id\\*":\\*"([0-9a-f-]+)`)}, "timeout_ms": 30000,
				}}}},
				{Text: "All is done."},
			}},
		}
	},
	configure: func(t *testing.T, s *scene) {
		s.write(t, filepath.Join(s.home, ".codex", "config.toml"), fmt.Sprintf(`# What a person wrote.
model = "gpt-5.5" # stays
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 2
stream_max_retries = 2

[projects.%q]
trust_level = "trusted"

[analytics]
enabled = false

[features]
hooks = true

[mcp_servers.local]
command = %q
args = ["-name", "local", "-seen", %q]

[mcp_servers.remote]
url = %q
`, s.model.URL, s.project, s.toolserver, s.seenFile("local"), s.httpURL))
	},
	environment: func(s *scene) []string {
		return []string{"FAKE_KEY=none", "CODEX_HOME=" + filepath.Join(s.home, ".codex")}
	},
	runs: func(*scene) [][]string {
		return [][]string{{"exec", "--skip-git-repo-check", prompt}}
	},
}

func shell(command string) model.Call {
	return model.Call{Tool: "exec_command", Arguments: map[string]any{"cmd": command}}
}
