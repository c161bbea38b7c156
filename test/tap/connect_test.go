package tap

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// person is a user of mcptap with a home folder and nothing else.
type person struct {
	home string
	tap  string
	args []string // where the collector is
}

func newPerson(t *testing.T, args ...string) person {
	t.Helper()
	return person{t.TempDir(), harness.Tap(t), args}
}

// shell runs a command as an agent does, with a variable that ends a Go program before main.
func (p person) shell(t *testing.T, command, input string) (out string, code int) {
	t.Helper()
	return p.run(t, input, "/bin/sh", "-c", "export GOMEMLIMIT=4G; "+command)
}

func (p person) mcptap(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	return p.run(t, "", p.tap, append(args, p.args...)...)
}

func (p person) run(t *testing.T, input, program string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + p.home}
	cmd.Stdin = strings.NewReader(input)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// startConnectable starts a collector for agents, and says where it is.
func startConnectable(t *testing.T) (c *collector, args, status []string) {
	t.Helper()
	config, err := filepath.Abs("testdata/connect.yaml")
	require.NoError(t, err)
	c = &collector{sink: harness.StartSink(t), address: harness.FreeAddress(t)}
	otlp, ui := harness.FreeAddress(t), harness.FreeAddress(t)
	env := []string{
		"MCP_ADDRESS=" + c.address, "OTLP_ADDRESS=" + otlp, "UI_ADDRESS=" + ui, "SINK_ADDRESS=" + c.sink.Address,
		"TRACES_DIR=" + t.TempDir(), "METRICS_PORT=" + harness.PortOf(t, harness.FreeAddress(t)),
	}
	c.Process = harness.Start(t, "otelcol-mcp", harness.Collector(t), env, []string{"--config", config})
	c.Ready(t, func() bool { return c.Logged("Everything is ready.") })
	args = []string{"--endpoint", "http://" + c.address, "--otlp-endpoint", "http://" + otlp}
	return c, args, append(args, "--web-ui", "http://"+ui, "--json")
}

// hookOf is the command that connect made Claude Code run at an event.
func (p person) hookOf(t *testing.T, event string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.home, ".claude", "settings.json"))
	require.NoError(t, err)
	var file struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Command string `json:"command"`
			} `json:"hooks"`
		} `json:"hooks"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.Len(t, file.Hooks[event], 1)
	return file.Hooks[event][0].Hooks[0].Command
}

type statusReport struct {
	Services []struct{ Answers bool } `json:"services"`
	Agents   []struct {
		Name      string `json:"name"`
		Connected string `json:"connected"`
		LastHeard string `json:"last_heard"`
	} `json:"agents"`
}

func (p person) status(t *testing.T, args []string) (report statusReport, code int) {
	t.Helper()
	out, code := p.run(t, "", p.tap, append([]string{"status"}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(out), &report), out)
	return report, code
}

// One command, and what an agent's hooks say is seen.
func TestConnectedAgentIsSeen(t *testing.T) {
	c, args, statusArgs := startConnectable(t)
	p := newPerson(t, args...)
	require.NoError(t, os.Mkdir(filepath.Join(p.home, ".claude"), 0o755))

	report, code := p.status(t, statusArgs)
	assert.Equal(t, 1, code)
	require.Len(t, report.Agents, 1)
	assert.Equal(t, "no", report.Agents[0].Connected)
	for _, service := range report.Services {
		assert.True(t, service.Answers)
	}

	out, code := p.mcptap(t, "connect", "--all")
	assert.Zero(t, code, out)
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "SessionEnd"} {
		input := `{"session_id":"s-1","cwd":"/src","hook_event_name":"` + event + `","prompt":"hello","reason":"exit"}`
		out, code := p.shell(t, p.hookOf(t, event), input)
		assert.Zero(t, code)
		assert.Empty(t, out)
	}
	ended := root(t, c)
	assert.Equal(t, "s-1", text(ended, "session.id"))

	harness.Eventually(t, "status does not know when it heard the agent", func() bool {
		report, code = p.status(t, statusArgs)
		return report.Agents[0].LastHeard != ""
	})
	assert.Zero(t, code)
	assert.Equal(t, "yes", report.Agents[0].Connected)

	_, code = p.mcptap(t, "connect", "claude-code", "--undo")
	assert.Zero(t, code)
	entries, err := os.ReadDir(filepath.Join(p.home, ".claude"))
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// Whatever agent a hook is of, status knows when it was heard.
func TestEveryAgentIsHeard(t *testing.T) {
	_, args, statusArgs := startConnectable(t)
	p := newPerson(t, args...)
	events := map[string]string{
		"claude-code": "SessionStart", "codex": "SessionStart", "gemini-cli": "SessionStart", "copilot": "SessionStart", "cursor": "sessionStart",
	}
	for agent, event := range events {
		_, code := p.mcptap(t, "connect", agent)
		assert.Zero(t, code)
		input := `{"session_id":"s-` + agent + `","conversation_id":"s-` + agent + `","cwd":"/src","source":"startup","hook_event_name":"` + event + `"}`
		out, code := p.run(t, input, p.tap, append([]string{"hook", agent}, args...)...)
		assert.Zero(t, code)
		assert.Empty(t, out)
	}
	harness.Eventually(t, "status does not know of all agents", func() bool {
		report, _ := p.status(t, statusArgs)
		for _, a := range report.Agents {
			if a.LastHeard == "" {
				t.Logf("not heard: %s", a.Name)
				return false
			}
		}
		return len(report.Agents) == len(events)
	})
}

// What an agent waits for at each event: start, post and end. The figure that
// counts is the median: MCPTAP=$PWD/bin/mcptap go test -run '^$' -bench Hook ./test/tap
func BenchmarkHook(b *testing.B) {
	path := os.Getenv("MCPTAP")
	if path == "" {
		b.Skip("MCPTAP does not name a binary")
	}
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	defer collector.Close()
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		cmd := exec.Command(path, "hook", "claude-code", "--endpoint", collector.URL)
		cmd.Stdin = strings.NewReader(`{"session_id":"s","hook_event_name":"Stop"}`)
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
}
