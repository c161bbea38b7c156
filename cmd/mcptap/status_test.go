//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/status"
)

// collectorStub answers as a collector's three addresses do. It stands for them
// because the ages of sessions can be chosen.
func collectorStub(t *testing.T, sessions string) string {
	t.Helper()
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/observations":
			w.WriteHeader(http.StatusMethodNotAllowed)
		case "/v1/logs":
			_, _ = w.Write([]byte("{}"))
		default:
			_, _ = w.Write([]byte(sessions))
		}
	}))
	t.Cleanup(stub.Close)
	return stub.URL
}

func statusAt(t *testing.T, home string, args ...string) (out string, code int) {
	t.Helper()
	cmd, exit := root()
	var b bytes.Buffer
	cmd.SetOut(&b)
	cmd.SetArgs(append([]string{"status"}, args...))
	require.NoError(t, cmd.Execute())
	return strings.ReplaceAll(b.String(), home, goldenHome), *exit
}

func TestStatus(t *testing.T) {
	home := newHome(t, tree{".cursor/hooks.json": "{}", ".codex/config.toml": "[otel]\nexporter = \"none\"\n", ".gemini/settings.json": "", ".claude/x": ""})
	t.Setenv("PATH", home)
	seen := time.Now().Add(-5 * time.Minute).UTC().Format(time.RFC3339Nano)
	url := collectorStub(t, fmt.Sprintf(`{"sessions":[{"id":"demo-pair-1","host":"claude-code","last_seen":%q},{"host":"gemini-cli-mcp-client","last_seen":%q},{"host":"x","last_seen":%q},{"host":"codex_cli_rs","last_seen":%q}]}`, seen, seen, seen, seen))
	where := []string{"--endpoint", url, "--otlp-endpoint", url}
	for _, agent := range []string{"codex", "gemini-cli", "claude-code"} {
		_, _ = connectAt(t, home, append(where, agent)...)
	}
	program := filepath.Join(home, "mcptap")
	require.NoError(t, os.WriteFile(program, nil, 0o600))
	_, _ = connectAt(t, home, append(where, "claude-code", "--mcptap", program)...)

	out, code := statusAt(t, home, append(where, "--web-ui", url)...)
	assert.Equal(t, exitPartly, code)
	assert.Equal(t, `COLLECTOR URL ANSWERS
hooks and MCP URL yes
telemetry (OTLP) URL yes
web UI URL yes

AGENT CONNECTED LAST HEARD NEXT
Claude Code yes never restart Claude Code and send it a prompt
Codex without hooks, telemetry 5 min ago change what is in the way, or run: mcptap connect codex --force
Gemini CLI without hooks 5 min ago run: mcptap connect gemini-cli
Cursor no never run: mcptap connect cursor
Codex: /home/me/.codex/config.toml: otel.exporter is "none" already, not {"otlp-http":{"endpoint":"URL/v1/logs","protocol":"binary"}}
Codex: its hooks run /opt/bin/mcptap, which is gone
Gemini CLI: its hooks run /opt/bin/mcptap, which is gone
`, regexp.MustCompile(" {2,}").ReplaceAllString(strings.ReplaceAll(out, url, "URL"), " "))

	out, _ = statusAt(t, home, append(where, "--web-ui", url, "--json")...)
	var report status.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	assert.Len(t, report.Agents, 4)
	assert.Equal(t, status.Partly, report.Agents[1].Connected)
}

func TestStatusWithoutCollector(t *testing.T) {
	home := newHome(t, nil)
	t.Setenv("PATH", home)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	out, code := statusAt(t, home, "--endpoint", other.URL, "--otlp-endpoint", "http://127.0.0.1:1", "--web-ui", "http://127.0.0.1:1")
	assert.Equal(t, exitPartly, code)
	assert.Contains(t, out, "no: something else seems to listen there: HTTP status 404")
	assert.Contains(t, out, "no: nothing listens there\n")
	assert.Contains(t, out, "none found; mcptap knows claude-code, codex,")
	assert.Contains(t, out, "Start the collector: otelcol-mcp --config embedded:default")
}

// What accepts connections and stays silent is something else than what is too far away.
func TestStatusOfASilentPort(t *testing.T) {
	home := newHome(t, nil)
	t.Setenv("PATH", home)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the system accepts
	require.NoError(t, err)
	defer silent.Close()
	out, code := statusAt(t, home, "--endpoint", "http://"+silent.Addr().String(), "--otlp-endpoint", "http://127.0.0.1:1", "--web-ui", "http://127.0.0.1:1")
	assert.Equal(t, exitPartly, code)
	assert.Contains(t, out, "no: something listens there, but does not answer\n")
	assert.NotContains(t, out, "deadline")
}

