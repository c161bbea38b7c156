package telemetry

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Many sessions of two clients end in one batch: each root comes behind all spans of
// its session, and no service has more than two resources.
func TestEndsShareResources(t *testing.T) {
	b := NewBatch(testOptions(), 7)
	for i := range byte(6) {
		s := &store.SessionRecord{
			Epoch:   store.Epoch{ID: strconv.Itoa(int(i)), Trace: identity.TraceID{i + 1}, Root: identity.SpanID{i + 1}, Start: 1, Number: 1},
			Parties: store.Parties{Client: fmt.Sprintf("client %d", i%2), Server: "server"},
		}
		call := toolCall()
		call.Session, call.Call.Trace, call.Call.Sender = s, s.Trace, "server"
		b.SessionStarted(s, testMarker)
		b.CallEnded(call)
		b.SessionEnded(&session.SessionEnd{Session: s, Time: 9, Reason: "idle", Summary: testSpan})
	}
	td, n := b.Traces()
	require.Equal(t, 6*4, n)
	require.Equal(t, n, td.SpanCount())
	resources, ended := map[string]int{}, map[[16]byte]bool{}
	for _, rs := range td.ResourceSpans().All() {
		name, _ := rs.Resource().Attributes().Get(mcpconv.ServiceName)
		resources[name.Str()]++
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			require.False(t, ended[span.TraceID()], "%s after the root", span.Name())
			ended[span.TraceID()] = span.Name() == mcpconv.SpanWorkflow
		}
	}
	require.Len(t, ended, 6)
	for name, n := range resources {
		require.LessOrEqual(t, n, 2, name)
	}
}
