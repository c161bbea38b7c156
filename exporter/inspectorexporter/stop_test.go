package inspectorexporter

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pipeline"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/metadata"
)

// TestStopsThoughSomebodyDoesNotRead: a download that stands still may last ten
// minutes; what stops the collector does not wait for that.
func TestStopsThoughSomebodyDoesNotRead(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	for i := range 64 {
		r.send(span("big", "mcp.tool", byte(i+1), 0, 0, 1, "mcp.tool.output", strings.Repeat("x", 1<<20)))
	}
	res := r.do(http.MethodGet, "/_inspector/trace/big")
	defer func() { _ = res.Body.Close() }() // nothing of it is read
	require.Equal(t, http.StatusOK, res.StatusCode)
	done := make(chan error)
	go func() { done <- r.Shutdown(context.Background()) }()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("it waits for the client")
	}
}

// TestServesFromTheFirstSignalToTheLast: the pipeline of one signal may send
// before the other's has started, and after that has stopped.
func TestServesFromTheFirstSignalToTheLast(t *testing.T) {
	f, cfg, set := newFactory(), configFor(t.TempDir()), exportertest.NewNopSettings(metadata.Type)
	traces, err := f.createTraces(t.Context(), set, cfg)
	require.NoError(t, err)
	logs, err := f.createLogs(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, traces.Start(t.Context(), componenttest.NewNopHost()))
	shared, err := f.instances.Get(cfg, pipeline.SignalMetrics, nil) // one more that looks at it, and stops first
	require.NoError(t, err)
	require.NoError(t, shared.Shutdown(t.Context()))
	r := &running{inspector: shared.Unwrap(), t: t, base: "http://" + shared.Unwrap().server.Addr().String()}
	require.NoError(t, traces.ConsumeTraces(t.Context(), spansOf(span("s-1", "mcp.tool", 1, 0, 0, 1))))
	require.NoError(t, logs.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, logs.Shutdown(t.Context()))
	res, body := r.get("/_inspector/sessions")
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Contains(t, body, "s-1")
	transport.CloseIdleConnections()
	require.NoError(t, traces.Shutdown(t.Context()))
	_, err = net.Dial("tcp", r.server.Addr().String())
	require.Error(t, err, "the last has stopped")
}

// TestHeadOfTheEventStream: there is no body to wait for.
func TestHeadOfTheEventStream(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 3 { // on one connection
		req, err := http.NewRequestWithContext(ctx, http.MethodHead, r.base+"/_inspector/events", http.NoBody)
		require.NoError(t, err)
		res, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, "text/event-stream; charset=utf-8", res.Header.Get("Content-Type"))
		assert.Contains(t, res.Header.Get("Cache-Control"), "no-transform")
		assert.Zero(t, r.events.Readers())
	}
}

// TestTwoCollectorsOneDirectory: the second one says so instead of cutting off
// what the first writes.
func TestTwoCollectorsOneDirectory(t *testing.T) {
	dir := t.TempDir()
	start(t, configFor(dir))
	second, err := newInspector(exportertest.NewNopSettings(metadata.Type), configFor(dir))
	require.NoError(t, err)
	err = second.Start(t.Context(), componenttest.NewNopHost())
	require.ErrorContains(t, err, "traces_dir "+dir)
	require.NoError(t, second.Shutdown(t.Context()))
}

// TestQueryOfManyStates: each word is looked for once, however often it is there.
func TestQueryOfManyStates(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/?state=failed"+strings.Repeat(",failed", 10_000), http.NoBody)
	require.NoError(t, err)
	q, err := query(req)
	require.NoError(t, err)
	assert.Equal(t, []string{"failed"}, q.States)
}

// TestStoppedWhileReadingOne: half a session is not what the next run shows.
func TestStoppedWhileReadingOne(t *testing.T) {
	dir := t.TempDir()
	first := start(t, configFor(dir))
	first.send(started("long"))
	for i := range 3000 {
		first.send(span("long", fmt.Sprint("step ", i), byte(10+i%200), root, 1, 2))
	}
	first.send(ended("long"))
	before := first.row("long")
	first.close()
	require.NoError(t, os.Remove(filepath.Join(dir, ".sessions.jsonl")))

	i, err := newInspector(exportertest.NewNopSettings(metadata.Type), configFor(dir))
	require.NoError(t, err)
	require.NoError(t, i.Start(t.Context(), componenttest.NewNopHost()))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	i.board.Remove("long")
	require.ErrorIs(t, i.restored.replay(stopped, "long", "long"), context.Canceled)
	_, there := i.board.Row("long")
	assert.False(t, there)
	require.NoError(t, i.Shutdown(t.Context()))

	again := start(t, configFor(dir)).row("long")
	assert.Equal(t, before["span_count"], again["span_count"])
	assert.Equal(t, "done", again["state"])
}
