package mcpreceiver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadatatest"
)

// otlpServer is a receiver of all signals with OTLP alone, made as a collector makes it.
type otlpServer struct {
	http, grpc string // addresses
	tel        *componenttest.Telemetry
	traces     consumertest.TracesSink
	logs       consumertest.LogsSink
	metrics    consumertest.MetricsSink
	all        []component.Component
}

// start starts the receiver with these keys below otlp. With next, spans go there.
func (s *otlpServer) start(t *testing.T, keys map[string]any, next consumer.Traces) {
	t.Helper()
	web, rpc := freePort(t), freePort(t)
	s.http, s.grpc, s.tel = web.Addr().String(), rpc.Addr().String(), componenttest.NewTelemetry()
	require.NoError(t, errors.Join(web.Close(), rpc.Close()))
	cfg := createDefaultConfig().(*Config)
	conf := confmap.NewFromStringMap(map[string]any{
		"http": map[string]any{"enabled": false},
		"otlp": map[string]any{"protocols": map[string]any{
			"grpc": map[string]any{"endpoint": s.grpc},
			"http": map[string]any{"endpoint": s.http, "include_metadata": true},
		}},
	})
	require.NoError(t, conf.Merge(confmap.NewFromStringMap(map[string]any{"otlp": keys})))
	require.NoError(t, conf.Unmarshal(cfg))
	require.NoError(t, confmap.Validate(cfg))
	if next == nil {
		next = &s.traces
	}
	f, set := NewFactory(), metadatatest.NewSettings(s.tel)
	traces, err := f.CreateTraces(t.Context(), set, cfg, next)
	require.NoError(t, err)
	logs, err := f.CreateLogs(t.Context(), set, cfg, &s.logs)
	require.NoError(t, err)
	metrics, err := f.CreateMetrics(t.Context(), set, cfg, &s.metrics)
	require.NoError(t, err)
	s.all = []component.Component{traces, logs, metrics}
	for _, c := range s.all {
		require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	}
}

func (s *otlpServer) stop(t *testing.T) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	for _, c := range s.all {
		require.NoError(t, c.Shutdown(context.WithoutCancel(t.Context())))
	}
	require.NoError(t, s.tel.Shutdown(context.WithoutCancel(t.Context())))
}

// post sends a protobuf body with these headers, and returns the reply.
func (s *otlpServer) post(t *testing.T, method, path string, body []byte, headers map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.http+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-protobuf")
	for key, value := range headers {
		req.Header.Set(key, value)
	}
	req.Host = req.Header.Get("Host")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, errors.Join(err, resp.Body.Close()))
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return resp
}

func foreignSpan() ptrace.Traces {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetName("foreign")
	s.SetTraceID(pcommon.TraceID{9})
	s.SetSpanID(pcommon.SpanID{8})
	s.Attributes().PutStr("a", "b")
	return td
}

func spansBody(t *testing.T, td ptrace.Traces) []byte {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	require.NoError(t, err)
	return body
}

// The OTLP port obeys the rule of the push server: a page whose name was rebound to this
// machine, or one of a foreign origin, is refused; CORS works as configured.
func TestOTLPHostAndOrigin(t *testing.T) {
	var s otlpServer
	s.start(t, map[string]any{"protocols": map[string]any{"http": map[string]any{
		"cors": map[string]any{"allowed_origins": []any{"https://app.example"}},
	}}}, nil)
	body := spansBody(t, foreignSpan())
	for name, c := range map[string]struct {
		headers map[string]string
		want    int
	}{
		"a program":        {nil, http.StatusOK},
		"a rebound name":   {map[string]string{"Host": "evil.example:4328"}, http.StatusForbidden},
		"a foreign page":   {map[string]string{"Origin": "https://evil.example"}, http.StatusForbidden},
		"both":             {map[string]string{"Host": "evil.example", "Origin": "http://evil.example"}, http.StatusForbidden},
		"an allowed page":  {map[string]string{"Origin": "https://app.example"}, http.StatusOK},
		"localhost itself": {map[string]string{"Host": "localhost:4328", "Origin": "http://localhost:4328"}, http.StatusOK},
	} {
		resp := s.post(t, http.MethodPost, "/v1/traces", body, c.headers)
		assert.Equal(t, c.want, resp.StatusCode, name)
		if origin := c.headers["Origin"]; origin == "https://app.example" {
			assert.Equal(t, origin, resp.Header.Get("Access-Control-Allow-Origin"))
		}
	}
	preflight := s.post(t, http.MethodOptions, "/v1/traces", nil, map[string]string{
		"Origin": "https://app.example", "Access-Control-Request-Method": "POST",
	})
	assert.Equal(t, http.StatusNoContent, preflight.StatusCode)
	assert.Equal(t, "https://app.example", preflight.Header.Get("Access-Control-Allow-Origin"))
	s.stop(t)
	assert.Equal(t, 3, s.traces.SpanCount())
}

