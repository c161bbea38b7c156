package hook

import (
	"cmp"
	"net/url"
	"path/filepath"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// telemetry is which signals the agent's settings make it send to the same
// collector: then the collector expects them. What is not certain is left out.
func (c *Call) telemetry() []string {
	switch c.Agent {
	case "claude-code":
		return c.claudeCode()
	case "codex":
		return c.codex()
	case "gemini-cli":
		return c.gemini()
	case "copilot":
		if c.isOurs(c.Env("OTEL_EXPORTER_OTLP_ENDPOINT"), "") {
			return []string{"traces"}
		}
	}
	return nil
}

// isOurs reports whether a URL is the collector's, with a path.
func (c *Call) isOurs(endpoint, path string) bool {
	a, errA := url.Parse(Base(endpoint))
	b, errB := url.Parse(c.OTLP + path)
	if endpoint == "" || errA != nil || errB != nil {
		return false
	}
	return a.Scheme == b.Scheme && a.Port() == b.Port() && a.Path == b.Path && hostOf(a) == hostOf(b)
}

func hostOf(u *url.URL) string {
	switch host := u.Hostname(); host {
	case "127.0.0.1", "::1":
		return "localhost"
	default:
		return host
	}
}

func (c *Call) folder(variable, otherwise string) string {
	if folder := c.Env(variable); folder != "" {
		return folder
	}
	return filepath.Join(c.Home, otherwise)
}

// claudeCode: hooks do not get the variables that say where telemetry goes, so
// the settings are asked, the ones that win first.
func (c *Call) claudeCode() (signals []string) {
	project := c.Env("CLAUDE_PROJECT_DIR")
	var layers []map[string]string
	for _, path := range []string{
		filepath.Join(project, ".claude", "settings.local.json"), filepath.Join(project, ".claude", "settings.json"),
		filepath.Join(c.folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
	} {
		var file struct {
			Env map[string]string `json:"env"`
		}
		if settings.Decode(path, &file) == nil {
			layers = append(layers, file.Env)
		}
	}
	get := func(name string) string {
		for _, layer := range layers {
			if value, ok := layer[name]; ok {
				return value
			}
		}
		return c.Env(name)
	}
	if !isOn(get("CLAUDE_CODE_ENABLE_TELEMETRY")) || !c.isOurs(get("OTEL_EXPORTER_OTLP_ENDPOINT"), "") {
		return nil
	}
	if get("OTEL_LOGS_EXPORTER") == "otlp" {
		signals = append(signals, "logs")
	}
	if get("OTEL_TRACES_EXPORTER") == "otlp" && isOn(get("CLAUDE_CODE_ENHANCED_TELEMETRY_BETA")) {
		signals = append(signals, "traces")
	}
	return signals
}

func isOn(value string) bool { return value == "1" || value == "true" }

func (c *Call) codex() (signals []string) {
	var file struct {
		OTel map[string]any `toml:"otel"`
	}
	if settings.Decode(filepath.Join(c.folder("CODEX_HOME", ".codex"), "config.toml"), &file) != nil {
		return nil
	}
	for _, signal := range []struct{ key, path, name string }{
		{"exporter", "/v1/logs", "logs"}, {"trace_exporter", "/v1/traces", "traces"},
	} {
		exporter, _ := file.OTel[signal.key].(map[string]any)
		http, _ := exporter["otlp-http"].(map[string]any)
		if endpoint, _ := http["endpoint"].(string); c.isOurs(endpoint, signal.path) {
			signals = append(signals, signal.name)
		}
	}
	return signals
}

// geminiTelemetry has the keys of telemetry in Gemini CLI's settings. They also
// have a switch for traces, which leaves out details: spans come in any case.
type geminiTelemetry struct {
	Enabled  bool   `json:"enabled"`
	Endpoint string `json:"otlpEndpoint"`
	Outfile  string `json:"outfile"`
}

// gemini: variables win over settings, and a project's settings over the user's.
func (c *Call) gemini() []string {
	var t geminiTelemetry
	for _, folder := range []string{filepath.Join(c.Env("GEMINI_PROJECT_DIR"), ".gemini"), filepath.Join(c.folder("GEMINI_CLI_HOME", ""), ".gemini")} {
		var file struct {
			Telemetry *geminiTelemetry `json:"telemetry"`
		}
		if settings.Decode(filepath.Join(folder, "settings.json"), &file) == nil && file.Telemetry != nil {
			t = *file.Telemetry
			break
		}
	}
	if on := c.Env("GEMINI_TELEMETRY_ENABLED"); on != "" {
		t.Enabled = isOn(on)
	}
	t.Endpoint = cmp.Or(c.Env("GEMINI_TELEMETRY_OTLP_ENDPOINT"), c.Env("OTEL_EXPORTER_OTLP_ENDPOINT"), t.Endpoint)
	t.Outfile = cmp.Or(c.Env("GEMINI_TELEMETRY_OUTFILE"), t.Outfile)
	if !t.Enabled || t.Outfile != "" || !c.isOurs(t.Endpoint, "") {
		return nil
	}
	return []string{"logs", "traces"}
}
