package mcpprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// TestRefusedTracesAreBounded: of a batch that is refused nothing is kept, but
// that its traces were seen; of that there is not more than may wait.
func TestRefusedTracesAreBounded(t *testing.T) {
	f := newFixture(t, stitchConfig(func(c *StitchConfig) { c.MaxSpans = 10 }))
	f.sink.refuse = func() error { return errRefusedByTest }
	for i := range 1000 {
		_, s := pair("request-1")
		s.trace = pcommon.TraceID{2, byte(i), byte(i >> 8)}
		passes := spec{n: 1, trace: pcommon.TraceID{3}, id: pcommon.SpanID{3}, name: "work"}
		require.Error(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{s, passes})))
	}
	assert.LessOrEqual(t, f.rules.win.Len(), 2*f.cfg.MaxSpans)
	f.sink.refuse = nil
	f.advance(time.Minute)
	f.checkEmpty(t)
}
