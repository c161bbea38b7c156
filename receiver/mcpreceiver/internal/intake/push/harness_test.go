package push

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

const ndjson = "application/x-ndjson"

// sink keeps what it takes; it refuses when refuse says so.
type sink struct {
	traces []ptrace.Traces
	refuse func() error
}

func (*sink) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (s *sink) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	if s.refuse != nil {
		if err := s.refuse(); err != nil {
			return err
		}
	}
	s.traces = append(s.traces, td)
	return nil
}

// bench is the real handler with an engine of its own.
type bench struct {
	http.Handler
	runner *intake.Runner
	sink   *sink
}

// instruments are made once: fuzzing makes many benches.
var instruments = sync.OnceValues(func() (*metadata.TelemetryBuilder, *receiverhelper.ObsReport) {
	set := receivertest.NewNopSettings(metadata.Type)
	own, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	obs, obsErr := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, ReceiverCreateSettings: set})
	if err = errors.Join(err, obsErr); err != nil {
		panic(err)
	}
	return own, obs
})

func newBench() *bench {
	own, obs := instruments()
	s := &sink{}
	options := &telemetry.Options{
		Inspector: true, OTel: true, Payloads: true, PayloadInspector: true, PayloadOTel: true,
		TextBytes: 4096, ScopeName: "test", Names: telemetry.NewNames(100),
	}
	b := &bench{sink: s, runner: &intake.Runner{
		Engine: session.New(session.Options{
			Traits:      registry.Traits,
			IdleTimeout: time.Hour, Linger: time.Minute, MaxSessions: 100, Remember: 24 * time.Hour, MaxSpans: 1000,
			CallTimeout: time.Hour, MaxOpenCalls: 1000, MaxOpenBytes: 1 << 24, ProgressEvents: 4, TextBytes: 4096,
			KeepPayloads: true, KeepEnvelopes: true, DropMethods: map[string]bool{"ping": true},
			MaxPending: 10, Lost: func(string) {}, StuckAfter: time.Hour, StalledAfter: time.Hour,
			NoticesPerSecond: 1000, DedupeKeys: 10, MinLevel: 1,
		}),
		Build: options, Meter: telemetry.NewMeter(options, 100, time.Now()),
		Traces: s, Obs: obs,
		Telemetry: own, Logger: zap.NewNop(),
	}}
	mux := http.NewServeMux()
	Register(mux, b.runner)
	b.Handler = mux
	return b
}

func (b *bench) post(path, media string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://localhost"+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// drain ends all that is open.
func (b *bench) drain(tb testing.TB) {
	b.sink.refuse = nil
	for more, err := true, error(nil); more; {
		more, err = b.runner.Sweep(tb.Context(), true)
		require.NoError(tb, err)
	}
	require.Equal(tb, store.Sizes{}, b.runner.Engine.Sizes())
}

// dump is everything that was delivered, as JSON: ids, which are random where nothing
// names a session, have none of the letters that tests look for.
func (b *bench) dump(tb testing.TB) []byte {
	var all bytes.Buffer
	for _, td := range b.sink.traces {
		text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		require.NoError(tb, err)
		all.Write(text)
	}
	return all.Bytes()
}
