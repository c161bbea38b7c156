package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// SIGTERM comes while a session is open and a call in it unanswered.
func TestShutdownEndsOpenSessions(t *testing.T) {
	s := harness.StartSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": s.Address})
	begun := readTranscript(t, everything).upTo(t, isToolCall)
	c.accepts(t, begun.body)
	require.Empty(t, named(s.Received(), "workflow.run"), "the session is open")
	c.Terminate(t)

	assertGolden(t, goldenOf("shutdown"), s.Received())
	root := only(t, named(s.Received(), "workflow.run"))
	assert.Equal(t, "shutdown", attribute(root, "mcp.session.end_reason"))
	assert.Equal(t, lastTime(t, begun).Add(2), root.EndTimestamp().AsTime(), "it ends with the last message, after its summary")
	call := only(t, named(s.Received(), "tool.call"))
	assert.Equal(t, true, attribute(call, "mcp.span.incomplete"))
	assert.Equal(t, root.SpanID(), call.ParentSpanID())
	assert.Equal(t, root.SpanID(), only(t, named(s.Received(), "session.summary")).ParentSpanID())
}

func isToolCall(o observation) bool { return o.Message != nil && o.Message.Method == "tools/call" }

func lastTime(t *testing.T, tr transcript) time.Time {
	t.Helper()
	all := tr.observations(t)
	at, err := time.Parse(time.RFC3339Nano, all[len(all)-1].Time)
	require.NoError(t, err)
	return at.UTC()
}

func named(traces ptrace.Traces, name string) (spans []ptrace.Span) {
	for _, p := range places(traces) {
		if p.span.Name() == name {
			spans = append(spans, p.span)
		}
	}
	return spans
}

func only(t *testing.T, spans []ptrace.Span) ptrace.Span {
	t.Helper()
	require.Len(t, spans, 1)
	return spans[0]
}

func attribute(span ptrace.Span, key string) any {
	value, ok := span.Attributes().Get(key)
	if !ok || value.Type() == pcommon.ValueTypeEmpty {
		return nil
	}
	return value.AsRaw()
}
