package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Who has one side of a call finds the other by the request id.
func TestBothSidesOfARequestAreFound(t *testing.T) {
	b := New(10, time.Now)
	for i, side := range []struct {
		session, name string
		kind          ptrace.SpanKind
	}{{"caller", "tool.call", ptrace.SpanKindClient}, {"server", "workflow.run", ptrace.SpanKindServer}, {"other", "tool.call", ptrace.SpanKindClient}} {
		span := ptrace.NewSpan()
		span.SetName(side.name)
		span.SetKind(side.kind)
		span.SetTraceID(pcommon.TraceID{byte(i + 1)})
		span.SetSpanID(pcommon.SpanID{byte(i + 1)})
		span.SetStartTimestamp(pcommon.Timestamp(1_771_516_800_000_000_000 + i))
		span.SetEndTimestamp(pcommon.Timestamp(1_771_516_801_000_000_000))
		span.Attributes().PutStr("session.id", side.session)
		if side.session != "other" {
			span.Attributes().PutStr("mcp.request_id", "request-4711")
		}
		b.Span(pcommon.NewResource(), span, "")
	}
	page, err := b.List(Query{Limit: 10, Text: "request-4711"})
	require.NoError(t, err)
	assert.Equal(t, 1, page.Total, "both are one row")
	page, err = b.List(Query{Limit: 10, Text: "request-47"})
	require.NoError(t, err)
	assert.Zero(t, page.Total, "part of an id says nothing")
}
