package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// mode is which of its ways an agent reports in.
type mode struct {
	name             string
	hooks, otlp, tap bool
}

var modes = []mode{
	{name: "OTLP only", otlp: true},
	{name: "hooks only", hooks: true},
	{name: "tap only", tap: true},
	{name: "all together", hooks: true, otlp: true, tap: true},
}

// exported finds the variables that mcptap connect asks a person to export.
var exported = regexp.MustCompile(`(?m)export ([A-Z0-9_]+=\S+)$`)

// connect does what a person does: mcptap connect, and what it asks for. A mode
// that is not all together is what is left when the rest is taken out again.
func (s *scene) connect(t *testing.T, hooks, otlp string, m mode) {
	t.Helper()
	s.mode = m
	args := []string{"connect", s.agent.name, "--endpoint", hooks, "--otlp-endpoint", otlp}
	if m.tap {
		args = append(args, "--wrap")
	}
	s.rehearse(t, hooks, otlp)
	output := s.mcptap(t, args...)
	s.connectArgs, s.after = args, s.settings(t)
	if m.otlp {
		for _, found := range exported.FindAllStringSubmatch(output, -1) {
			s.extra = append(s.extra, found[1])
		}
	}
	s.agent.keep(t, s, m)
}

// mcptap runs it with the agent's environment.
func (s *scene) mcptap(t *testing.T, args ...string) string {
	t.Helper()
	output, err := s.tap(t, args...).CombinedOutput()
	require.NoError(t, err, "mcptap %s\n%s", strings.Join(args, " "), output)
	return string(output)
}

// tap is mcptap in the shell of a person, who has the agents' programs in the path.
func (s *scene) tap(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.Tap(t), args...)
	cmd.Dir, cmd.Env = s.project, append(s.env(), "PATH="+filepath.Dir(s.agent.path(t))+":"+os.Getenv("PATH"))
	return cmd
}

// without takes keys out of a JSON file: each is a path of names.
func (s *scene) without(t *testing.T, path string, keys ...[]string) {
	t.Helper()
	all := s.readJSON(t, path)
	for _, key := range keys {
		at := all
		for _, name := range key[:len(key)-1] {
			at, _ = at[name].(map[string]any)
		}
		delete(at, key[len(key)-1])
	}
	s.writeJSON(t, path, all)
}

// serverName is the name that mcptap connect gives the collector's MCP server.
const serverName = "otelcol-mcp"

func (m mode) everything() bool { return m.hooks && m.otlp && m.tap }

func keepClaude(t *testing.T, s *scene, m mode) {
	settings := filepath.Join(s.home, ".claude", "settings.json")
	if !m.otlp {
		s.without(t, settings, []string{"env"})
	}
	if !m.hooks {
		s.without(t, settings, []string{"hooks"})
	}
	if !m.everything() {
		s.without(t, filepath.Join(s.home, ".claude.json"), []string{"mcpServers", serverName})
	}
}

// keepCodex takes tables out of TOML: from their header to the next one.
func keepCodex(t *testing.T, s *scene, m mode) {
	path := filepath.Join(s.home, ".codex", "config.toml")
	drop := map[string]bool{"[otel]": !m.otlp, "[mcp_servers." + serverName + "]": !m.everything()}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var kept []string
	dropping := false
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "[") {
			dropping = drop[strings.TrimSpace(line)]
		}
		if !dropping {
			kept = append(kept, line)
		}
	}
	s.write(t, path, strings.Join(kept, ""))
	if !m.hooks {
		require.NoError(t, os.Remove(filepath.Join(s.home, ".codex", "hooks.json")))
	}
}

func keepGemini(t *testing.T, s *scene, m mode) {
	path := filepath.Join(s.home, ".gemini", "settings.json")
	if !m.otlp {
		s.without(t, path, []string{"telemetry"})
	}
	if !m.hooks {
		s.without(t, path, []string{"hooks"})
	}
	if !m.everything() {
		s.without(t, path, []string{"mcpServers", serverName})
	}
}

func keepOpencode(t *testing.T, s *scene, m mode) {
	dir := filepath.Join(s.home, ".config", "opencode")
	path := filepath.Join(dir, "opencode.json")
	if !m.otlp {
		s.without(t, path, []string{"experimental"})
	}
	if !m.everything() {
		s.without(t, path, []string{"mcp", serverName})
	}
	if !m.hooks {
		for _, name := range []string{"plugin", "plugins"} {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
		}
	}
}

func keepCopilot(t *testing.T, s *scene, m mode) {
	if !m.hooks {
		require.NoError(t, os.RemoveAll(filepath.Join(s.home, ".copilot", "hooks")))
	}
}
