package e2e

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jaegertracing/jaeger-idl/model/v1"
	"github.com/jaegertracing/jaeger-idl/proto-gen/api_v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
				"JAEGER_ADDRESS": j.otlp, "OTLP_ADDRESS": otlp, "STITCH": strconv.FormatBool(test.stitch),
			})
			aCallsBCallsC(t, otlp)
			var all []stored
			harness.Eventually(t, "spans are missing", func() bool {
				all = j.all(t, "a", "b", "c")
				return spansIn(all) == 6
			})
			forest := drawAll(all)
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

// stored is a trace as Jaeger keeps it.
type stored []*model.Span

// all are the traces that these services have spans in.
func (j *jaeger) all(t *testing.T, services ...string) []stored {
	t.Helper()
	byID := map[model.TraceID]stored{}
	for _, service := range services {
		maps.Copy(byID, j.find(t, service))
	}
	return slices.Collect(maps.Values(byID))
}

func (j *jaeger) find(t *testing.T, service string) map[model.TraceID]stored {
	t.Helper()
	query := &api_v2.TraceQueryParameters{
		ServiceName: service, SearchDepth: 100,
		StartTimeMin: time.Now().Add(-time.Hour), StartTimeMax: time.Now().Add(time.Hour),
	}
	stream, err := j.query.FindTraces(t.Context(), &api_v2.FindTracesRequest{Query: query})
	require.NoError(t, err)
	found := map[model.TraceID]stored{}
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		for i := range chunk.Spans {
			span := &chunk.Spans[i]
			found[span.TraceID] = append(found[span.TraceID], span)
		}
	}
}

func spansIn(all []stored) (count int) {
	for _, each := range all {
		count += len(each)
	}
	return count
}
