package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const (
	accepted = "otelcol_mcp_receiver_accepted_messages"
	rejected = "otelcol_mcp_receiver_rejected_messages"
	sessions = "otelcol_mcp_receiver_open_sessions"
	calls    = "otelcol_mcp_receiver_open_calls"
)

// The collector counts what it took and what not.
func TestOwnMetrics(t *testing.T) {
	s := harness.StartSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": s.Address})
	begun := readTranscript(t, everything).upTo(t, isToolCall)
	c.accepts(t, begun.body)
	repeated := begun.lines[len(begun.lines)-1] // an open call that comes again: taken, and ignored
	r := c.post(t, append([]byte("{\"no\":\"message\"}\nnot json\n"), repeated...))
	require.Equal(t, http.StatusAccepted, r.status, r.body)
	assert.Contains(t, r.body, `"accepted":1,"rejected":[{"item":0,`)
	assert.Contains(t, r.body, `{"item":1,`)
	require.Equal(t, http.StatusBadRequest, c.post(t, []byte("not json")).status)

	own := c.ownMetrics(t)
	assert.InDelta(t, len(begun.lines)+1, own.Sum(accepted, "endpoint", observations), 0, "accepted")
	assert.InDelta(t, 3, own.Sum(rejected, "endpoint", observations), 0, "rejected")
	assert.InDelta(t, 1, own.Sum(sessions), 0, "open sessions")
	assert.InDelta(t, 1, own.Sum(calls), 0, "open calls")
	assert.InDelta(t, s.Received().SpanCount(), own.Sum("otelcol_receiver_accepted_spans", "receiver", "mcp"), 0)
}