// Scripts iterate over the list.
func TestStatusWithoutAgentsAsJSON(t *testing.T) {
	home := newHome(t, nil)
	t.Setenv("PATH", home)
	out, _ := statusAt(t, home, "--endpoint", "http://127.0.0.1:1", "--otlp-endpoint", "http://127.0.0.1:1", "--web-ui", "http://127.0.0.1:1", "--json")
	assert.Contains(t, out, `"agents": []`)
}

// A file that cannot be read is to be repaired: no flag helps.
func TestStatusOfBrokenFiles(t *testing.T) {
	home := newHome(t, tree{".claude/settings.json": "{\n  \"env\": {\n}\n", ".codex/config.toml": "a = [1"})
	t.Setenv("PATH", home)
	url := collectorStub(t, `{"sessions":[]}`)
	out, code := statusAt(t, home, "--endpoint", url, "--otlp-endpoint", url, "--web-ui", "http://127.0.0.1:1")
	assert.Equal(t, exitPartly, code)
	assert.Regexp(t, `Claude Code +no +unknown +repair /home/me/.claude/settings.json at line 4, column 1, then run: mcptap connect claude-code\n`, out)
	assert.Regexp(t, `Codex +no +unknown +repair /home/me/.codex/config.toml at line 1, column \d+, then run: mcptap connect codex\n`, out)
	assert.Contains(t, out, "Claude Code: /home/me/.claude/settings.json: line 4, column 1: not valid JSON: ")
	assert.NotContains(t, out, "--force")
}

// An agent that is connected in a project says nothing about the next one.
func TestStatusOfAProject(t *testing.T) {
	home := newHome(t, tree{".cursor/hooks.json": "{}", ".gemini/settings.json": ""})
	t.Setenv("PATH", home)
	url := collectorStub(t, `{"sessions":[]}`)
	project := filepath.Join(home, "project")
	require.NoError(t, os.Mkdir(project, 0o700))
	t.Chdir(project)
	_, code := connectAt(t, home, "gemini-cli", "--scope", "project", "--endpoint", url, "--otlp-endpoint", url)
	require.Zero(t, code)
	out, _ := statusAt(t, home, "--endpoint", url, "--otlp-endpoint", url, "--web-ui", url, "--json")
	var report status.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	var got []string
	for _, a := range report.Agents {
		got = append(got, a.Name+" "+a.Project)
	}
	assert.Equal(t, []string{"gemini-cli ", "gemini-cli " + goldenHome + "/project", "cursor "}, got)
}

// The collector that an agent's settings name is asked, not the one that they might name; a
// configuration without a page is a good one.
func TestStatusAsksWhatSettingsName(t *testing.T) {
	home := newHome(t, tree{".cursor/x": "", ".claude/x": ""})
	t.Setenv("PATH", home)
	program := filepath.Join(home, "mcptap")
	require.NoError(t, os.WriteFile(program, nil, 0o600))
	url := collectorStub(t, "")
	for agent, at := range map[string]string{"cursor": url, "claude-code": "http://127.0.0.1:1"} {
		_, _ = connectAt(t, home, agent, "--endpoint", at, "--otlp-endpoint", at, "--mcptap", program)
	}
	out, code := statusAt(t, home, "--web-ui", "http://127.0.0.1:1")
	assert.Equal(t, exitPartly, code)
	assert.NotContains(t, out, agents.DefaultEndpoint)
	out = regexp.MustCompile(" {2,}").ReplaceAllString(strings.ReplaceAll(out, url, "URL"), " ")
	assert.Contains(t, out, "hooks and MCP URL yes\n")
	assert.Contains(t, out, "web UI http://127.0.0.1:1 no: nothing listens there (not all configurations have it)\n")
	assert.Contains(t, out, "Claude Code yes unknown start its collector, or run: mcptap connect claude-code\n")
	assert.Contains(t, out, "Claude Code: its hooks go to http://127.0.0.1:1: nothing listens there\n")
	assert.Contains(t, out, "Claude Code: its telemetry goes to http://127.0.0.1:1: nothing listens there\n")
	assert.Contains(t, out, "Cursor yes unknown -\n")

	_, _ = connectAt(t, home, "claude-code", "--undo")
	require.NoError(t, os.RemoveAll(filepath.Join(home, ".claude")))
	out, code = statusAt(t, home, "--otlp-endpoint", url, "--web-ui", "http://127.0.0.1:1")
	assert.Zero(t, code, out)
	assert.NotContains(t, out, "Start the collector")
}
