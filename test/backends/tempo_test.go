package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// hanging is a call that has no reply yet.
const hanging = `{"session":"s-stuck","client":"shop-agent","server":"prices","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"price"}}}`

// TestTempo holds what embedded:tempo sends against what Tempo documents: the shape of spans,
// and that each query of the dashboards finds something, whatever spans are called.
func TestTempo(t *testing.T) {
	for _, names := range []string{"inspector", "semconv"} {
		t.Run(names, func(t *testing.T) {
			sink := harness.StartSink(t)
			mcp, otlp, health := harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t)
			config := fmt.Sprintf(here, mcp, harness.FreeAddress(t), otlp, health, harness.PortOf(t, harness.FreeAddress(t)))
			c := harness.Start(t, "otelcol-mcp", harness.Collector(t), []string{"TEMPO_ENDPOINT=" + sink.Address}, []string{
				"--config", "embedded:tempo", "--config", "yaml:" + config,
				"--config", "yaml:receivers::mcp: {span_names: " + names + ", call: {stuck_after: 1s}}",
				"--config", "yaml:exporters::otlp_http/loki::endpoint: http://" + logsTo(t),
				"--config", "yaml:exporters::prometheus::endpoint: " + harness.FreeAddress(t),
			})
			c.Ready(t, func() bool { return harness.HTTPOK("http://" + health + "/status") })
			require.NoError(t, post("http://"+mcp+"/v1/observations", []byte(hanging)))
			truths, err := feed(harness.Root, "http://"+mcp, "http://"+otlp)
			require.NoError(t, err)
			harness.Eventually(t, "no call is stuck", func() bool { return found(t, sink.Received(), `{ name = "mcp.call.stuck" }`) })
			c.Terminate(t)

			all := sink.Received()
			for _, query := range queries(t) {
				matched := false
				for _, session := range append(truths, Truth{Session: "s-stuck"}) {
					matched = matched || session.Session != "" && found(t, all, strings.ReplaceAll(query, "$session", session.Session))
				}
				assert.True(t, matched, "%s finds nothing", query)
			}
			requireShape(t, all)
		})
	}
}

// logsTo accepts log records.
func logsTo(t *testing.T) string {
	t.Helper()
	address := harness.FreeAddress(t)
	server := &http.Server{Addr: address, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = server.ListenAndServe() }()
	t.Cleanup(func() { _ = server.Close() })
	return address
}

// queries are the dashboards' queries of TraceQL.
func queries(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(harness.Root, "deploy", "grafana", "dashboards", "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var d any
		require.NoError(t, json.Unmarshal(text, &d))
		all = append(all, queriesIn(d)...)
	}
	require.GreaterOrEqual(t, len(all), 3)
	return all
}

func queriesIn(node any) (all []string) {
	switch node := node.(type) {
	case map[string]any:
		if query, ok := node["query"].(string); ok && strings.HasPrefix(query, "{") && node["queryType"] == "traceql" {
			all = append(all, query)
		}
		for _, value := range node {
			all = append(all, queriesIn(value)...)
		}
	case []any:
		for _, value := range node {
			all = append(all, queriesIn(value)...)
		}
	}
	return all
}

// found reports whether a query of TraceQL selects a span.
func found(t *testing.T, all ptrace.Traces, query string) bool {
	t.Helper()
	q := parse(t, query)
	for _, rs := range all.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if q(rs.Resource(), s) {
					return true
				}
			}
		}
	}
	return false
}

// requireShape requires what Tempo's documents ask of spans: ids, a service, a time, and values
// that TraceQL can compare: texts, numbers, booleans and lists.
func requireShape(t *testing.T, all ptrace.Traces) {
	t.Helper()
	require.NotZero(t, all.SpanCount())
	for _, rs := range all.ResourceSpans().All() {
		service, _ := rs.Resource().Attributes().Get(mcpconv.ServiceName)
		require.NotEmpty(t, service.AsString())
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				require.False(t, s.TraceID().IsEmpty() || s.SpanID().IsEmpty(), s.Name())
				require.NotEmpty(t, s.Name())
				require.LessOrEqual(t, s.StartTimestamp(), s.EndTimestamp(), s.Name())
				require.NotZero(t, s.StartTimestamp(), s.Name())
				if ss.Scope().Name() != mcpconv.ReceiverScope {
					continue
				}
				for key, value := range s.Attributes().All() {
					require.NotContains(t, []pcommon.ValueType{pcommon.ValueTypeMap, pcommon.ValueTypeBytes, pcommon.ValueTypeEmpty}, value.Type(), "%s: %s", s.Name(), key)
				}
			}
		}
	}
}
