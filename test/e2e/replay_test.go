package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

const goldenEverything = "testdata/everything/expected.yaml"

// traceparentOfPeer is what one call of the transcript carries in its _meta.
var traceparentOfPeer = pcommon.TraceID{
	0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c,
}

// The transcript in one request, through to Jaeger and back.
func TestReplayIntoJaeger(t *testing.T) {
	j, s := startJaeger(t), startSink(t)
	c := startCollector(t, "jaeger.yaml", map[string]string{"JAEGER_ADDRESS": j.otlp, "SINK_ADDRESS": s.address})
	transcript := readTranscript(t, everything)
	c.accepts(t, transcript.body)

	assertGolden(t, goldenEverything, s.received())
	session := pcommon.TraceID(identity.Trace("", transcript.observations(t)[0].Session))
	require.ElementsMatch(t, []pcommon.TraceID{session, traceparentOfPeer}, traceIDs(s.received()))
	assertSameSpans(t, asJaegerKeeps(s.received()), j.traces(t, session, traceparentOfPeer))
}

// The same transcript line by line is the very same telemetry.
func TestReplayLineByLine(t *testing.T) {
	s := startSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": s.address})
	for _, line := range readTranscript(t, everything).lines {
		c.accepts(t, line)
	}
	assertSameSpans(t, readGolden(t, goldenEverything), s.received())
}

func TestReplayGzipped(t *testing.T) {
	s := startSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": s.address})
	c.accepts(t, gzipped(t, readTranscript(t, everything).body), "Content-Encoding", "gzip")
	assertSameSpans(t, readGolden(t, goldenEverything), s.received())
}
