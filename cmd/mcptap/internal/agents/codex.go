package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// codex: https://developers.openai.com/codex/config-reference and …/hooks.
var codex = Agent{
	Name: codexName, Title: "Codex", program: "codex",
	folder: codexFolder,
	Files:  codexFiles,
	Notes: func(m Machine, t Target) []string {
		if t.Project == "" {
			return m.waits("Codex")
		}
		return []string{"Codex ignores [otel] in projects. For model calls and tokens, also run: mcptap connect codex"}
	},
}

// codexFolder has no symbolic links if the variable names it, as Codex sees it:
// the names of hooks depend on that.
func codexFolder(m Machine) string {
	folder := m.inHome("CODEX_HOME", ".codex")
	if m.Env("CODEX_HOME") != "" {
		if resolved, err := filepath.EvalSymlinks(folder); err == nil {
			return resolved
		}
	}
	return folder
}

// codexEvents have in Codex's own settings the names behind them.
var codexEvents = []struct{ name, label string }{
	{"SessionStart", "session_start"},
	{"UserPromptSubmit", "user_prompt_submit"},
	{"PreToolUse", "pre_tool_use"},
	{"PermissionRequest", "permission_request"},
	{"PostToolUse", "post_tool_use"},
	{"PreCompact", "pre_compact"},
	{"PostCompact", "post_compact"},
	{"SubagentStart", "subagent_start"},
	{"SubagentStop", "subagent_stop"},
	{"Stop", "stop"},
	{"Interrupt", "interrupt"},
	{"SessionEnd", "session_end"},
}

func codexFiles(m Machine, t Target) []File {
	user := codexFolder(m)
	hooks := File{Path: t.in(filepath.Join(user, "hooks.json"), ".codex", "hooks.json")}
	command := t.hook(m, codexName, native)
	for _, event := range codexEvents {
		hooks.Settings = append(hooks.Settings, hookGroup(event.name, settings.Object{
			{Key: "type", Value: "command"}, {Key: "command", Value: command}, {Key: "timeout", Value: hookTimeout},
		}))
	}
	config := File{
		Path: filepath.Join(user, "config.toml"), Servers: t.Project == "",
		Settings: []Setting{set(Hooks, true, "features", "hooks")},
		Derived:  func(read func(string) settings.Document) []Setting { return codexTrust(hooks.Path, read(hooks.Path)) },
	}
	address := set(Server, t.Endpoint+"/mcp", "mcp_servers", ServerName, "url")
	if t.Project != "" {
		project := File{Path: filepath.Join(t.Project, ".codex", "config.toml"), Servers: true, Settings: []Setting{address}}
		return []File{hooks, config, project}
	}
	config.Settings = append(config.Settings, codexOTLP(t)...)
	config.Settings = append(config.Settings, address)
	return []File{hooks, config}
}

func codexOTLP(t Target) (all []Setting) {
	for _, signal := range []struct{ key, path string }{
		{"exporter", "/v1/logs"}, {"trace_exporter", "/v1/traces"}, {"metrics_exporter", "/v1/metrics"},
	} {
		all = append(all, set(OTLP, settings.Object{{Key: "otlp-http", Value: settings.Object{
			{Key: "endpoint", Value: t.OTLP + signal.path}, {Key: "protocol", Value: "binary"},
		}}}, "otel", signal.key))
	}
	if t.Content {
		all = append(all, turnOn(OTLP, true, "otel", "log_user_prompt"), turnOn(OTLP, true, "otel", "log_agent_responses"))
	}
	return all
}

// codexTrust returns the settings that Codex writes when a person has reviewed a hook: without it, no
// hook runs. It is noted for the hooks of mcptap only.
func codexTrust(path string, hooks settings.Document) (all []Setting) {
	for _, event := range codexEvents {
		groups, _ := hooks.Value("hooks", event.name)
		list, _ := groups.([]any)
		for i, group := range list {
			if !isOurs(codexName, group) {
				continue
			}
			g, _ := group.(map[string]any)
			handlers, _ := g["hooks"].([]any)
			for j, handler := range handlers {
				h, ok := handler.(map[string]any)
				if !ok || !isOurs(codexName, h) {
					continue
				}
				key := fmt.Sprintf("%s:%s:%d:%d", path, event.label, i, j)
				all = append(all, turnOn(Hooks, codexHash(event.label, h), "hooks", "state", key, "trusted_hash"))
			}
		}
	}
	return all
}

// codexHash is the hash of what a hook runs and when: that of JSON with sorted
// keys, with the values that count when there are none.
func codexHash(label string, handler map[string]any) string {
	command, _ := handler["command"].(string)
	sum := sha256.Sum256([]byte(settings.Canonical(map[string]any{
		"event_name": label,
		"hooks":      []any{map[string]any{"type": "command", "command": command, "timeout": handler["timeout"], "async": false}},
	})))
	return "sha256:" + strings.ToLower(hex.EncodeToString(sum[:]))
}
