package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// inspected are the Inspector events of sessions that end in every way.
const inspected = `{"type":"SessionStarted","session_id":"insp-good","engine":"asyncio","title":"Orchestrator","start_time":"2026-02-19T16:00:00"}
{"type":"WaitingOnSignal","session_id":"insp-good","signal_name":"approve","prompt":"May I?","timestamp":"2026-02-19T16:00:01"}
{"type":"SessionFinished","session_id":"insp-good","status":"completed","end_time":"2026-02-19T16:00:03"}
{"type":"SessionStarted","session_id":"insp-bad","engine":"asyncio","title":"Router","start_time":"2026-02-19T16:00:00"}
{"type":"SessionFinished","session_id":"insp-bad","status":"failed","error":"boom","end_time":"2026-02-19T16:00:04"}`

// What one collector's Inspector exporter gives, another reads: the files back to
// equal spans, the event stream to the same sessions.
func TestInspectorRoundTrip(t *testing.T) {
	sink, streamed, filed := harness.StartSink(t), harness.StartSink(t), harness.StartSink(t)
	env := map[string]string{
		"PAGE_ADDRESS": harness.FreeAddress(t), "TRACES_DIR": t.TempDir(), "SINK_ADDRESS": sink.Address,
		"STREAM_SINK": streamed.Address, "FILES_SINK": filed.Address,
	}
	gateway := startCollector(t, "gateway.yaml", env)
	reader := startCollector(t, "reader.yaml", env)
	reader.Ready(t, func() bool {
		return gateway.ownMetrics(t).Sum("otelcol_mcp_inspector_exporter_clients") == 1
	})
	gateway.accepts(t, readTranscript(t, everything).body)
	events(t, gateway, inspected)

	sent := sink.Received()
	harness.Eventually(t, "not all spans are read from the files", func() bool {
		return filed.Received().SpanCount() >= sent.SpanCount()
	})
	assertSameSpans(t, sent, filed.Received())

	want := endedSessions(sent)
	require.Len(t, want, 3)
	harness.Eventually(t, "not all sessions are read from the stream", func() bool {
		return len(endedSessions(streamed.Received())) == len(want)
	})
	assert.Equal(t, want, endedSessions(streamed.Received()))
}

func events(t *testing.T, c *collector, body string) {
	t.Helper()
	response, err := c.client.Post("http://"+c.mcp+"/v1/inspector/events", "application/x-ndjson", strings.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusAccepted, response.StatusCode)
}

// ended holds what the end of a session tells.
type ended struct {
	status  string
	message string
	end     string
}

// endedSessions are the sessions whose root was sent, by id.
func endedSessions(traces ptrace.Traces) map[string]ended {
	all := map[string]ended{}
	for _, p := range places(traces) {
		if p.span.Name() != mcpconv.SpanWorkflow {
			continue
		}
		id, _ := p.span.Attributes().Get(mcpconv.SessionID)
		all[id.Str()] = ended{
			status: p.span.Status().Code().String(), message: p.span.Status().Message(),
			end: p.span.EndTimestamp().AsTime().Format("15:04:05"),
		}
	}
	return all
}
