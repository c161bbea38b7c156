package normalize

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

var update = flag.Bool("update", false, "write what is expected")

// fixtures are the inputs of a dialect: OTLP/JSON, of logs if the name says so. What
// is expected is beside each, in a file that ends in .expected.json.
func fixtures(tb testing.TB) (files []string) {
	tb.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", "*", "*.json"))
	require.NoError(tb, err)
	for _, file := range all {
		if !strings.HasSuffix(file, ".expected.json") {
			files = append(files, file)
		}
	}
	require.NotEmpty(tb, files)
	return files
}

func isLogs(file string) bool { return strings.HasSuffix(file, ".logs.json") }

func readTraces(tb testing.TB, file string) ptrace.Traces {
	tb.Helper()
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
	require.NoError(tb, err, file)
	return td
}

func readLogs(tb testing.TB, file string) plog.Logs {
	tb.Helper()
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(text)
	require.NoError(tb, err, file)
	return ld
}

func newNormalizer(tb testing.TB, change func(*Config)) *Normalizer {
	tb.Helper()
	cfg := DefaultConfig()
	if change != nil {
		change(&cfg)
	}
	require.NoError(tb, cfg.Validate())
	tel := componenttest.NewTelemetry()
	builder, err := metadata.NewTelemetryBuilder(tel.NewTelemetrySettings())
	require.NoError(tb, err)
	tb.Cleanup(builder.Shutdown)
	return New(&cfg, builder)
}

// marshal returns what came out of a fixture, as JSON.
func marshal(tb testing.TB, n *Normalizer, file string) []byte {
	tb.Helper()
	var text []byte
	var err error
	if isLogs(file) {
		ld, _ := n.Logs(tb.Context(), readLogs(tb, file))
		text, err = (&plog.JSONMarshaler{}).MarshalLogs(ld)
	} else {
		td, _ := n.Traces(tb.Context(), readTraces(tb, file))
		text, err = (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	}
	require.NoError(tb, err)
	var out bytes.Buffer
	require.NoError(tb, json.Indent(&out, text, "", "  "))
	out.WriteByte('\n')
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	n := newNormalizer(t, nil)
	for _, file := range fixtures(t) {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			got := marshal(t, n, file)
			expected := strings.TrimSuffix(file, ".json") + ".expected.json"
			if *update {
				require.NoError(t, os.WriteFile(expected, got, 0o600))
			}
			want, err := os.ReadFile(expected)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

// TestEveryDialectHasFixtures: a dialect is one file and one folder, which says where
// its facts are from.
func TestEveryDialectHasFixtures(t *testing.T) {
	for _, name := range dialect.Names() {
		inputs, err := filepath.Glob(filepath.Join("testdata", name, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, inputs, name)
		_, err = os.Stat(filepath.Join("testdata", name, "README.md"))
		require.NoError(t, err)
	}
	folders, err := filepath.Glob("testdata/*/README.md")
	require.NoError(t, err)
	for _, file := range folders {
		require.Contains(t, dialect.Names(), filepath.Base(filepath.Dir(file)), "list the dialect in dialect.All")
	}
}
