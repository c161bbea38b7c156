package agents

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// Report is a request that reached the collector.
type Report struct {
	At     int64           `json:"at"` // Unix ms
	Path   string          `json:"path"`
	Status int             `json:"-"`
	Body   json.RawMessage `json:"body"` // OTLP as JSON; what has several lines as an array
}

// watch stands between an agent and the collector, and keeps each request with its time.
// It reads the board several times a second.
type watch struct {
	collector  *collector
	base, otlp string // instead of the collector's
	began      time.Time

	mu      sync.Mutex
	reports []Report
	boards  []board
}

// board holds what the collector showed at a time.
type board struct {
	at   time.Time
	rows []row
}

// boardEvery is the interval at which the board is read.
const boardEvery = 100 * time.Millisecond

func startWatch(t *testing.T, c *collector) *watch {
	t.Helper()
	w := &watch{collector: c, began: time.Now()}
	w.base, w.otlp = w.before(t, c.base), w.before(t, c.otlp)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(boardEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				w.look()
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	return w
}

// before returns the URL of a proxy of a server of the collector.
func (w *watch) before(t *testing.T, target string) string {
	t.Helper()
	to, err := url.Parse(target)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) { rw.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/") {
			w.keep(r)
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (w *watch) keep(r *http.Request) {
	at := time.Now().UnixMilli()
	sent, err := readRaw(r)
	if err != nil {
		return
	}
	body, err := readAll(r)
	r.Body = newBody(sent)
	if err != nil {
		return
	}
	signal := strings.TrimPrefix(r.URL.Path, "/v1/")
	switch signal {
	case "logs", "traces", "metrics":
		if !strings.Contains(r.Header.Get("Content-Type"), "json") {
			body, err = toJSON(signal, body)
		}
	default:
		body, err = array(body)
	}
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reports = append(w.reports, Report{At: at, Path: r.URL.RequestURI(), Body: body})
}

// array is lines of JSON as an array.
func array(lines []byte) ([]byte, error) {
	all := []json.RawMessage{}
	for d := json.NewDecoder(bytes.NewReader(lines)); d.More(); {
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return json.Marshal(all)
}

func (w *watch) look() {
	response, err := http.Get(w.collector.gateway + "/_inspector/sessions?limit=100")
	if err != nil {
		return
	}
	defer response.Body.Close()
	var page struct {
		Sessions []row `json:"sessions"`
	}
	if json.NewDecoder(response.Body).Decode(&page) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.boards = append(w.boards, board{time.Now(), page.Sessions})
}

// main is the row of the agent's own session: the one that did most.
func (b board) main() row { return observed{rows: b.rows}.main() }

// since returns the boards from then on.
func (w *watch) since(from time.Time) []board {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, b := range w.boards {
		if !b.at.Before(from) {
			return w.boards[i:len(w.boards):len(w.boards)]
		}
	}
	return nil
}

// write writes the reports as lines of JSON, as fixtures have them: with what decoders read,
// and with nothing of this machine.
func (w *watch) write(t *testing.T, s *scene, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	host, _ := os.Hostname()
	plain := strings.NewReplacer(
		s.project, "/home/dev/project", s.home, "/home/dev", s.toolserver, "/usr/bin/tools", filepath.Dir(s.home), "/tmp/run",
		strings.ReplaceAll(filepath.Dir(s.home), "/", "-"), "-tmp-run", `"`+host+`"`, `"host"`, harness.Tap(t), "mcptap", s.httpURL, "http://localhost:3000",
		"/$bunfs/"+"root/", "/$bunfs/", // of stack traces of opencode, which looks like a folder of this machine
	)
	w.mu.Lock()
	defer w.mu.Unlock()
	var b bytes.Buffer
	for _, r := range w.reports {
		body, some := relevant(t, r)
		if !some {
			continue
		}
		r.Body = body
		line, err := json.Marshal(r)
		require.NoError(t, err)
		b.WriteString(plain.Replace(string(line)) + "\n")
	}
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
}

// relevant leaves what sessions follow from.
func relevant(t *testing.T, r Report) (body []byte, some bool) {
	t.Helper()
	decoder := registry.New()
	switch {
	case strings.HasPrefix(r.Path, "/v1/metrics"):
		return nil, false
	case strings.HasPrefix(r.Path, "/v1/logs"):
		ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(r.Body)
		require.NoError(t, err)
		for _, rl := range ld.ResourceLogs().All() {
			anonymous(rl.Resource().Attributes())
			for _, sl := range rl.ScopeLogs().All() {
				from := &otlp.Origin{Resource: rl.Resource().Attributes(), Scope: sl.Scope().Name()}
				sl.LogRecords().RemoveIf(func(lr plog.LogRecord) bool {
					report := decoder.Log(from, lr)
					anonymous(lr.Attributes())
					return report == nil || len(report.Events) == 0
				})
			}
			rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool { return sl.LogRecords().Len() == 0 })
		}
		ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool { return rl.ScopeLogs().Len() == 0 })
		body, err = (&plog.JSONMarshaler{}).MarshalLogs(ld)
		require.NoError(t, err)
		return body, ld.LogRecordCount() > 0
	case strings.HasPrefix(r.Path, "/v1/traces"):
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(r.Body)
		require.NoError(t, err)
		for _, rs := range td.ResourceSpans().All() {
			anonymous(rs.Resource().Attributes())
			for _, ss := range rs.ScopeSpans().All() {
				from := &otlp.Origin{Resource: rs.Resource().Attributes(), Scope: ss.Scope().Name()}
				ss.Spans().RemoveIf(func(span ptrace.Span) bool {
					report := decoder.Span(from, span)
					anonymous(span.Attributes())
					return report == nil || len(report.Events) == 0 && !decides.MatchString(span.Name())
				})
			}
			rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool { return ss.Spans().Len() == 0 })
		}
		td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool { return rs.ScopeSpans().Len() == 0 })
		body, err = (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		require.NoError(t, err)
		return body, td.SpanCount() > 0
	}
	return r.Body, true
}

// decides finds spans of the time in which a person decides.
var decides = regexp.MustCompile("approval|permission|blocked")

// ofMachine finds attributes that say who and where somebody is.
var ofMachine = regexp.MustCompile(`^(host|process|os|user|organization|terminal|installation|code|thread\.name|busy_ns|idle_ns)(\.|$)|email|account`)

// long finds attributes that repeat the agent's instructions.
var long = regexp.MustCompile(`description$|system_instructions|definitions|prompt\.tools|prompt\.messages`)

func anonymous(m pcommon.Map) {
	m.RemoveIf(func(key string, v pcommon.Value) bool {
		return ofMachine.MatchString(key) || long.MatchString(key) || v.Type() == pcommon.ValueTypeStr && len(v.Str()) > 4096
	})
}
