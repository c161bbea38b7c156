package agents

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
)

// claudeCode runs with -p: what is not allowed there is refused, since nobody
// can be asked.
var claudeCode = &agent{
	name: "claude-code", title: "Claude Code", program: "claude", npm: "@anthropic-ai/claude-code", keep: keepClaude,
	scripts: func() []model.Script {
		return []model.Script{
			{Marker: childMarker, Turns: []model.Turn{
				{Calls: []model.Call{{Tool: "Read", Arguments: map[string]any{"file_path": "notes.txt"}}}},
				{Text: "The child is done."},
			}},
			{Marker: marker, Turns: []model.Turn{
				{Text: "I begin.", Calls: []model.Call{bash("echo hello", "Say hello")}},
				{Calls: []model.Call{
					{Tool: "Read", Arguments: map[string]any{"file_path": "notes.txt"}},
					{Tool: "mcp__local__add", Arguments: map[string]any{"a": 1, "b": 2}},
					{Tool: "mcp__remote__add", Arguments: map[string]any{"a": 3, "b": 4}},
				}},
				{Calls: []model.Call{{Tool: "mcp__local__fail", Label: fails, Arguments: map[string]any{"reason": "scripted trouble"}}}},
				{Calls: []model.Call{labelled(fails, bash("exit 3", "Fail"))}},
				{Calls: []model.Call{{Tool: "Write", Label: refused, Arguments: map[string]any{"file_path": "/etc/forbidden.txt", "content": "no"}}}},
				{Fail: 529},
				{Calls: []model.Call{{Tool: "Agent", Label: spawns, Arguments: map[string]any{
					"description": "Child task", "prompt": "Do the " + childMarker + ".", "subagent_type": "general-purpose",
					"run_in_background": false,
				}}}},
				{Text: "All is done."},
			}},
		}
	},
	configure:   configureClaude,
	environment: claudeEnvironment,
	runs: func(*scene) [][]string {
		return [][]string{{"-p", prompt, "--allowedTools", claudeTools, "--model", claudeModel}}
	},
}

const (
	claudeModel = "claude-sonnet-4-5"
	claudeTools = "Bash,Read,Agent,mcp__local,mcp__remote"
)

// claudeTurns has two prompts with a compaction between them.
var claudeTurns = &agent{
	name: "claude-code", title: "Claude Code", variant: "turns", program: "claude", npm: "@anthropic-ai/claude-code", keep: keepClaude,
	scripts: func() []model.Script {
		return []model.Script{{Marker: marker, Turns: []model.Turn{
			{Calls: []model.Call{bash("echo hello", "Say hello")}},
			{Text: "The first turn is done."},
			{Calls: []model.Call{bash("echo again", "Say it again")}},
			{Text: "The second turn is done."},
		}}}
	},
	configure:   configureClaude,
	environment: claudeEnvironment,
	runs: func(*scene) [][]string {
		return [][]string{{
			"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
			"--allowedTools", claudeTools, "--model", claudeModel,
		}}
	},
	stdin: func() string {
		return claudeInput(prompt) + claudeInput("/compact") + claudeInput("Once more the "+marker+".")
	},
}

func claudeInput(text string) string {
	line, _ := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}})
	return string(line) + "\n"
}

func configureClaude(t *testing.T, s *scene) {
	s.writeJSON(t, filepath.Join(s.home, ".claude.json"), map[string]any{
		"hasCompletedOnboarding": true,
		"customApiKeyResponses":  map[string]any{"approved": []string{"none"}},
		"projects":               map[string]any{s.project: map[string]any{"hasTrustDialogAccepted": true}},
		"mcpServers": map[string]any{
			"local":  map[string]any{"type": "stdio", "command": s.toolserver, "args": s.stdioArgs()},
			"remote": map[string]any{"type": "http", "url": s.httpURL},
		},
	})
}

func claudeEnvironment(s *scene) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + s.model.URL, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1",
	}
}

func bash(command, description string) model.Call {
	return model.Call{Tool: "Bash", Arguments: map[string]any{"command": command, "description": description}}
}