// metadataSink remembers the metadata of the last request.
type metadataSink struct {
	consumertest.TracesSink
	tenant []string
}

func (s *metadataSink) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if tenant := client.FromContext(ctx).Metadata.Get("x-tenant"); tenant != nil {
		s.tenant = tenant
	}
	return s.TracesSink.ConsumeTraces(ctx, td)
}

// What is no agent's passes as it is, with the metadata of its client; what an agent
// sends has it too.
func TestOTLPPasses(t *testing.T) {
	for name, agents := range map[string]bool{"foreign": false, "agent": true} {
		t.Run(name, func(t *testing.T) {
			var s otlpServer
			var sink metadataSink
			s.start(t, nil, &sink)
			sent := foreignSpan()
			if agents {
				m := sent.ResourceSpans().At(0).ScopeSpans().At(0).Spans().AppendEmpty()
				m.SetTraceID(pcommon.TraceID{7})
				m.SetSpanID(pcommon.SpanID{6})
				m.SetName("chat gpt-5")
				m.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Now()))
				m.Attributes().PutStr("gen_ai.conversation.id", "c-1")
				m.Attributes().PutStr("gen_ai.operation.name", "chat")
			}
			resp := s.post(t, http.MethodPost, "/v1/traces", spansBody(t, sent), map[string]string{"X-Tenant": "acme"})
			assert.Equal(t, http.StatusOK, resp.StatusCode)
			assert.Equal(t, []string{"acme"}, sink.tenant)
			got := sink.AllTraces()[0]
			if !agents {
				assert.Equal(t, sent, got)
			}
			assert.Equal(t, foreignSpan().ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0),
				got.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0))
			s.stop(t)
		})
	}
}

// An agent's record becomes a session over either protocol, and passes on.
func TestOTLPMakesSessions(t *testing.T) {
	var s otlpServer
	s.start(t, nil, nil)
	record := func(session string) plogotlp.ExportRequest {
		ld := plog.NewLogs()
		sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
		sl.Scope().SetName("com.anthropic.claude_code.events")
		lr := sl.LogRecords().AppendEmpty()
		lr.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		lr.Attributes().PutStr("event.name", "user_prompt")
		lr.Attributes().PutStr("session.id", session)
		lr.Attributes().PutStr("prompt", "go")
		return plogotlp.NewExportRequestFromLogs(ld)
	}
	body, err := record("by-http").MarshalProto()
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, s.post(t, http.MethodPost, "/v1/logs", body, nil).StatusCode)
	conn := s.dial(t)
	_, err = plogotlp.NewGRPCClient(conn).Export(t.Context(), record("by-grpc"))
	require.NoError(t, errors.Join(err, conn.Close()))
	metadatatest.AssertEqualMcpReceiverAgentItems(t, s.tel, single(2, "agent", "claude-code", "signal", "logs"), metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
	s.stop(t)
	var sessions []string
	for _, td := range s.traces.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, span := range rs.ScopeSpans().At(0).Spans().All() {
				if id, _ := span.Attributes().Get("session.id"); span.Name() == "workflow.run" {
					sessions = append(sessions, id.Str())
				}
			}
		}
	}
	assert.ElementsMatch(t, []string{"by-http", "by-grpc"}, sessions)
}

// With sessions: pass, what agents send passes unchanged and makes no session: another collector
// has derived it already, and its own spans and records must not be derived from again.
func TestOTLPPassesSessions(t *testing.T) {
	var s otlpServer
	s.start(t, map[string]any{"sessions": "pass"}, nil)
	td := foreignSpan()
	span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	span.SetName("chat gpt-5")
	span.Attributes().PutStr("gen_ai.conversation.id", "c-1")
	span.Attributes().PutStr("gen_ai.operation.name", "chat")
	ld := plog.NewLogs()
	sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	sl.Scope().SetName("com.anthropic.claude_code.events")
	lr := sl.LogRecords().AppendEmpty()
	lr.Attributes().PutStr("event.name", "user_prompt")
	lr.Attributes().PutStr("session.id", "c-1")
	logs, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, s.post(t, http.MethodPost, "/v1/traces", spansBody(t, td), nil).StatusCode)
	assert.Equal(t, http.StatusOK, s.post(t, http.MethodPost, "/v1/logs", logs, nil).StatusCode)
	s.stop(t)
	assert.Equal(t, []ptrace.Traces{td}, s.traces.AllTraces())
	assert.Equal(t, []plog.Logs{ld}, s.logs.AllLogs())
}

