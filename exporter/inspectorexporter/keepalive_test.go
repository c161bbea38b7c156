package inspectorexporter

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/metadata"
)

// frameTimes is a client that notes when frames come.
type frameTimes struct {
	header http.Header
	at     []time.Time
	text   strings.Builder
}

func (f *frameTimes) Header() http.Header            { return f.header }
func (*frameTimes) WriteHeader(int)                  {}
func (*frameTimes) Flush()                           {}
func (*frameTimes) SetWriteDeadline(time.Time) error { return nil }
func (f *frameTimes) Write(p []byte) (n int, err error) {
	f.at = append(f.at, time.Now())
	return f.text.Write(p)
}

func (f *frameTimes) longestPause(from, to time.Time) (longest time.Duration) {
	for _, at := range append(f.at, to) {
		longest, from = max(longest, at.Sub(from)), at
	}
	return longest
}

// TestAFrameAtLeastEvery15Seconds: also while rows change of which this stream
// tells nothing, and whatever their pace.
func TestAFrameAtLeastEvery15Seconds(t *testing.T) {
	for _, path := range []string{"/_inspector/events", "/_inspector/events?view=board"} {
		for _, pace := range []time.Duration{50 * time.Millisecond, time.Second, 5 * time.Second, 14*time.Second + 999*time.Millisecond, time.Hour} {
			t.Run(path+" "+pace.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { listenFor(t, path, pace) })
			})
		}
	}
}

func listenFor(t *testing.T, path string, pace time.Duration) {
	i, err := newInspector(exportertest.NewNopSettings(metadata.Type), createDefaultConfig().(*Config))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	g := &gateway{shown: &i.shown}
	client := &frameTimes{header: http.Header{}}
	started := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.stream(client, httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody))
	}()
	const listened = 125 * time.Second
	for time.Since(started)+pace <= listened {
		time.Sleep(pace) // of the bubble's clock
		i.board.Span(pcommon.NewResource(), busySpan(), "")
		i.events.Rouse()
	}
	time.Sleep(time.Until(started.Add(listened)))
	cancel()
	<-done
	require.NoError(t, i.Shutdown(t.Context()))
	assert.LessOrEqual(t, client.longestPause(started, time.Now()), 15*time.Second)
	if !strings.Contains(path, "board") {
		assert.LessOrEqual(t, strings.Count(client.text.String(), `"Heartbeat"`), 10, "no more than needed")
	}
}

// busySpan is a call of a session that was announced before.
func busySpan() ptrace.Span {
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{1})
	s.SetName("tool.call")
	s.Attributes().PutStr("session.id", "busy")
	return s
}

// TestAHeartbeatEvery15SecondsASession: with what was seen since.
func TestAHeartbeatEvery15SecondsASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, err := newInspector(exportertest.NewNopSettings(metadata.Type), createDefaultConfig().(*Config))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { i.tick(ctx); close(done) }()
		first := i.events.Next()
		for k := range 45 {
			r := plog.NewLogRecord()
			state("s-1", 1+k, "mcp.summary.tool_calls", 1+k)(r)
			i.board.Log(pcommon.NewResource(), r, "")
			time.Sleep(time.Second) // of the bubble's clock
		}
		time.Sleep(500 * time.Millisecond)
		cancel()
		<-done
		require.NoError(t, i.Shutdown(t.Context()))
		var deltas []float64
		i.events.From(first, func(_ int64, event []byte) bool {
			var e struct {
				Type  string
				Tools float64 `json:"tool_calls_delta"`
			}
			require.NoError(t, json.Unmarshal(event, &e))
			assert.Equal(t, "Heartbeat", e.Type)
			deltas = append(deltas, e.Tools)
			return true
		})
		require.Len(t, deltas, 3)
		assert.InDelta(t, 45, deltas[0]+deltas[1]+deltas[2], 0, "each call once")
		assert.InDelta(t, 15, deltas[0], 1)
	})
}
