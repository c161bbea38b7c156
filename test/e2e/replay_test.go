package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// goldenOf is the telemetry expected of a recorded session.
func goldenOf(scenario string) string { return filepath.Join("testdata", scenario, "expected.yaml") }

// A recorded session in one request, through to Jaeger and back.
func TestReplayIntoJaeger(t *testing.T) {
	j, s := startJaeger(t), harness.StartSink(t)
	c := startCollector(t, "jaeger.yaml", map[string]string{"JAEGER_ADDRESS": j.OTLP, "SINK_ADDRESS": s.Address})
	for _, scenario := range replayed {
		t.Run(scenario, func(t *testing.T) {
			s.Forget()
			transcript := readTranscript(t, recorded(scenario))
			c.accepts(t, transcript.body)

			assertGolden(t, goldenOf(scenario), s.Received())
			session := identity.Trace("", transcript.observations(t)[0].Session)
			ids := append(transcript.remoteTraces(t), pcommon.TraceID(session))
			assert.ElementsMatch(t, ids, traceIDs(s.Received()))
			assertSameSpans(t, s.Received(), j.stored(t, s.Received().SpanCount(), ids...))
		})
	}
}

// The same session line by line is the very same telemetry.
func TestReplayLineByLine(t *testing.T) {
	s := harness.StartSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": s.Address})
	for _, scenario := range replayed {
		t.Run(scenario, func(t *testing.T) {
			s.Forget()
			for _, line := range readTranscript(t, recorded(scenario)).lines {
				c.accepts(t, line)
			}
			assertSameSpans(t, readGolden(t, goldenOf(scenario)), s.Received())
		})
	}
}

func TestReplayGzipped(t *testing.T) {
	s := harness.StartSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": s.Address})
	c.accepts(t, gzipped(t, readTranscript(t, everything).body), "Content-Encoding", "gzip")
	assertSameSpans(t, readGolden(t, goldenOf("everything")), s.Received())
}
