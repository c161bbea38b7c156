package agents

import (
	"path/filepath"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// claudeCode: https://code.claude.com/docs/en/hooks, …/monitoring-usage and
// …/settings.
var claudeCode = Agent{
	Name: claudeCodeName, Title: "Claude Code", program: "claude",
	folder: claudeCodeFolder,
	Files:  claudeCodeFiles,
}

func claudeCodeFolder(m Machine) string { return m.inHome("CLAUDE_CONFIG_DIR", ".claude") }

// claudeCodeWaits are events at which Claude Code may end before a hook that runs
// in the background has.
var claudeCodeWaits = map[string]bool{"Stop": true, "StopFailure": true, "SessionEnd": true}

var claudeCodeEvents = []string{
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure",
	"PermissionDenied", "Elicitation", "ElicitationResult", "Notification", "SubagentStart", "SubagentStop",
	"PreCompact", "PostCompact", "Stop", "StopFailure", "SessionEnd",
}

// hookTimeout is the number of seconds an agent waits for a hook, which itself needs
// less.
const hookTimeout = 3

func claudeCodeFiles(m Machine, t Target) []File {
	main := File{Path: t.in(filepath.Join(claudeCodeFolder(m), "settings.json"), ".claude", "settings.local.json")}
	command := t.hook(m, claudeCodeName, posix)
	for _, event := range claudeCodeEvents {
		hook := settings.Object{{Key: "type", Value: "command"}, {Key: "command", Value: command}}
		if claudeCodeWaits[event] {
			hook = append(hook, settings.Member{Key: "timeout", Value: hookTimeout})
		} else {
			hook = append(hook, settings.Member{Key: "async", Value: true})
		}
		main.Settings = append(main.Settings, hookGroup(event, hook))
	}
	main.Settings = append(main.Settings, claudeCodeEnv(t)...)
	entry := settings.Object{{Key: "type", Value: "http"}, {Key: "url", Value: t.Endpoint + "/mcp"}}
	servers := File{Path: m.inHome("CLAUDE_CONFIG_DIR", "", ".claude.json"), Servers: t.Project == ""}
	path := []string{"mcpServers", ServerName}
	if t.Project != "" {
		path = append([]string{"projects", t.Project}, path...)
	}
	servers.Settings = []Setting{server(entry, "url", path...)}
	files := []File{main, servers}
	if t.Project != "" {
		files = append(files, File{Path: filepath.Join(t.Project, ".mcp.json"), Servers: true})
	}
	return files
}

// hookGroup is an element of hooks.{event} with one hook that runs always.
func hookGroup(event string, hook settings.Object) Setting {
	value := settings.Object{{Key: "hooks", Value: []any{hook}}}
	return Setting{Group: Hooks, Path: []string{"hooks", event}, Value: value, Element: true}
}

// otlpTimeout is the number of milliseconds an agent may wait for a collector that does not
// answer: for an export, and at its end.
const otlpTimeout = "1000"

// otlpTimeoutEnv is the variable for it that each agent knows.
const otlpTimeoutEnv = "OTEL_EXPORTER_OTLP_TIMEOUT"

// serverTimeout is the number of milliseconds an agent may wait for each answer of the
// collector's MCP server, which takes a few.
const serverTimeout = 3000

// claudeCodeEnv returns the settings that Claude Code needs to send logs, spans and metrics. Details of tool
// calls are where the names of MCP servers and tools are.
func claudeCodeEnv(t Target) (all []Setting) {
	need := func(key, value string, forbidden ...string) {
		s := set(OTLP, value, "env", key)
		for _, f := range forbidden {
			s.Forbidden = append(s.Forbidden, []string{"env", f})
		}
		all = append(all, s)
	}
	want := func(key, value string) {
		need(key, value)
		all[len(all)-1].Soft = true
	}
	for _, key := range []string{"CLAUDE_CODE_ENABLE_TELEMETRY", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA"} {
		all = append(all, turnOn(OTLP, "1", "env", key))
	}
	for _, signal := range []string{"LOGS", "TRACES", "METRICS"} {
		need("OTEL_"+signal+"_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT", "OTEL_EXPORTER_OTLP_"+signal+"_PROTOCOL")
	}
	need("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	need("OTEL_EXPORTER_OTLP_ENDPOINT", t.OTLP)
	want("OTEL_LOGS_EXPORT_INTERVAL", "1000")
	want("OTEL_TRACES_EXPORT_INTERVAL", "1000")
	want("OTEL_METRIC_EXPORT_INTERVAL", "10000")
	want(otlpTimeoutEnv, otlpTimeout)
	want("CLAUDE_CODE_OTEL_FLUSH_TIMEOUT_MS", otlpTimeout)
	want("CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS", otlpTimeout)
	want("OTEL_LOG_TOOL_DETAILS", "1")
	want("CLAUDE_CODE_PROPAGATE_TRACEPARENT", "1")
	if t.Content {
		for _, key := range []string{"USER_PROMPTS", "ASSISTANT_RESPONSES", "TOOL_CONTENT"} {
			all = append(all, turnOn(OTLP, "1", "env", "OTEL_LOG_"+key))
		}
	}
	return all
}
