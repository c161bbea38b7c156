package e2e

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// jaeger is a running Jaeger with nothing stored.
type jaeger struct{ *harness.JaegerServer }

func startJaeger(t *testing.T) *jaeger {
	t.Helper()
	return &jaeger{harness.StartJaeger(t)}
}

// stored returns the traces as Jaeger keeps them, when they have as many spans: it answers
// the exporter first and stores after.
func (j *jaeger) stored(t *testing.T, spans int, ids ...pcommon.TraceID) (found ptrace.Traces) {
	t.Helper()
	harness.Eventually(t, "jaeger does not store what it took", func() bool {
		found = ptrace.NewTraces()
		for _, id := range ids {
			j.Trace(t, id, false).ResourceSpans().MoveAndAppendTo(found.ResourceSpans())
		}
		return found.SpanCount() >= spans
	})
	return found
}
