package prometheus

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var folder = filepath.Join(harness.Root, "deploy", "prometheus")

func promtool(t *testing.T, arguments ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.LookPath(t, "promtool"), arguments...)
	cmd.Dir = folder
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "promtool %s: %s", arguments, output)
}

func TestConfiguration(t *testing.T) {
	promtool(t, "check", "config", "prometheus.yml")
	// In its container, the rules are beside it.
	dir := t.TempDir()
	for _, file := range []string{"alerts.yaml", filepath.Join("..", "compose", "prometheus.yml")} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600))
	}
	promtool(t, "check", "config", filepath.Join(dir, "prometheus.yml"))
}

func TestRules(t *testing.T) {
	promtool(t, "check", "rules", "alerts.yaml")
	promtool(t, "test", "rules", "alerts_test.yaml")
}

// alert is a rule as far as this test looks at it.
type alert struct {
	Alert       string
	Labels      map[string]string
	Annotations map[string]string
}

func alerts(t *testing.T) (all []alert) {
	t.Helper()
	var rules struct{ Groups []struct{ Rules []alert } }
	decode(t, "alerts.yaml", &rules)
	for _, group := range rules.Groups {
		all = append(all, group.Rules...)
	}
	require.NotEmpty(t, all)
	return all
}

func decode(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, file))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}

// TestEachAlertIsTested: promtool tests what it is given, and an alert without a
// test is one that nobody has seen to fire, or to be silent.
func TestEachAlertIsTested(t *testing.T) {
	var file struct {
		Tests []struct {
			Rules []struct {
				Name   string `yaml:"alertname"`
				Alerts []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	decode(t, "alerts_test.yaml", &file)
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, rule := range test.Rules {
			if len(rule.Alerts) > 0 {
				fires[rule.Name] = true
			} else {
				silent[rule.Name] = true
			}
		}
	}
	for _, a := range alerts(t) {
		assert.True(t, fires[a.Alert], "no test lets %s fire", a.Alert)
		assert.True(t, silent[a.Alert], "no test keeps %s silent", a.Alert)
	}
}

// TestFirstReports: the shipped rules see the first report of a series, from nothing:
// the receiver's begin with 0, and those of the collector itself count when they appear.
func TestFirstReports(t *testing.T) {
	s := start(t)
	s.answers(t, "collector", `up{job="otelcol-mcp-sessions"} == 1`)
	s.post(t, s.otlp, "/v1/logs", http.StatusOK, fmt.Sprintf(costly, time.Now().UnixNano()))
	s.post(t, s.mcp, "/v1/observations", http.StatusBadRequest, "{")
	for _, want := range []string{"AgentCostHigh", "CollectorRejectsMessages"} {
		harness.Eventually(t, want+" does not fire", func() bool {
			var answer struct {
				Data struct {
					Alerts []struct {
						Labels map[string]string
						State  string
					}
				}
			}
			s.get(t, "alerts", nil, &answer)
			for _, a := range answer.Data.Alerts {
				if a.Labels["alertname"] == want && a.State == "firing" {
					return true
				}
			}
			return false
		})
	}
}

// costly is a call of a model that costs more than AgentCostHigh lets pass.
const costly = `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"claude-code"}}]},
"scopeLogs":[{"scope":{"name":"com.anthropic.claude_code.events"},"logRecords":[{"timeUnixNano":"%d",
"body":{"stringValue":"claude_code.api_request"},"attributes":[{"key":"event.name","value":{"stringValue":"api_request"}},
{"key":"session.id","value":{"stringValue":"s-1"}},{"key":"model","value":{"stringValue":"claude-x"}},
{"key":"input_tokens","value":{"intValue":"10"}},{"key":"output_tokens","value":{"intValue":"2"}},
{"key":"cost_usd","value":{"doubleValue":99}},{"key":"duration_ms","value":{"intValue":"900"}}]}]}]}]}`

var capital = regexp.MustCompile(`(.)([A-Z])`)

// TestRunbooks: each alert leads to a page, and each page is of an alert.
func TestRunbooks(t *testing.T) {
	const pages = "https://github.com/otelcol-mcp/otelcol-mcp/blob/main/docs/runbooks/"
	known := map[string]bool{"README.md": true}
	index, err := os.ReadFile(filepath.Join(harness.Root, "docs", "runbooks", "README.md"))
	require.NoError(t, err)
	for _, a := range alerts(t) {
		page := strings.ToLower(capital.ReplaceAllString(a.Alert, "$1-$2")) + ".md"
		known[page] = true
		assert.Equal(t, pages+page, a.Annotations["runbook_url"])
		assert.NotEmpty(t, a.Annotations["summary"], a.Alert)
		assert.Contains(t, []string{"info", "warning", "critical"}, a.Labels["severity"], a.Alert)
		assert.Contains(t, string(index), "["+a.Alert+"]("+page+")")
		text, err := os.ReadFile(filepath.Join(harness.Root, "docs", "runbooks", page))
		if assert.NoError(t, err) {
			assert.True(t, strings.HasPrefix(string(text), "# "+a.Alert+"\n"), page)
		}
	}
	files, err := filepath.Glob(filepath.Join(harness.Root, "docs", "runbooks", "*.md"))
	require.NoError(t, err)
	for _, file := range files {
		assert.True(t, known[filepath.Base(file)], "%s is of no alert", file)
	}
}
