package agents

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// cursor: https://cursor.com/docs/hooks. It sends no telemetry of its own.
var cursor = Agent{
	Name: cursorName, Title: "Cursor", program: "cursor-agent",
	folder: cursorFolder,
	Files:  cursorFiles,
}

func cursorFolder(m Machine) string { return m.inHome("", ".cursor") }

// cursorEvents leaves out those that repeat preToolUse and its followers.
var cursorEvents = []string{
	"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure", "subagentStart", "subagentStop",
	"preCompact", "afterAgentResponse", "stop", "sessionEnd",
}

func cursorFiles(m Machine, t Target) []File {
	hooks := File{Path: t.in(filepath.Join(cursorFolder(m), "hooks.json"), ".cursor", "hooks.json")}
	hooks.Settings = []Setting{softVersion()}
	for _, event := range cursorEvents {
		hooks.Settings = append(hooks.Settings, Setting{
			Group: Hooks, Path: []string{"hooks", event}, Element: true,
			Value: settings.Object{{Key: "command", Value: t.hook(m, cursorName, native)}, {Key: "timeout", Value: hookTimeout}},
		})
	}
	servers := File{Path: t.in(filepath.Join(cursorFolder(m), "mcp.json"), ".cursor", "mcp.json"), Servers: true}
	servers.Settings = []Setting{server(settings.Object{{Key: "url", Value: t.Endpoint + "/mcp"}}, "url", "mcpServers", ServerName)}
	return []File{hooks, servers}
}

func softVersion() Setting {
	version := set(Hooks, 1, "version")
	version.Soft = true
	return version
}

// copilot: https://docs.github.com/en/copilot/reference/hooks-reference. Its
// telemetry is switched on by variables only.
var copilot = Agent{
	Name: copilotName, Title: "Copilot CLI", program: "copilot",
	folder: copilotFolder,
	Files:  copilotFiles,
	Notes:  copilotNotes,
}

// copilotContent makes Copilot send content, and with it the names of MCP tools.
const copilotContent = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

func copilotNotes(m Machine, t Target) []string {
	more := []string{"COPILOT_OTEL_ENABLED", "true"}
	if t.Content {
		more = append(more, copilotContent, "true")
	}
	notes := m.exports("Copilot CLI", "model calls and tokens", t, more...)
	if !t.Content && m.Env(copilotContent) != "true" {
		notes = append(notes, "In its telemetry, Copilot CLI hashes the names of MCP tools unless "+copilotContent+"=true, which also sends prompts and answers (--content).")
	}
	return notes
}

func copilotFolder(m Machine) string { return m.inHome("COPILOT_HOME", ".copilot") }

// copilotEvents in this spelling make Copilot name the event in the input, but for SubagentStart:
// the command names each.
// PermissionRequest comes whether a person is asked or not, which Notification says; it
// is the only one that tells the MCP server of a tool from the tool.
var copilotEvents = []string{
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure",
	"SubagentStart", "SubagentStop", "PreCompact", "Notification", "ErrorOccurred", "Stop", "SessionEnd",
}

func copilotFiles(m Machine, t Target) []File {
	name := ServerName + ".json"
	hooks := File{Path: t.in(filepath.Join(copilotFolder(m), "hooks", name), ".github", "hooks", name)}
	hooks.Settings = []Setting{softVersion()}
	for _, event := range copilotEvents {
		hooks.Settings = append(hooks.Settings, Setting{
			Group: Hooks, Path: []string{"hooks", event}, Element: true,
			Value: settings.Object{
				{Key: "type", Value: "command"},
				{Key: "bash", Value: t.hook(m, copilotName, posix, "--event", event)},
				{Key: "powershell", Value: t.hook(m, copilotName, powerShell, "--event", event)},
				{Key: "timeoutSec", Value: hookTimeout},
			},
		})
	}
	// The collector's MCP server is not among them: copilot -p waits three minutes for one that
	// does not answer, whatever its timeout, and the hooks report all that it would.
	servers := File{Path: t.in(filepath.Join(copilotFolder(m), "mcp-config.json"), ".github", "mcp.json"), Servers: true}
	return []File{hooks, servers}
}

// exports asks for variables that are not set as they have to be: the address
// for OTLP, and pairs of a name and a value.
func (m Machine) exports(agent, what string, t Target, more ...string) []string {
	return m.variables(fmt.Sprintf("%s also has %s, if you set this in the profile of your shell:", agent, what),
		append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT", t.OTLP, otlpTimeoutEnv, otlpTimeout}, more...)...)
}

// waits asks for the variable without which an agent waits long for telemetry that a
// collector does not take.
func (m Machine) waits(agent string) []string {
	return m.variables(agent+" waits a second at most for a collector that hangs, not ten, if you set this in the profile of your shell:",
		otlpTimeoutEnv, otlpTimeout)
}

// variables are lines that set pairs of a name and a value, behind a title; none if all are set.
func (m Machine) variables(title string, pairs ...string) []string {
	export := func(name, value string) string { return "  export " + name + "=" + value }
	if m.OS == "windows" {
		export = func(name, value string) string { return "  setx " + name + " " + value }
	}
	notes := []string{title}
	for pair := range slices.Chunk(pairs, 2) {
		if name, value := pair[0], pair[1]; m.Env(name) != value {
			notes = append(notes, export(name, value))
		}
	}
	if len(notes) == 1 {
		return nil
	}
	return notes
}
