package mcpreceiver

import (
	"bytes"
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin/zipkinv2"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
	"github.com/otelcol-mcp/otelcol-mcp/internal/httpserver"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// benchCase is a message, or a pair of them, each in a body of its own, or a
// body full of messages.
type benchCase struct {
	name   string
	path   string
	header string // names the session, for a body that does not
	bodies [][]byte
	spans  int
}

func benchCases() []benchCase {
	record := payload.BeatRecord()
	return []benchCase{
		{"heartbeat", push.ObservationsPath, "s-1", [][]byte{[]byte(payload.HostBeat)}, 1},
		{"heartbeat-record", push.ObservationsPath, "", [][]byte{record}, 1},
		{"heartbeat-records-100", push.ObservationsPath, "", [][]byte{bytes.Repeat(record, 100)}, 100},
		{"inspector-heartbeat", push.InspectorPath, "", [][]byte{[]byte(payload.InspectorBeat)}, 1},
		callCase("call-5KB", 5_000, payload.TextResult(payload.Prose)),
		callCase("call-100KB", 100_000, payload.TextResult(payload.Prose)),
		callCase("call-100KB-ascii", 100_000, payload.TextResult(payload.Plain)),
		callCase("call-100KB-structured", 100_000, payload.StructuredResult),
	}
}

func callCase(name string, n int, result func(n int) string) benchCase {
	request, reply := payload.Call(n, result)
	return benchCase{name, push.ObservationsPath, "", [][]byte{request, reply}, 1}
}

// BenchmarkReceive takes messages in by all of this receiver behind HTTP (ours)
// and by all of it but the network (handler), beside what the peers' receivers
// do to get the very same spans: decoding alone, without their HTTP.
func BenchmarkReceive(b *testing.B) {
	for _, c := range benchCases() {
		b.Run(c.name, func(b *testing.B) {
			numbers := payload.NumbersOf(c.bodies...)
			next := payload.FirstNumber
			r := newBenchReceiver(b)
			renew := func() {
				next++
				numbers.Set(next)
			}
			td := steady(b, r, &c, renew)
			b.Run("ours", func(b *testing.B) {
				cputime.Loop(b, func() {
					renew()
					r.takeAll(b, &c)
				})
			})
			h := newBenchHandler(r, &c)
			b.Run("handler", func(b *testing.B) {
				cputime.Loop(b, func() {
					renew()
					h.post(b)
				})
			})
			benchPeers(b, td)
		})
	}
}

// steady returns what comes of the case once its session is known.
func steady(b *testing.B, r *benchReceiver, c *benchCase, renew func()) ptrace.Traces {
	renew()
	r.takeAll(b, c)
	renew()
	td := r.takeAll(b, c)
	require.Equal(b, c.spans, td.SpanCount())
	return td
}

type benchReceiver struct{ *mcpReceiver }

func newBenchReceiver(b *testing.B) *benchReceiver {
	set := receivertest.NewNopSettings(metadata.Type)
	set.MeterProvider = componenttest.NewTelemetry().NewTelemetrySettings().MeterProvider // counting is not free
	set.BuildInfo.Version = "1.0.0"
	cfg := createDefaultConfig().(*Config)
	cfg.Limits.NoticesPerSecond = math.MaxInt // or what is measured is how notices are dropped
	r, err := newReceiver(set, cfg, newDecoder)
	require.NoError(b, err)
	return &benchReceiver{r}
}

// takeAll is the telemetry that the case's last body gives.
func (r *benchReceiver) takeAll(b *testing.B, c *benchCase) (td ptrace.Traces) {
	take := push.HandleObservations
	if c.path == push.InspectorPath {
		take = push.HandleEvents
	}
	for _, body := range c.bodies {
		td = r.take(b, take, c.header, body)
	}
	return td
}

// handle is [intake.Runner.Run] without the component's own telemetry, which the
// peers' receivers have as well.
func (r *benchReceiver) take(b *testing.B, take benchHandle, session string, body []byte) ptrace.Traces {
	now := time.Now().UnixNano()
	batch := telemetry.NewBatch(r.runner.Build, now)
	tx := r.runner.Engine.Begin(now, batch, nil)
	if err := take(b.Context(), tx, now, session, body); err != nil {
		b.Fatal(err)
	}
	tx.Finish()
	td, _ := batch.Traces()
	tx.Commit()
	tx.Release()
	batch.Release()
	return td
}

type benchHandle = func(ctx context.Context, tx *session.Tx, now int64, session string, body []byte) error

// benchHandler posts without a network.
type benchHandler struct {
	handler  http.Handler
	bodies   []*bytes.Reader
	requests []*http.Request
	reply    *benchReply
}

func newBenchHandler(r *benchReceiver, c *benchCase) *benchHandler {
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	h := &benchHandler{handler: httpserver.Guard{Loopback: true}.Wrap(mux), reply: &benchReply{header: http.Header{}}}
	for _, body := range c.bodies {
		request := httptest.NewRequest(http.MethodPost, "http://localhost:4319"+c.path, bytes.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		if c.header != "" {
			request.Header.Set("X-Session-Id", c.header)
		}
		reader := bytes.NewReader(body)
		request.Body = io.NopCloser(reader)
		h.requests, h.bodies = append(h.requests, request), append(h.bodies, reader)
	}
	return h
}

func (h *benchHandler) post(b *testing.B) {
	for i, request := range h.requests {
		_, _ = h.bodies[i].Seek(0, io.SeekStart)
		h.handler.ServeHTTP(h.reply, request)
		if h.reply.status != http.StatusAccepted {
			b.Fatal(h.reply.status)
		}
	}
}

type benchReply struct {
	header http.Header
	status int
}

func (r *benchReply) Header() http.Header         { return r.header }
func (r *benchReply) Write(p []byte) (int, error) { return len(p), nil }
func (r *benchReply) WriteHeader(status int)      { r.status = status }

// benchPeers decodes the same spans from what others would send.
func benchPeers(b *testing.B, td ptrace.Traces) {
	export := ptraceotlp.NewExportRequestFromTraces(td)
	proto, err := export.MarshalProto()
	require.NoError(b, err)
	text, err := export.MarshalJSON()
	require.NoError(b, err)
	zipkin, err := zipkinv2.NewJSONTracesMarshaler().MarshalTraces(td)
	require.NoError(b, err)
	unzipkin := zipkinv2.NewJSONTracesUnmarshaler(false)
	benchDecode(b, "otlp-protobuf", func() (ptrace.Traces, error) {
		request := ptraceotlp.NewExportRequest()
		err := request.UnmarshalProto(proto)
		return request.Traces(), err
	})
	benchDecode(b, "otlp-json", func() (ptrace.Traces, error) {
		request := ptraceotlp.NewExportRequest()
		err := request.UnmarshalJSON(text)
		return request.Traces(), err
	})
	benchDecode(b, "zipkin-json", func() (ptrace.Traces, error) { return unzipkin.UnmarshalTraces(zipkin) })
}

func benchDecode(b *testing.B, name string, decode func() (ptrace.Traces, error)) {
	b.Run(name, func(b *testing.B) {
		cputime.Loop(b, func() {
			td, err := decode()
			if err != nil || td.SpanCount() == 0 {
				b.Fatal(err)
			}
		})
	})
}
