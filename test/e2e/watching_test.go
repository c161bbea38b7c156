package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const watching = "docs/watching.md"

// webhook keeps what is posted to it.
type webhook struct {
	*httptest.Server
	mu    sync.Mutex
	posts []string
}

func startWebhook(t *testing.T) *webhook {
	w := &webhook{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.posts = append(w.posts, string(body))
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, "{}")
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *webhook) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.posts, "\n")
}

// startWatching runs the documented configuration.
func startWatching(t *testing.T, env ...string) *collector {
	t.Helper()
	config := filepath.Join(t.TempDir(), "documented.yaml")
	require.NoError(t, os.WriteFile(config, []byte(documented(t, watching, "yaml")[0]), 0o600))
	own, err := filepath.Abs(filepath.Join("testdata", "config", "watching.yaml"))
	require.NoError(t, err)
	c := &collector{mcp: harness.FreeAddress(t), metrics: harness.FreeAddress(t), client: &http.Client{Timeout: harness.Patience}}
	t.Cleanup(c.client.CloseIdleConnections)
	env = append(env, "MCP_ADDRESS="+c.mcp, "METRICS_PORT="+harness.PortOf(t, c.metrics))
	c.Process = harness.Start(t, "otelcol-mcp", harness.Collector(t), env, []string{"--config", config, "--config", own})
	c.Ready(t, func() bool { return c.Logged("Everything is ready.") })
	return c
}

// TestAlarms stalls a host and lets a call get stuck, and looks for what the
// documented alert rules ask for.
func TestAlarms(t *testing.T) {
	hook := startWebhook(t)
	prometheus := harness.FreeAddress(t)
	c := startWatching(t, "ALARM_URL="+hook.URL+"/alarm", "PROMETHEUS_ADDRESS="+prometheus, "FOLDER="+t.TempDir())
	url := "http://" + c.mcp + "/v1/hooks/claude-code"
	postHook(t, url, []byte(`{"session_id":"s-1","hook_event_name":"UserPromptSubmit","prompt":"think"}`), true)
	postHook(t, url, []byte(`{"session_id":"s-2","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{},"tool_use_id":"t-1"}`), true)
	postHook(t, url, []byte(`{"session_id":"s-3","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{}}`), true)
	postHook(t, url, []byte(`{"session_id":"s-4","hook_event_name":"StopFailure","error":"overloaded"}`), true)

	rules := alertRules(t)
	stalled := regexp.MustCompile(`mcp_host_stalled_total{.*mcp_host_phase="working".*service_name="claude-code"} 1`)
	stuck := regexp.MustCompile(`mcp_call_stuck_total{.*mcp_tool_name="Bash".*} 1`)
	harness.Eventually(t, "not everything is scraped that the rules ask for", func() bool {
		text := scrapeText(t, "http://"+prometheus+"/metrics")
		for _, want := range rules {
			if !strings.Contains(text, want) {
				return false
			}
		}
		return stalled.MatchString(text) && stuck.MatchString(text)
	})
	text := scrapeText(t, "http://"+prometheus+"/metrics")
	for _, series := range []string{"mcp_calls_stuck", "mcp_sessions_active", `mcp_host_phase="waiting_approval"`, `mcp_host_phase="error"`} {
		require.Contains(t, text, series)
	}
	harness.Eventually(t, "the webhook is not told", func() bool {
		return strings.Contains(hook.all(), `"eventName":"mcp.host.stalled"`) && strings.Contains(hook.all(), `"eventName":"mcp.call.stuck"`)
	})
	require.NotContains(t, hook.all(), "hook.", "what is no alarm is not posted")
}

// ruleGroups holds what Prometheus and Loki take as alert rules.
type ruleGroups struct {
	Groups []struct {
		Name  string `yaml:"name"`
		Rules []struct {
			Alert       string            `yaml:"alert"`
			Expr        string            `yaml:"expr"`
			For         model.Duration    `yaml:"for"`
			Labels      map[string]string `yaml:"labels"`
			Annotations map[string]string `yaml:"annotations"`
		} `yaml:"rules"`
	} `yaml:"groups"`
}

// alertRules reads both documents of rules, the expressions of the first as
// Prometheus does, and is the names of the metrics that these ask for.
func alertRules(t *testing.T) (metrics []string) {
	t.Helper()
	blocks := documented(t, watching, "yaml")
	require.Len(t, blocks, 3)
	var prometheus, loki ruleGroups
	for i, groups := range []*ruleGroups{&prometheus, &loki} {
		decoder := yaml.NewDecoder(strings.NewReader(blocks[i+1]))
		decoder.KnownFields(true)
		require.NoError(t, decoder.Decode(groups))
		require.NotEmpty(t, groups.Groups[0].Rules)
	}
	for _, rule := range prometheus.Groups[0].Rules {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(rule.Expr)
		require.NoError(t, err)
		for _, selectors := range parser.ExtractSelectors(expr) {
			for _, m := range selectors {
				if m.Name == model.MetricNameLabel {
					metrics = append(metrics, m.Value)
				}
			}
		}
	}
	require.Contains(t, loki.Groups[0].Rules[0].Expr, "mcp.host.stalled") // LogQL is Loki's to parse
	return metrics
}

func scrapeText(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

// TestPhaseTimeline runs the documented command on the spans of a session that
// went as the documented output tells.
func TestPhaseTimeline(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("the documented command needs jq")
	}
	folder := t.TempDir()
	c := startWatching(t, "ALARM_URL="+startWebhook(t).URL, "PROMETHEUS_ADDRESS="+harness.FreeAddress(t), "FOLDER="+folder)
	var body strings.Builder
	for _, change := range []string{
		"16:00:00 working", "16:02:10 thinking", "16:07:40 compacting", "16:08:05 working", "16:11:30 waiting_approval",
		"16:19:02 working", "16:20:12 idle",
	} {
		at, phase, _ := strings.Cut(change, " ")
		fmt.Fprintf(&body, `{"time":"2026-02-19T%sZ","session":"s-1","message":{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":%q}}}`+"\n", at, phase)
	}
	body.WriteString(`{"time":"2026-02-19T16:30:00Z","session":"s-1","end":{"reason":"closed"}}` + "\n")
	c.accepts(t, []byte(body.String()))
	c.Terminate(t)

	cmd := exec.CommandContext(t.Context(), "sh", "-c", documented(t, watching, "sh")[0])
	cmd.Dir = folder
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Equal(t, documented(t, watching, "text")[0], string(output))
}
