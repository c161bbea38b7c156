package agents

import (
	"path/filepath"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// geminiCLI: https://geminicli.com/docs/hooks/reference and …/cli/telemetry.
var geminiCLI = Agent{
	Name: geminiName, Title: "Gemini CLI", program: "gemini",
	folder: geminiFolder,
	Files:  geminiFiles,
	Notes: func(m Machine, t Target) []string {
		notes := m.waits("Gemini CLI")
		if t.Project != "" {
			notes = append(notes, "Gemini CLI asks about the hooks of a project before it runs them for the first time.")
		}
		return notes
	},
}

func geminiFolder(m Machine) string { return filepath.Join(m.inHome("GEMINI_CLI_HOME", ""), ".gemini") }

// geminiEvents leaves out BeforeModel and AfterModel, which would run a program
// for each chunk of an answer: the telemetry has model calls.
var geminiEvents = []string{
	"SessionStart", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", geminiCompress, "Notification", "SessionEnd",
}

// geminiCompress comes before each call of the model, in which nothing may be compressed. Its
// hook runs only for a compression that a person asked for.
const geminiCompress = "PreCompress"

func geminiFiles(m Machine, t Target) []File {
	f := File{Path: t.in(filepath.Join(geminiFolder(m), "settings.json"), ".gemini", "settings.json"), Servers: true}
	shell := posix
	if m.OS == "windows" {
		shell = powerShell
	}
	for _, event := range geminiEvents {
		s := hookGroup(event, settings.Object{
			{Key: "name", Value: ServerName},
			{Key: "type", Value: "command"},
			{Key: "command", Value: t.hook(m, geminiName, shell)},
			{Key: "timeout", Value: hookTimeout * 1000},
		})
		if event == geminiCompress {
			s.Value = append(settings.Object{{Key: "matcher", Value: "manual"}}, s.Value.(settings.Object)...)
		}
		f.Settings = append(f.Settings, s)
	}
	f.Settings = append(f.Settings, set(Hooks, true, "hooksConfig", "enabled"))
	f.Settings = append(f.Settings, geminiOTLP(t)...)
	f.Settings = append(f.Settings, server(settings.Object{
		{Key: "httpUrl", Value: t.Endpoint + "/mcp"}, {Key: "timeout", Value: serverTimeout},
	}, "httpUrl", "mcpServers", ServerName))
	return []File{f}
}

// geminiOTLP leaves prompts out, which Gemini CLI would send by default.
func geminiOTLP(t Target) []Setting {
	endpoint := set(OTLP, t.OTLP, "telemetry", "otlpEndpoint")
	endpoint.Forbidden = [][]string{{"telemetry", "outfile"}}
	all := []Setting{
		turnOn(OTLP, true, "telemetry", "enabled"), set(OTLP, "local", "telemetry", "target"),
		endpoint, set(OTLP, "http", "telemetry", "otlpProtocol"),
	}
	if t.Content {
		return append(all, turnOn(OTLP, true, "telemetry", "logPrompts"), turnOn(OTLP, true, "telemetry", "traces"))
	}
	prompts := set(OTLP, false, "telemetry", "logPrompts")
	prompts.Soft = true
	return append(all, prompts)
}
