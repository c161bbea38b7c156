package mcpreceiver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin/zipkinv2"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/internal/guard"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// What messages say. The places of numbers that differ from message to message
// are wide enough for all of them.
const (
	hostBeat = `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working","tokens_used":61200,` +
		`"tokens_limit":200000,"tool_calls_total":17,"elapsed_seconds":312.5,"current_task":"fix the failing build"}}`
	inspectorBeat = `{"type": "Heartbeat", "session_id": "49757271-d177-4d40-9b30-e8f09ed9ca78", "llm_calls_delta": 1, ` +
		`"tokens_delta": 512, "timestamp": "2026-02-19T16:00:00.100000", "event_id": 2}`
	recordStart = `{"time":"2026-02-19T16:00:00.100000001Z","connection":"c-7f3a","session":"49757271-d177-4d40-9b30-e8f09ed9ca78",` +
		`"direction":"%s","transport":"stdio","server":"filesystem","client":"my-agent","message":`
	firstNumber = 100_000_001
)

func recorded(direction, message string) []byte {
	return fmt.Appendf(nil, recordStart+"%s}\n", direction, message)
}

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
	record := recorded("client_to_server", hostBeat)
	return []benchCase{
		{"heartbeat", push.ObservationsPath, "s-1", [][]byte{[]byte(hostBeat)}, 1},
		{"heartbeat-record", push.ObservationsPath, "", [][]byte{record}, 1},
		{"heartbeat-records-100", push.ObservationsPath, "", [][]byte{bytes.Repeat(record, 100)}, 100},
		{"inspector-heartbeat", push.InspectorPath, "", [][]byte{[]byte(inspectorBeat)}, 1},
		callCase("call-5KB", 5_000, textResult(prose)),
		callCase("call-100KB", 100_000, textResult(prose)),
		callCase("call-100KB-ascii", 100_000, textResult(plain)),
		callCase("call-100KB-structured", 100_000, structuredResult),
	}
}

// callCase spends a tenth of the bytes on the arguments.
func callCase(name string, n int, result func(n int) string) benchCase {
	request := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file","arguments":{"text":%s}}}`,
		firstNumber, quotedBytes(prose, n/10))
	reply := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, firstNumber, result(n-n/10))
	bodies := [][]byte{recorded("client_to_server", request), recorded("server_to_client", reply)}
	return benchCase{name, push.ObservationsPath, "", bodies, 1}
}

func textResult(text func(int) string) func(int) string {
	return func(n int) string {
		return `{"content":[{"type":"text","text":` + quotedBytes(text, n) + `}],"isError":false}`
	}
}

func structuredResult(n int) string {
	return `{"content":[{"type":"text","text":"see the structured content"}],"structuredContent":` + structured(n) + `,"isError":false}`
}

// numbered writes n wherever the bodies have the number of the first message.
type numbered struct{ places [][]byte }

func numbersOf(bodies [][]byte) (all numbered) {
	digits := []byte(strconv.Itoa(firstNumber))
	for _, body := range bodies {
		for i := 0; ; i += len(digits) {
			at := bytes.Index(body[i:], digits)
			if at < 0 {
				break
			}
			i += at
			all.places = append(all.places, body[i:i+len(digits)])
		}
	}
	return all
}

func (a numbered) set(n int) {
	for _, place := range a.places {
		for i, v := len(place)-1, n; i >= 0; i, v = i-1, v/10 {
			place[i] = byte('0' + v%10)
		}
	}
}

// BenchmarkReceive takes messages in by all of this receiver behind HTTP (ours)
// and by all of it but the network (handler), beside what the peers' receivers
// do to get the very same spans: decoding alone, without their HTTP.
func BenchmarkReceive(b *testing.B) {
	for _, c := range benchCases() {
		b.Run(c.name, func(b *testing.B) {
			numbers := numbersOf(c.bodies)
			next := firstNumber
			r := newBenchReceiver(b)
			renew := func() {
				next++
				numbers.set(next)
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

// steady is what comes of the case once its session is known.
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
	r, err := newReceiver(set, cfg)
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
	h := &benchHandler{handler: guard.Guard{Loopback: true}.Wrap(mux), reply: &benchReply{header: http.Header{}}}
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
