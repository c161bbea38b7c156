package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is the real handler with an engine of its own. It is the pipeline too,
// which refuses when refuse is set.
type bench struct {
	*handler
	tel *componenttest.Telemetry

	mu     sync.Mutex
	refuse error
	spans  []ptrace.Span
	many   bool // keeps no telemetry
}

// sessionsMax bounds the sessions of a bench.
const sessionsMax = 10

func newBench(tb testing.TB) *bench {
	b := &bench{tel: componenttest.NewTelemetry()}
	tb.Cleanup(func() { _ = b.tel.Shutdown(context.WithoutCancel(tb.Context())) })
	set := receivertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = b.tel.NewTelemetrySettings()
	b.wire(tb, set, sessionsMax)
	return b
}

// newBigBench holds so many sessions and no telemetry, ours or its own.
func newBigBench(tb testing.TB) *bench {
	b := &bench{many: true}
	b.wire(tb, receivertest.NewNopSettings(metadata.Type), manySessions)
	return b
}

func (b *bench) wire(tb testing.TB, set receiver.Settings, sessions int) {
	own, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	require.NoError(tb, err)
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, ReceiverCreateSettings: set})
	require.NoError(tb, err)
	options := &telemetry.Options{
		Inspector: true, OTel: true, Payloads: true, PayloadInspector: true,
		TextBytes: 4096, ScopeName: "test", Names: telemetry.NewNames(100),
	}
	runner := &intake.Runner{
		Engine: session.New(session.Options{
			IdleTimeout: time.Hour, Linger: time.Minute, MaxSessions: sessions, Remember: 24 * time.Hour, MaxSpans: 1 << 30,
			CallTimeout: time.Hour, MaxOpenCalls: 1000, MaxOpenBytes: 1 << 24, ProgressEvents: 4, TextBytes: 4096,
			KeepPayloads: true, DropMethods: map[string]bool{"ping": true},
			MaxPending: 10, Lost: func(string) {}, StuckAfter: time.Hour, StalledAfter: time.Hour,
			NoticesPerSecond: 1 << 30, DedupeKeys: 10, MinLevel: 1,
		}),
		Build: options, Meter: telemetry.NewMeter(options, 100, time.Now()),
		Traces: b, Obs: obs,
		Telemetry: own, Logger: zap.NewNop(),
	}
	b.handler = newHandler(runner, Options{Version: "1.2.3", MaxSessions: sessions, IdleTimeout: time.Hour})
}

func (*bench) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (b *bench) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse != nil {
		return b.refuse
	}
	if b.many {
		return nil
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			b.spans = append(b.spans, span)
		}
	}
	return nil
}

// refuses makes the pipeline refuse, or take again.
func (b *bench) refuses(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = err
}

var errNotNow = errors.New("not now")

// names are the names of all spans so far.
func (b *bench) names() (names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.spans {
		names = append(names, s.Name())
	}
	return names
}

// last is the newest span of that name.
func (b *bench) last(tb testing.TB, name string) ptrace.Span {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, span := range slices.Backward(b.spans) {
		if span.Name() == name {
			return span
		}
	}
	require.FailNow(tb, "no span "+name)
	return ptrace.Span{}
}

// do sends a request as clients do; headers are name, value, name, value …
func (b *bench) do(method, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+Path, strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func (b *bench) post(body string, headers ...string) *httptest.ResponseRecorder {
	return b.do(http.MethodPost, body, headers...)
}

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "MCP-Protocol-Version"
	initialize    = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"7"}}}`
	heartbeatNote = `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`
	list          = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// open is the id of a new session.
func (b *bench) open(tb testing.TB) string {
	w := b.post(initialize)
	require.Equal(tb, http.StatusOK, w.Code, w.Body)
	require.NotEmpty(tb, w.Header().Get(sessionHeader))
	return w.Header().Get(sessionHeader)
}

// reply is a JSON-RPC reply as far as tests look at it.
type reply struct {
	ID     json.RawMessage
	Result struct {
		ProtocolVersion   string
		SupportedVersions []string
		ServerInfo        struct{ Name, Version string }
		Capabilities      map[string]any
		Instructions      string
		Tools             []struct {
			Name        string
			InputSchema struct {
				Properties map[string]struct{ Enum []string }
			}
		}
		IsError           bool
		StructuredContent map[string]any
		ResultType        string
	}
	Error *struct {
		Code    int
		Message string
	}
}

func replyOf(tb testing.TB, w *httptest.ResponseRecorder) (r reply) {
	require.Equal(tb, "application/json", w.Header().Get("Content-Type"), w.Body)
	require.NoError(tb, json.Unmarshal(w.Body.Bytes(), &r), w.Body)
	return r
}
