package agents

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// windowsMachine is one whose user has a space in every path, as many do.
var windowsMachine = Machine{Home: `C:\Users\Jo Doe`, OS: "windows", Env: func(string) string { return "" }}

var windowsTarget = Target{Program: `C:\Users\Jo Doe\bin\mcptap.exe`, Endpoint: DefaultEndpoint, OTLP: DefaultOTLP, State: "C:/state"}

// Each agent's hooks are commands for the shell that the agent has on Windows:
// Git's bash, PowerShell, or either PowerShell or cmd.
func TestHooksOnWindows(t *testing.T) {
	const both = `C:\Users\"Jo Doe"\bin\mcptap.exe hook `
	bash := func(agent string) string {
		return "exec /bin/sh -c '" + guardPOSIX + "' C:/state/" + agent + ".hook-failed 'C:/Users/Jo Doe/bin/mcptap.exe' hook " + agent
	}
	power := func(agent string) string { return windowsTarget.hook(windowsMachine, agent, powerShell) }
	for name, want := range map[string][]string{
		claudeCodeName: {bash(claudeCodeName)},
		codexName:      {both + codexName + " ; exit 0"},
		geminiName:     {power(geminiName)},
		cursorName:     {both + cursorName + " ; exit 0"},
		copilotName:    {bash(copilotName), power(copilotName)},
		"opencode":     nil,
	} {
		if name == copilotName { // its commands name the event
			for i := range want {
				want[i] = strings.Replace(want[i], "hook "+name, "hook "+name+" --event Stop", 1)
			}
		}
		var got []string
		for _, f := range ByName(name).Files(windowsMachine, windowsTarget) {
			for _, s := range f.Settings {
				if s.Element {
					assert.True(t, isOurs(name, plainValue(t, s.Value)), "--undo finds it")
					if name != copilotName || s.Path[1] == "Stop" {
						got = appendNew(got, commandsIn(plainValue(t, s.Value)))
					}
				}
			}
		}
		assert.ElementsMatch(t, want, got, name)
	}
}

// What a person has to set is said as Windows does it.
func TestNotesOnWindows(t *testing.T) {
	assert.Contains(t, opencode.Notes(windowsMachine, windowsTarget), "  setx OTEL_EXPORTER_OTLP_ENDPOINT "+DefaultOTLP)
}

// plainValue is a value as a document has it.
func plainValue(t *testing.T, value any) (v any) {
	t.Helper()
	text, err := settings.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

// commandsIn are the commands of a hook.
func commandsIn(v any) (all []string) {
	contains(v, func(text string) bool {
		if strings.Contains(text, "mcptap") {
			all = append(all, text)
		}
		return false
	})
	return all
}

func appendNew(to, more []string) []string {
	for _, text := range more {
		if !slices.Contains(to, text) {
			to = append(to, text)
		}
	}
	return to
}
