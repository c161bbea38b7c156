package stitch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// TestRefusedTracesAreBounded: a batch that is refused leaves nothing but empty
// traces, and no more of them than may wait.
func TestRefusedTracesAreBounded(t *testing.T) {
	f := newFixture(t, configOf(func(c *Config) { c.MaxSpans = 10 }))
	f.sink.refuse = func() error { return errRefusedByTest }
	for i := range 1000 {
		_, s := pair("request-1")
		s.trace = pcommon.TraceID{2, byte(i), byte(i >> 8)}
		passes := spec{n: 1, trace: pcommon.TraceID{3}, id: pcommon.SpanID{3}, name: "work"}
		require.Error(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{s, passes})))
	}
	assert.LessOrEqual(t, f.traces.win.Len(), 2*f.limit.spans)
	f.sink.refuse = nil
	f.advance(time.Minute)
	f.checkEmpty(t)
}

// TestZeroIDs: a span without an id cannot be a parent, and spans without a trace
// id are unrelated.
func TestZeroIDs(t *testing.T) {
	for name, spoil := range map[string]func(client, server *spec){
		"client span":  func(c, _ *spec) { c.id = pcommon.SpanID{} },
		"client trace": func(c, _ *spec) { c.trace = pcommon.TraceID{} },
		"server span":  func(_, s *spec) { s.id = pcommon.SpanID{} },
		"server trace": func(_, s *spec) { s.trace = pcommon.TraceID{} },
	} {
		t.Run(name, func(t *testing.T) {
			c, s := pair("request-1")
			spoil(&c, &s)
			f := newFixture(t, configOf())
			require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{c, s})))
			f.advance(time.Minute)
			out := each(f.sink.got)
			require.Len(t, out, 2)
			for _, o := range out {
				assert.Equal(t, 1, o.span.Links().Len())
				assert.True(t, o.span.ParentSpanID().IsEmpty())
				n, _ := o.span.Attributes().Get("n")
				assert.Equal(t, []spec{c, s}[n.Int()].trace, o.span.TraceID())
			}
			f.checkEmpty(t)
		})
	}
}
