package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// notifications is the file of what every host sends.
var notifications = filepath.Join("testdata", "hosts", "notifications.json")

// host is a real client that adds the collector as an MCP server.
type host struct {
	name     string // as it calls itself
	revision string // that it and the server agree on
	command  func(t *testing.T, url, notifications string) *exec.Cmd
}

const (
	withSessions    = "2025-11-25"
	withoutSessions = "2026-07-28"
)

var hosts = []host{
	{"host-sdk", withSessions, nodeHost("sdk.mjs")},
	{"host-client", withoutSessions, nodeHost("client.mjs")},
	{"host-mcp-go", withoutSessions, goHost("mcp-go", "")},
	{"host-mcp-go", withSessions, goHost("mcp-go", withSessions)},
	{"host-go-sdk", withoutSessions, goHost("go-sdk", "")},
	{"host-go-sdk", withSessions, goHost("go-sdk", withSessions)},
}

// nodeHost is a client in test/peers/hosts.
func nodeHost(script string) func(*testing.T, string, string) *exec.Cmd {
	return func(t *testing.T, url, notifications string) *exec.Cmd {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), node(t), filepath.Join("hosts", script), url, notifications)
		cmd.Dir = peers
		return cmd
	}
}

// goHost is a client of test/gopeers; an empty revision is the SDK's choice.
func goHost(sdk, revision string) func(*testing.T, string, string) *exec.Cmd {
	return func(t *testing.T, url, notifications string) *exec.Cmd {
		t.Helper()
		return exec.CommandContext(t.Context(), harness.Program(t, "gopeers"), sdk, url, revision, notifications)
	}
}

// node is the interpreter, if the npm packages are there too.
func node(t *testing.T) string {
	t.Helper()
	path := harness.LookPath(t, "node")
	if !harness.IsFile(filepath.Join(peers, "node_modules", ".package-lock.json")) {
		harness.Missing(t, "the npm packages are not installed: npm ci --prefix test/peers")
	}
	return path
}

// seen holds what a host prints.
type seen struct {
	Revision string
	Session  string
	Tools    []string
	Recorded bool
}

// run lets the host do all it does.
func (h host) run(t *testing.T, c *collector) (s seen) {
	t.Helper()
	path, err := filepath.Abs(notifications)
	require.NoError(t, err)
	cmd := h.command(t, "http://"+c.mcp+"/mcp", path)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &complaints)
	require.NoError(t, json.Unmarshal(out, &s), "%s", out)
	return s
}

// Real clients of both eras add the server, look at its tools, call one, send
// every notification there is for hosts, and end the session or fall silent.
func TestAgentHosts(t *testing.T) {
	j := startJaeger(t)
	for _, h := range hosts {
		t.Run(h.name+" "+h.revision, func(t *testing.T) {
			// Those without sessions end by silence, which takes seconds.
			t.Parallel()
			folder := t.TempDir()
			c := startCollector(t, "hosts.yaml", map[string]string{
				"JAEGER_ADDRESS": j.OTLP, "FOLDER": folder, "IDLE_TIMEOUT": idleTimeout(h.revision),
			})
			s := h.run(t, c)
			assert.Equal(t, h.revision, s.Revision)
			assert.ElementsMatch(t, []string{"host_heartbeat", "eywa_heartbeat"}, s.Tools)
			assert.True(t, s.Recorded)
			assert.Equal(t, h.revision == withSessions, s.Session != "")

			trace := j.ended(t, sessionOf(h, s))
			assertHostTrace(t, h, s, trace)
			assertHostLogs(t, folder, sessionOf(h, s))
			assertHostMetrics(t, folder)
			assert.Zero(t, c.ownMetrics(t).Sum("otelcol_mcp_receiver_rejected_messages"))
		})
	}
}

// idleTimeout ends sessions where clients have no way to: long enough not to
// end one while its client runs.
func idleTimeout(revision string) string {
	if revision == withSessions {
		return "1h"
	}
	return "5s"
}

// sessionOf names the session, where there is none after the host.
func sessionOf(h host, s seen) string {
	if s.Session != "" {
		return s.Session
	}
	return h.name + "@127.0.0.1"
}

// ended is the trace of a session, once its root is there.
func (j *jaeger) ended(t *testing.T, session string) (trace ptrace.Traces) {
	t.Helper()
	harness.Eventually(t, "the session does not end", func() bool {
		trace = j.Trace(t, pcommon.TraceID(identity.Trace("", session)), false)
		return len(spansByName(trace)["workflow.run"]) > 0
	})
	return trace
}

