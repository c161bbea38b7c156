// Package otlptest tests the decoders of agents' own telemetry against files:
// OTLP as JSON in, what is reported of it as text out.
package otlptest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
)

var update = flag.Bool("update", false, "write the expected reports of OTLP files")

// Files decodes the files testdata/*.logs.json and *.traces.json, and compares what
// is reported of each with the file of the same name that ends in .txt.
func Files(t *testing.T, d otlp.Decoder) {
	logs, err := filepath.Glob("testdata/*.logs.json")
	require.NoError(t, err)
	traces, err := filepath.Glob("testdata/*.traces.json")
	require.NoError(t, err)
	inputs := slices.Concat(logs, traces)
	require.NotEmpty(t, inputs)
	for _, input := range inputs {
		name := strings.TrimSuffix(filepath.Base(input), ".json")
		t.Run(name, func(t *testing.T) { file(t, d, input, strings.TrimSuffix(input, ".json")+".txt") })
	}
}

func file(t *testing.T, d otlp.Decoder, input, expected string) {
	body, err := os.ReadFile(input)
	require.NoError(t, err)
	var got strings.Builder
	show := func(name string, r *otlp.Report) {
		Check(t, r)
		Write(&got, name, r)
	}
	if strings.HasSuffix(input, ".logs.json") {
		logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
		require.NoError(t, err)
		Logs(d, logs, show)
	} else {
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
		require.NoError(t, err)
		Traces(d, traces, show)
	}
	if *update {
		require.NoError(t, os.WriteFile(expected, []byte(got.String()), 0o600))
	}
	want, err := os.ReadFile(expected)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

// Logs decodes all records, and calls show with the name and the report of each.
func Logs(d otlp.Decoder, logs plog.Logs, show func(name string, r *otlp.Report)) {
	for _, rl := range logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			from := &otlp.Origin{Resource: rl.Resource().Attributes(), Scope: sl.Scope().Name()}
			for _, r := range sl.LogRecords().All() {
				show(logName(r), d.Log(from, r))
			}
		}
	}
}

func logName(r plog.LogRecord) string {
	name := r.Body().AsString()
	if event := otlp.String(r.Attributes(), "event.name"); name == "" || len(name) > 64 {
		name = event
	}
	return name
}

// Traces is [Logs] of spans.
func Traces(d otlp.Decoder, traces ptrace.Traces, show func(name string, r *otlp.Report)) {
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			from := &otlp.Origin{Resource: rs.Resource().Attributes(), Scope: ss.Scope().Name()}
			for _, s := range ss.Spans().All() {
				show(s.Name(), d.Span(from, s))
			}
		}
	}
}

// read is the content of all files of that pattern.
func read(tb testing.TB, pattern string) (bodies [][]byte) {
	tb.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(tb, err)
	for _, name := range files {
		body, err := os.ReadFile(name)
		require.NoError(tb, err)
		bodies = append(bodies, body)
	}
	return bodies
}
