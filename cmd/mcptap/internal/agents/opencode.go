package agents

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// openCode is opencode's plugin (https://opencode.ai/docs/plugins): a module without
// dependencies that posts what opencode does to /v1/hooks/opencode, below OTELCOL_MCP_URL
// or http://localhost:4319. It announces opencode's spans if they go to the host and port
// of MCPTAP_OTLP_ENDPOINT or http://localhost:4328.
//
//go:embed opencode.js
var openCode string

// pluginName is the plugin's name in a folder of plugins.
const pluginName = "otelcol-mcp.js"

// opencode: https://opencode.ai/docs/config and …/plugins. Where its spans go is
// said by a variable only.
var opencode = Agent{
	Name: "opencode", Title: "opencode", program: "opencode",
	folder: opencodeFolder,
	Files:  opencodeFiles,
	Notes: func(m Machine, t Target) []string {
		return m.exports("opencode", "its own spans", t)
	},
}

func opencodeFolder(m Machine) string { return m.inHome("XDG_CONFIG_HOME", ".config", "opencode") }

func opencodeFiles(m Machine, t Target) []File {
	folder := t.in(opencodeFolder(m))
	config := File{Path: filepath.Join(folder, "opencode.json"), Servers: true}
	if jsonc := config.Path + "c"; exists(jsonc) && !exists(config.Path) {
		config.Path = jsonc
	}
	config.Settings = []Setting{
		turnOn(OTLP, true, "experimental", "openTelemetry"),
		server(settings.Object{
			{Key: "type", Value: "remote"},
			{Key: "url", Value: t.Endpoint + "/mcp"},
			{Key: "enabled", Value: true},
			{Key: "timeout", Value: serverTimeout},
		}, "url", "mcp", ServerName),
	}
	plugin := File{
		Path:  filepath.Join(t.in(opencodeFolder(m), ".opencode"), "plugins", pluginName),
		Group: Plugin, Whole: opencodePlugin(t),
	}
	return []File{plugin, config}
}

// opencodePlugin is the plugin with the addresses of this collector, and the headers for it.
func opencodePlugin(t Target) []byte {
	endpoint, _ := settings.Marshal(t.Endpoint)
	otlp, _ := settings.Marshal(t.OTLP)
	headers, _ := settings.Marshal(t.Headers)
	plugin := strings.NewReplacer(
		`"`+DefaultEndpoint+`"`, string(endpoint), `"`+DefaultOTLP+`"`, string(otlp), `extra = ""`, `extra = `+string(headers),
	).Replace(openCode)
	return []byte(wholeMark + ". To remove this file: mcptap connect opencode --undo\n" + plugin)
}

// wholeMark is at the start of a file that is written as a whole.
const wholeMark = "// Written by mcptap connect"

// IsWhole reports whether a file was written as a whole.
func IsWhole(text []byte) bool { return bytes.HasPrefix(text, []byte(wholeMark)) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