// spansByName is the trace by name, each name's spans by start.
func spansByName(traces ptrace.Traces) map[string][]ptrace.Span {
	all := map[string][]ptrace.Span{}
	for _, p := range places(regrouped(traces)) {
		all[p.span.Name()] = append(all[p.span.Name()], p.span)
	}
	return all
}

// assertHas holds attributes against those that are wanted; nil wants none.
func assertHas(t *testing.T, span ptrace.Span, want map[string]any) {
	t.Helper()
	got := span.Attributes().AsRaw()
	for key, value := range want {
		assert.Equal(t, value, got[key], "%s of %s", key, span.Name())
	}
}

func assertHostTrace(t *testing.T, h host, s seen, trace ptrace.Traces) {
	t.Helper()
	spans := spansByName(trace)
	counts := map[string]int{}
	for name, all := range spans {
		counts[name] = len(all)
	}
	want := map[string]int{
		"session.start": 1, "notifications/host.heartbeat": 2, "notifications/host.compacting": 1,
		"notifications/host.token_pressure": 1, "notifications/host.error": 1,
		"host.phase": 3, "agent.start": 1, "agent.call": 1, "session.summary": 1, "workflow.run": 1,
	}
	if h.revision == withSessions {
		want["notifications/initialized"] = 1
	}
	require.Equal(t, want, counts)
	assertRoot(t, h, s, spans["workflow.run"][0])
	assertNotices(t, spans)
	for _, p := range places(trace) {
		assert.Equal(t, sessionOf(h, s), p.span.Attributes().AsRaw()["session.id"], p.span.Name())
	}
}

func assertRoot(t *testing.T, h host, s seen, root ptrace.Span) {
	t.Helper()
	want := map[string]any{
		"mcp.workflow.type": "host_session", "mcp.client.name": h.name, "mcp.protocol.version": h.revision,
		"mcp.session.end_reason": "closed", "mcp.session.id": s.Session, "mcp.session.derived": nil,
	}
	if h.revision == withoutSessions {
		want["mcp.session.end_reason"], want["mcp.session.id"], want["mcp.session.derived"] = "idle", nil, true
	}
	assertHas(t, root, want)
}

func assertNotices(t *testing.T, spans map[string][]ptrace.Span) {
	t.Helper()
	beats := spans["notifications/host.heartbeat"]
	assertHas(t, beats[0], map[string]any{
		"mcp.host.source": "tool", "mcp.host.phase": "thinking", "mcp.host.current_task": "plans",
	})
	assertHas(t, beats[1], map[string]any{
		"mcp.host.source": nil, "mcp.host.phase": "working", "mcp.host.tokens.used": int64(50000),
		"mcp.host.tokens.limit": int64(200000), "mcp.host.tokens.percent": 25.0, "mcp.host.tool_calls.total": int64(12),
		"mcp.host.elapsed_seconds": 30.5, "mcp.host.current_task": "reads the parser",
	})
	assert.Contains(t, beats[1].Attributes().AsRaw()["mcp.notification.params_json"], `"mood":"fine"`, "unknown parameters survive")
	assertHas(t, spans["notifications/host.compacting"][0], map[string]any{
		"mcp.host.compaction.tokens_before": int64(180000), "mcp.host.compaction.reason": "approaching_limit",
	})
	assertHas(t, spans["agent.call"][0], map[string]any{
		"mcp.agent.name": "Explore", "mcp.agent.id": "a-1", "mcp.agent.task": "finds the callers", "mcp.agent.model": "haiku",
		"mcp.agent.outcome": "success", "mcp.agent.duration_seconds": 1.5, "mcp.agent.tokens.used": int64(9000),
	})
	assertHas(t, spans["notifications/host.token_pressure"][0], map[string]any{
		"mcp.host.tokens.used": int64(181000), "mcp.host.tokens.percent": 90.5, "mcp.host.tokens.threshold": "high",
	})
	assertHas(t, spans["notifications/host.error"][0], map[string]any{
		"mcp.host.error.type": "rate_limit", "mcp.host.error.retrying": true, "mcp.host.error.retry_count": int64(2),
		"mcp.error.message": "429 from the API", "mcp.status.code": "error",
	})
	for i, phase := range []string{"thinking", "working", "compacting"} {
		assertHas(t, spans["host.phase"][i], map[string]any{"mcp.host.phase": phase})
	}
}