func (s *otlpServer) dial(t *testing.T) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(s.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	return conn
}

// What a pipeline refuses is answered as the OTLP receiver answers it.
func TestOTLPRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		http int
		grpc codes.Code
	}{
		"for now":   {errors.New("not now"), http.StatusServiceUnavailable, codes.Unavailable},
		"too much":  {status.Error(codes.ResourceExhausted, "too much"), http.StatusTooManyRequests, codes.ResourceExhausted},
		"permanent": {consumererror.NewPermanent(errors.New("never")), http.StatusInternalServerError, codes.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			var s otlpServer
			s.start(t, nil, consumertest.NewErr(c.err))
			assert.Equal(t, c.http, s.post(t, http.MethodPost, "/v1/traces", spansBody(t, foreignSpan()), nil).StatusCode)
			conn := s.dial(t)
			_, err := ptraceotlp.NewGRPCClient(conn).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(foreignSpan()))
			assert.Equal(t, c.grpc, status.Code(err))
			require.NoError(t, conn.Close())
			s.stop(t)
		})
	}
}

// Metrics are accepted, and counted or passed.
func TestOTLPMetrics(t *testing.T) {
	md := pmetric.NewMetrics()
	points := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints()
	points.AppendEmpty().SetIntValue(1)
	points.AppendEmpty().SetIntValue(2)
	body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
	require.NoError(t, err)
	for mode, passed := range map[string]int{"": 0, "drop": 0, "pass": 2} {
		var s otlpServer
		keys := map[string]any{}
		if mode != "" {
			keys["metrics"] = mode
		}
		s.start(t, keys, nil)
		assert.Equal(t, http.StatusOK, s.post(t, http.MethodPost, "/v1/metrics", body, nil).StatusCode)
		if passed == 0 {
			metadatatest.AssertEqualMcpReceiverOtlpDroppedItems(t, s.tel, single(2, "signal", "metrics"), metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
		}
		assert.Equal(t, passed, s.metrics.DataPointCount(), mode)
		s.stop(t)
	}
}

// A port in use is an error that names it and its key.
func TestOTLPPortInUse(t *testing.T) {
	used := freePort(t)
	defer used.Close()
	cfg := quiet()
	conf := confmap.NewFromStringMap(map[string]any{"otlp": map[string]any{"protocols": map[string]any{
		"http": map[string]any{"endpoint": used.Addr().String()},
	}}})
	require.NoError(t, conf.Unmarshal(cfg))
	r := assemble(t, cfg, &gate{})
	err := r.Start(t.Context(), componenttest.NewNopHost())
	require.ErrorContains(t, err, used.Addr().(*net.TCPAddr).String())
	require.ErrorContains(t, err, "receivers::"+r.set.ID.String()+"::otlp: ")
	require.NoError(t, r.Shutdown(t.Context()))
	assert.NotContains(t, strings.ToLower(err.Error()), "panic")
}

// A socket has no host that a page could name.
func TestOTLPOnASocket(t *testing.T) {
	cfg, path := quiet(), filepath.Join(t.TempDir(), "otlp.sock")
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"otlp": map[string]any{"protocols": map[string]any{
		"http": map[string]any{"endpoint": path, "transport": "unix"},
	}}}).Unmarshal(cfg))
	r := assemble(t, cfg, &gate{})
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	unix := http.Client{Transport: &http.Transport{DialContext: dial}}
	resp, err := unix.Post("http://collector/v1/traces", "application/x-protobuf", bytes.NewReader(spansBody(t, foreignSpan())))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	unix.CloseIdleConnections()
	require.NoError(t, r.Shutdown(t.Context()))
}

func TestOTLPConfigThatCannotWork(t *testing.T) {
	for want, keys := range map[string]map[string]any{
		"otlp: protocols must have at least one of grpc and http":        {},
		`otlp: metrics: "keep" is unknown, choose from drop and pass`:    {"protocols": map[string]any{"http": nil}, "metrics": "keep"},
		`otlp: sessions: "keep" is unknown, choose from derive and pass`: {"protocols": map[string]any{"http": nil}, "sessions": "keep"},
	} {
		cfg := createDefaultConfig().(*Config)
		require.NoError(t, confmap.NewFromStringMap(map[string]any{"otlp": keys}).Unmarshal(cfg))
		require.ErrorContains(t, confmap.Validate(cfg), want)
	}
}
