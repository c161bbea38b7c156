package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// Three instrumented processes call each other over MCP: Jaeger shows three
// traces, or one if the collector stitches them. docs/stitching.md has what
// Jaeger says in both cases.
func TestStitchingIntoJaeger(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(harness.Root, "docs", "stitching.md"))
	require.NoError(t, err)
	for name, test := range map[string]struct {
		stitch bool
		traces int
	}{
		"before": {stitch: false, traces: 3},
		"after":  {stitch: true, traces: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := startJaeger(t)
			otlp := harness.FreeAddress(t)
			startCollector(t, "stitching.yaml", map[string]string{
				"JAEGER_ADDRESS": j.OTLP, "OTLP_ADDRESS": otlp, "STITCH": strconv.FormatBool(test.stitch),
			})
			aCallsBCallsC(t, otlp)
			byID := map[pcommon.TraceID][]place{}
			harness.Eventually(t, "spans are missing", func() bool {
				clear(byID)
				seen := map[pcommon.SpanID]bool{}
				for _, service := range []string{"a", "b", "c"} {
					for _, p := range places(j.Find(t, service, "")) {
						if !seen[p.span.SpanID()] {
							seen[p.span.SpanID()] = true
							byID[p.span.TraceID()] = append(byID[p.span.TraceID()], p)
						}
					}
				}
				return len(seen) == 6
			})
			forest := drawAll(slices.Collect(maps.Values(byID)))
			assert.Len(t, strings.Split(forest, "\n\n"), test.traces)
			assert.Contains(t, string(page), "```\n"+forest+"```\n", "docs/stitching.md, under "+name)
		})
	}
}

// aCallsBCallsC runs the three programs. All have sent their spans when it returns.
func aCallsBCallsC(t *testing.T, otlp string) {
	t.Helper()
	env := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + otlp}
	path := harness.Program(t, "instrumented")
	b, c := harness.FreeAddress(t), harness.FreeAddress(t)
	servers := []*harness.Process{
		harness.Start(t, "c", path, env, []string{"-name", "c", "-listen", c}),
		harness.Start(t, "b", path, env, []string{"-name", "b", "-listen", b, "-next", "http://" + c}),
	}
	for i, address := range []string{c, b} {
		servers[i].Ready(t, func() bool { return harness.Listens(address) })
	}
	a := harness.Start(t, "a", path, env, []string{"-name", "a", "-next", "http://" + b})
	a.Wait(t)
	require.Equal(t, "c is well\n", a.Output())
	for _, server := range servers {
		server.Terminate(t)
	}
}
