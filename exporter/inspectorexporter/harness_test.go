package inspectorexporter

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/metadata"
)

// running is an exporter with a directory and a port of its own.
type running struct {
	*inspector
	t    testing.TB
	base string
}

func configFor(dir string) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = "localhost:0"
	cfg.TracesDir = dir
	return cfg
}

func start(tb testing.TB, cfg *Config) *running {
	tb.Helper()
	return startWith(tb, cfg, componenttest.NewNopHost())
}

func startWith(tb testing.TB, cfg *Config, host component.Host) *running {
	tb.Helper()
	require.NoError(tb, cfg.Validate())
	i, err := newInspector(exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(tb, err)
	require.NoError(tb, i.Start(context.Background(), host))
	r := &running{inspector: i, t: tb, base: "http://" + i.server.Addr().String()}
	tb.Cleanup(r.close)
	return r
}

func (r *running) close() {
	transport.CloseIdleConnections()
	require.NoError(r.t, r.Shutdown(context.Background()))
}

// transport shows answers as they are.
var transport = &http.Transport{DisableCompression: true}

// get is the answer to a request with headers, given as name, value, ….
func (r *running) get(path string, headers ...string) (*http.Response, string) {
	r.t.Helper()
	res := r.do(http.MethodGet, path, headers...)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(r.t, err)
	return res, string(body)
}

func (r *running) do(method, path string, headers ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, http.NoBody)
	require.NoError(r.t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	res, err := transport.RoundTrip(req)
	require.NoError(r.t, err)
	return res
}

// row is a session's row.
func (r *running) row(id string) map[string]any {
	r.t.Helper()
	res, body := r.get("/_inspector/sessions/" + id)
	require.Equal(r.t, http.StatusOK, res.StatusCode, body)
	var row map[string]any
	require.NoError(r.t, json.Unmarshal([]byte(body), &row))
	return row
}

func (r *running) send(spans ...func(ptrace.Span)) {
	r.t.Helper()
	require.NoError(r.t, r.traces(r.t.Context(), spansOf(spans...)))
}

func (r *running) log(records ...func(plog.LogRecord)) {
	r.t.Helper()
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "claude")
	sl := rl.ScopeLogs().AppendEmpty()
	for _, fill := range records {
		fill(sl.LogRecords().AppendEmpty())
	}
	require.NoError(r.t, r.logs(r.t.Context(), ld))
}

func spansOf(spans ...func(ptrace.Span)) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "claude")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("test")
	for _, fill := range spans {
		fill(ss.Spans().AppendEmpty())
	}
	return td
}

// t0 is when sessions of tests begin: now, so that none counts as silent.
var t0 = time.Now().Add(-time.Minute).Truncate(time.Microsecond)

func at(seconds int) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(t0.Add(time.Duration(seconds) * time.Second))
}

// ids of one session's spans
const (
	root = 1
	mark = 2
	call = 3
	wait = 5
)

// span makes one span of a session; from and to are seconds after t0.
func span(session, name string, id, parent byte, from, to int, attributes ...any) func(ptrace.Span) {
	return func(s ptrace.Span) {
		s.SetTraceID(traceOf(session))
		s.SetSpanID(pcommon.SpanID{7: id})
		s.SetParentSpanID(pcommon.SpanID{7: parent})
		s.SetName(name)
		s.SetStartTimestamp(at(from))
		s.SetEndTimestamp(at(to))
		put(s.Attributes(), session, attributes)
	}
}

func traceOf(session string) (id pcommon.TraceID) {
	copy(id[:], session)
	id[15] = 1
	return id
}

func put(m pcommon.Map, session string, pairs []any) {
	if session != "" {
		m.PutStr("session.id", session)
	}
	for i := 0; i < len(pairs); i += 2 {
		v := m.PutEmpty(pairs[i].(string))
		if err := v.FromRaw(pairs[i+1]); err != nil {
			panic(err)
		}
	}
}

func started(session string) func(ptrace.Span) {
	return span(session, "session.start", mark, root, 0, 0,
		"mcp.workflow.type", "host_session", "mcp.session.title", "Fix the build", "mcp.client.name", "claude-code")
}

func ended(session string) func(ptrace.Span) {
	return span(session, "workflow.run", root, 0, 0, 20, "mcp.session.end_reason", "finished")
}

func record(session, event string, id byte, from int, attributes ...any) func(plog.LogRecord) {
	return func(r plog.LogRecord) {
		r.SetTraceID(traceOf(session))
		r.SetSpanID(pcommon.SpanID{7: id})
		r.SetTimestamp(at(from))
		r.SetEventName(event)
		put(r.Attributes(), session, attributes)
	}
}

// state makes a state record of a session that runs; the one with the greatest sequence
// counts.
func state(session string, sequence int, attributes ...any) func(plog.LogRecord) {
	return record(session, "mcp.session.state", root, sequence, append([]any{
		"mcp.session.epoch", 1, "mcp.session.state.sequence", sequence, "mcp.session.state.name", "running",
		"mcp.session.start_time_unix_nano", at(0).AsTime().UnixNano(), "mcp.session.title", "Fix the build", "mcp.client.name", "claude-code",
	}, attributes...)...)
}

// over are the attributes of the last state record of a session.
func over(more ...any) []any {
	return append([]any{
		"mcp.session.state.name", "done", "mcp.status.code", "ok", "mcp.session.end_reason", "finished",
		"mcp.session.end_time_unix_nano", at(20).AsTime().UnixNano(),
	}, more...)
}

// frames reads an event stream.
type frames struct {
	t    testing.TB
	body io.ReadCloser
	in   *bufio.Reader
}

func (r *running) listen(path string, headers ...string) *frames {
	r.t.Helper()
	res := r.do(http.MethodGet, path, headers...)
	require.Equal(r.t, http.StatusOK, res.StatusCode)
	f := &frames{r.t, res.Body, bufio.NewReader(res.Body)}
	r.t.Cleanup(func() { _ = f.body.Close() })
	return f
}

type frame struct {
	id   string
	data map[string]any
}

func (f *frames) next() frame {
	f.t.Helper()
	var out frame
	for {
		line, err := f.in.ReadString('\n')
		require.NoError(f.t, err)
		line = strings.TrimSuffix(line, "\n")
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "":
			return out
		case "id":
			out.id = value
		case "data":
			require.NoError(f.t, json.Unmarshal([]byte(value), &out.data))
		}
	}
}

// until reads up to an event of that type.
func (f *frames) until(kind string) frame {
	f.t.Helper()
	for {
		if got := f.next(); got.data["type"] == kind {
			return got
		}
	}
}
