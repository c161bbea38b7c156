package scale

import (
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// Without stitchers a receiver can do their work for what it sees itself.
func TestReceiverStitches(t *testing.T) {
	t.Parallel()
	p := &plant{sink: harness.StartSink(t)}
	p.entrances = []*collector{startCollector(t, "receiver.yaml", []string{"STITCH=true", "OTLP_ENDPOINT=" + p.sink.Address})}
	pairs := newPairs(20)
	p.sendPairs(t, pairs)
	all := p.await(t, pairs)
	for _, each := range pairs {
		each.assertJoined(t, all)
	}
}
