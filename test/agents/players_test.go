package agents

import (
	"path/filepath"
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
)

var claudePlayer = &player{
	agent:  claudeCode,
	start:  []string{"--model", claudeModel, "--allowedTools", "Bash(sleep:*),Agent,mcp__local", "--"},
	resume: []string{"--model", claudeModel, "--continue", "--allowedTools", "Bash(sleep:*),Agent,mcp__local", "--"},
	asks:   func(command string) model.Call { return bash(command, "Change a file") },
	runs:   func(command string) model.Call { return bash(command, "Sleep") },
	mcp:    model.Call{Tool: "mcp__local__add", Arguments: map[string]any{"a": 1, "b": 2}},
	child: []model.Turn{{Calls: []model.Call{{Tool: "Agent", Arguments: map[string]any{
		"description": "Child task", "prompt": "Do the " + childMarker + ".", "subagent_type": "general-purpose", "run_in_background": false,
	}}}}},
	tool: "Bash", question: "Do you want to proceed", yes: "\r", no: "3", refused: "WhatshouldClaude",
	compact: "/compact", commands: []string{"/status"}, leave: []string{"/exit", "\r"},
}

var codexPlayer = &player{
	agent:  codex,
	start:  []string{"-m", "scripted", "-c", "approval_policy=on-request", "-s", "read-only"},
	resume: []string{"-m", "scripted", "-c", "approval_policy=on-request", "-s", "read-only", "resume", "--last"},
	asks: func(command string) model.Call {
		return model.Call{Tool: "exec_command", Arguments: map[string]any{
			"cmd": command, "sandbox_permissions": "require_escalated", "justification": "Change a file?",
		}}
	},
	runs: shell,
	mcp:  model.Call{Tool: "add", Namespace: "mcp__local", Arguments: map[string]any{"a": 1, "b": 2}},
	child: []model.Turn{
		{Calls: []model.Call{{Tool: "spawn_agent", Namespace: codexAgents, Arguments: map[string]any{"message": "Do the " + childMarker + "."}}}},
		{Calls: []model.Call{{Tool: "wait_agent", Namespace: codexAgents, Arguments: map[string]any{
			"targets": []any{model.Found(`agent_id\\*":\\*"([0-9a-f-]+)`)}, "timeout_ms": 30000,
		}}}},
	},
	tool: "Bash", question: "Would you like to run", yes: "y", no: "n", refused: "Conversationinterrupted",
	compact: "/compact", commands: []string{"/status"}, leave: []string{clearLine + "/quit", "\r"},
}

var geminiPlayer = &player{
	agent: geminiCLI,
	configure: func(t *testing.T, s *scene) {
		geminiCLI.configure(t, s)
		s.write(t, filepath.Join(s.home, ".gemini", "policies", "test.toml"), `[[rule]]
toolName = "run_shell_command"
commandPrefix = "sleep"
decision = "allow"
priority = 900
`)
	},
	start: []string{"-m", geminiModel, "-i"}, resume: []string{"-m", geminiModel, "--resume", "latest", "-i"},
	asks: geminiShell, runs: geminiShell,
	mcp: model.Call{Tool: "mcp_local_add", Arguments: map[string]any{"a": 1, "b": 2}},
	child: []model.Turn{{Calls: []model.Call{{Tool: "invoke_agent", Arguments: map[string]any{
		"agent_name": "generalist", "prompt": "Do the " + childMarker + ".",
	}}}}},
	tool: "run_shell_command", question: "Allow execution", yes: "\r", no: "\x1b", refused: "Requestcancelled",
	compact: "/compress", commands: []string{"/about"}, leave: []string{"/quit", "\r"},
}

var opencodePlayer = &player{
	agent: opencode,
	configure: func(t *testing.T, s *scene) {
		opencode.configure(t, s)
		path := filepath.Join(s.home, ".config", "opencode", "opencode.json")
		all := s.readJSON(t, path)
		all["permission"] = map[string]any{"bash": map[string]any{"*": "ask", "sleep *": "allow"}}
		s.writeJSON(t, path, all)
	},
	start: []string{"--prompt"}, resume: []string{"--continue", "--prompt"},
	asks: opencodeBash, runs: opencodeBash,
	mcp: model.Call{Tool: "local_add", Arguments: map[string]any{"a": 1, "b": 2}},
	child: []model.Turn{{Calls: []model.Call{{Tool: "task", Arguments: map[string]any{
		"description": "Child task", "prompt": "Do the " + childMarker + ".", "subagent_type": "general",
	}}}}},
	tool: "bash", question: "Permission required", yes: "\r", no: "\x1b[C|\x1b[C|\r|\r", refused: "ctrl+pcommands", escapes: 2,
	compact: "/compact", commands: []string{"/status"}, leave: []string{"/exit", "\r"},
}

var copilotPlayer = &player{
	agent:  copilotCLI,
	start:  []string{"--disable-client-telemetry", "--allow-tool", "shell(sleep:*)", "--allow-tool", "local", "-i"},
	resume: []string{"--disable-client-telemetry", "--allow-tool", "shell(sleep:*)", "--allow-tool", "local", "--continue", "-i"},
	asks:   copilotBash, runs: copilotBash,
	mcp: model.Call{Tool: "local-add", Arguments: map[string]any{"a": 1, "b": 2}},
	child: []model.Turn{{Calls: []model.Call{{Tool: "task", Arguments: map[string]any{
		"name": "child", "description": "Child task", "prompt": "Do the " + childMarker + ".", "agent_type": "general-purpose", "mode": "sync",
	}}}}},
	tool: "bash", question: "Do you want to run", yes: "\r", no: "\x1b", refused: "rewind", escapes: 2,
	compact: "/compact", commands: []string{"/session"}, leave: []string{"/exit", "\r"},
}
