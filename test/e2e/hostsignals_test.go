package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// lines are the whole lines of a file that is still written to.
func lines(t *testing.T, folder, name string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	all := bytes.Split(text, []byte("\n"))
	return all[:len(all)-1] // what follows the last line feed is not whole
}

// logRecords returns what the logs pipeline has delivered so far, by event name.
func logRecords(t *testing.T, folder string) map[string]plog.LogRecord {
	t.Helper()
	all := map[string]plog.LogRecord{}
	for _, line := range lines(t, folder, "logs.jsonl") {
		logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
		require.NoError(t, err, "%s", line)
		for _, rl := range logs.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					all[record.EventName()] = record
				}
			}
		}
	}
	return all
}

func assertHostLogs(t *testing.T, folder, session string) {
	t.Helper()
	want := map[string]plog.SeverityNumber{
		"session.start": plog.SeverityNumberInfo, "notifications/host.heartbeat": plog.SeverityNumberDebug,
		"notifications/host.compacting": plog.SeverityNumberWarn, "notifications/host.token_pressure": plog.SeverityNumberWarn,
		"notifications/host.error": plog.SeverityNumberError, "agent.start": plog.SeverityNumberInfo,
	}
	harness.Eventually(t, "not all log records are written", func() bool {
		records := logRecords(t, folder)
		for name := range want {
			if _, ok := records[name]; !ok {
				return false
			}
		}
		return true
	})
	for name, severity := range want {
		record := logRecords(t, folder)[name]
		assert.Equal(t, severity.String(), severityOf(record).String(), name)
		assert.Equal(t, identity.Trace("", session).String(), record.TraceID().String(), name)
		assert.False(t, record.SpanID().IsEmpty(), name)
		id, _ := record.Attributes().Get("session.id")
		assert.Equal(t, session, id.Str(), name)
	}
}

// severityOf is the severity without its finer grades.
func severityOf(record plog.LogRecord) plog.SeverityNumber {
	return (record.SeverityNumber()-1)/4*4 + 1
}

// metricNames returns what the metrics pipeline has delivered so far.
func metricNames(t *testing.T, folder string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, line := range lines(t, folder, "metrics.jsonl") {
		metrics, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		require.NoError(t, err, "%s", line)
		for _, rm := range metrics.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, metric := range sm.Metrics().All() {
					all[metric.Name()] = true
				}
			}
		}
	}
	return all
}

func assertHostMetrics(t *testing.T, folder string) {
	t.Helper()
	harness.Eventually(t, "not all metrics are written", func() bool {
		names := metricNames(t, folder)
		return names["mcp.sessions.active"] && names["mcp.host.context.utilization"] && names["mcp.session.tokens"]
	})
}
