package prometheus

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// panel holds what this test looks at of a panel of Grafana.
type panel struct {
	Title      string
	Type       string
	Datasource struct{ Type, UID string }
	Targets    []struct{ Expr, Query, RefID string }
	Panels     []panel // of a row
}

type dashboard struct {
	UID, Title string
	Panels     []panel
	Templating struct {
		List []struct {
			Name, Type string
			Query      any
		}
	}
}

func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(harness.Root, "deploy", "grafana", "dashboards", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 4)
	all := map[string]dashboard{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var d dashboard
		require.NoError(t, json.Unmarshal(text, &d), file)
		require.NotEmpty(t, d.UID)
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = d
	}
	return all
}

// flatten are all panels that show something.
func flatten(panels []panel) (all []panel) {
	for _, p := range panels {
		if p.Type != "row" {
			all = append(all, p)
		}
		all = append(all, flatten(p.Panels)...)
	}
	return all
}

// inGrafana are the variables as Grafana would fill them in.
var inGrafana = strings.NewReplacer("$__rate_interval", "2m", "$__range", "5m", "$server", ".*", "$tool", ".*", "$client", ".*")

// TestDashboards: under the load of the demo, each query of each panel that asks
// Prometheus has an answer, whatever spans are called.
func TestDashboards(t *testing.T) {
	for _, names := range []string{"inspector", "semconv"} {
		t.Run(names, func(t *testing.T) {
			s := start(t, "--config", "yaml:receivers::mcp::span_names: "+names)
			s.demo(t)
			// What has counted once has not increased yet.
			s.answers(t, "cost", "mcp_llm_cost_total")
			s.answers(t, "tools", "mcp_client_operation_duration_seconds_count")
			s.demo(t)
			for name, d := range dashboards(t) {
				s.answersOf(t, name, d)
			}
		})
	}
}

// answersOf requires an answer to each query of a dashboard.
func (s *stack) answersOf(t *testing.T, name string, d dashboard) {
	t.Helper()
	for _, variable := range d.Templating.List {
		if query, ok := variable.Query.(map[string]any); ok && variable.Type == "query" {
			s.answers(t, name+": "+variable.Name, labelOf(t, query["query"]))
		}
	}
	for _, p := range flatten(d.Panels) {
		if p.Datasource.Type != "prometheus" {
			continue
		}
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			s.answers(t, fmt.Sprintf("%s: %s %s", name, p.Title, target.RefID), target.Expr)
		}
	}
}

// labelOf is a query whose answer is empty if label_values would be.
func labelOf(t *testing.T, query any) string {
	t.Helper()
	text, ok := query.(string)
	require.True(t, ok)
	inside, found := strings.CutPrefix(strings.TrimSuffix(text, ")"), "label_values(")
	require.True(t, found, text)
	at := strings.LastIndex(inside, ", ")
	return fmt.Sprintf("count by (%s) (%s)", inside[at+2:], inside[:at])
}

// TestSessionDashboard: metrics know no sessions, so this one asks Tempo and Loki,
// which are no part of this test.
func TestSessionDashboard(t *testing.T) {
	types := map[string]int{}
	for _, p := range flatten(dashboards(t)["session"].Panels) {
		types[p.Datasource.Type]++
		for _, target := range p.Targets {
			assert.Contains(t, target.Expr+target.Query, "$session", p.Title)
			// Names differ by receivers::mcp::span_names.
			assert.NotRegexp(t, `tool\.call|tools/call\.|llm\.generate|chat\.`, target.Query, p.Title)
		}
	}
	assert.Zero(t, types["prometheus"])
	assert.Positive(t, types["tempo"])
	assert.Positive(t, types["loki"])
}

// TestExemplars: there is a way from the heat map to a trace.
func TestExemplars(t *testing.T) {
	from := time.Now().Add(-time.Hour).Format(time.RFC3339)
	s := start(t)
	calls := 0
	harness.Eventually(t, "no exemplar", func() bool {
		calls++
		s.call(t, calls) // an exemplar is there until the next flush of the metrics: a busy machine may miss that
		var answer struct {
			Data []struct {
				Exemplars []struct{ Labels map[string]string }
			}
		}
		s.get(t, "query_exemplars", url.Values{"query": {"mcp_client_operation_duration_seconds_bucket"}, "start": {from}, "end": {time.Now().Add(time.Hour).Format(time.RFC3339)}}, &answer)
		for _, series := range answer.Data {
			for _, exemplar := range series.Exemplars {
				if exemplar.Labels["trace_id"] != "" {
					return true
				}
			}
		}
		return false
	})
}

// answers waits until a query has an answer with a number.
func (s *stack) answers(t *testing.T, what, query string) {
	t.Helper()
	harness.Eventually(t, what+" has no data: "+query, func() bool {
		var answer struct {
			Status string
			Error  string
			Data   struct{ Result []struct{ Value [2]any } }
		}
		s.get(t, "query", url.Values{"query": {inGrafana.Replace(query)}}, &answer)
		require.Equal(t, "success", answer.Status, "%s: %s: %s", what, query, answer.Error)
		for _, series := range answer.Data.Result {
			if series.Value[1] != "NaN" {
				return true
			}
		}
		return false
	})
}

func (s *stack) get(t *testing.T, path string, parameters url.Values, into any) {
	t.Helper()
	response, err := http.Get("http://" + s.prometheus + "/api/v1/" + path + "?" + parameters.Encode())
	require.NoError(t, err)
	defer response.Body.Close()
	require.NoError(t, json.NewDecoder(response.Body).Decode(into))
}
