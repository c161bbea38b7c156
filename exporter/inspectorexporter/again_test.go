package inspectorexporter

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// TestAnotherCollectorReadsTheSame: the event stream, given to the receiver of
// another collector, makes the same sessions there.
func TestAnotherCollectorReadsTheSame(t *testing.T) {
	one, other := start(t, configFor(t.TempDir())), start(t, configFor(t.TempDir()))
	one.send(started("done"), ended("done"),
		started("open"), span("open", "signal.start", 6, wait, 4, 4, "mcp.signal.name", "approve", "mcp.signal.prompt", "May I?"),
		started("failed"), func(s ptrace.Span) {
			ended("failed")(s)
			s.Status().SetCode(ptrace.StatusCodeError)
			s.Attributes().PutStr("mcp.error.message", "no disk")
		})
	// What a client reads: every event, framed.
	reader := &reader{g: &gateway{shown: &one.shown}, next: one.events.Next() - 6}
	reader.connected(-1)
	for len(reader.buf) > 0 && reader.next < one.events.Next() {
		reader.collect(t0)
	}
	push(t, other, string(reader.buf))
	require.Eventually(t, func() bool { return other.row("open")["state"] == "waiting" }, 10*time.Second, time.Millisecond)
	for _, id := range []string{"done", "failed"} {
		want, got := one.row(id), other.row(id)
		for _, key := range []string{"id", "state", "status", "title", "started_at", "error"} {
			assert.Equal(t, want[key], got[key], "%s: %s", id, key)
		}
		ended, err := time.Parse(time.RFC3339Nano, want["ended_at"].(string))
		require.NoError(t, err)
		again, err := time.Parse(time.RFC3339Nano, got["ended_at"].(string))
		require.NoError(t, err)
		assert.WithinDuration(t, ended, again, time.Microsecond, "%s: the root ends 2 ns after its summary", id)
	}
	assert.Equal(t, "approve", other.row("open")["waiting"].(map[string]any)["name"])
	assert.Equal(t, "May I?", other.row("open")["waiting"].(map[string]any)["prompt"])
}

// push gives the stream to a receiver whose pipeline ends at the exporter.
func push(t *testing.T, to *running, stream string) {
	t.Helper()
	factory := mcpreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*mcpreceiver.Config)
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	endpoint := listener.Addr().String()
	require.NoError(t, listener.Close())
	cfg.HTTP.Get().NetAddr.Endpoint = endpoint
	next, err := consumer.NewTraces(to.traces)
	require.NoError(t, err)
	r, err := factory.CreateTraces(context.Background(), receivertest.NewNopSettings(component.MustNewType("mcp")), cfg, next)
	require.NoError(t, err)
	records, err := consumer.NewLogs(to.logs)
	require.NoError(t, err)
	twin, err := factory.CreateLogs(context.Background(), receivertest.NewNopSettings(component.MustNewType("mcp")), cfg, records)
	require.NoError(t, err)
	for _, c := range []component.Component{r, twin} {
		require.NoError(t, c.Start(context.Background(), componenttest.NewNopHost()))
		t.Cleanup(func() { _ = c.Shutdown(context.Background()) })
	}
	res, err := (&http.Client{Transport: transport}).Post("http://"+endpoint+"/v1/inspector/events", "text/event-stream", strings.NewReader(stream))
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusAccepted, res.StatusCode, "%s", body)
}
