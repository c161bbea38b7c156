package mcpreceiver

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// fakeInspector is not an Inspector: none was ever released. It sends what the
// reference implementation was seen to send, byte for byte: no event lines, ids
// that start again at 1 with the process, two starts for one session.
type fakeInspector struct {
	*httptest.Server
	connections chan chan string // each takes frames until it is closed

	mu       sync.Mutex
	sessions string
	writer   string            // of an exporter of ours
	pages    map[string]string // of an exporter of ours, by cursor
	traces   map[string]string
	lastID   []string // headers of the connections
}

func newFakeInspector(t *testing.T) *fakeInspector {
	f := &fakeInspector{connections: make(chan chan string), sessions: `{"sessions":[]}`, traces: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_inspector/events", f.events)
	mux.HandleFunc("GET /_inspector/sessions", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if next, ok := f.pages[r.URL.Query().Get("cursor")]; ok {
			_, _ = w.Write([]byte(next))
			return
		}
		_, _ = w.Write([]byte(f.sessions))
	})
	mux.HandleFunc("GET /_inspector/trace/{id}", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		text, ok := f.traces[r.PathValue("id")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeInspector) events(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.lastID = append(f.lastID, r.Header.Get("Last-Event-ID"))
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	flush := http.NewResponseController(w)
	f.mu.Lock()
	connected := `{"type": "Connected", "message": "Connected to Inspector event stream"}`
	if f.writer != "" {
		connected = fmt.Sprintf(`{"type": "Connected", "writer_id": %q}`, f.writer)
	}
	f.mu.Unlock()
	_, _ = fmt.Fprint(w, "data: "+connected+"\nretry: 10\n\n")
	_ = flush.Flush()
	frames := make(chan string)
	select {
	case f.connections <- frames:
	case <-r.Context().Done():
		return
	}
	for {
		select {
		case frame, ok := <-frames:
			if !ok {
				return
			}
			_, _ = fmt.Fprint(w, frame)
			_ = flush.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (f *fakeInspector) say(list string, traces map[string]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions = list
	maps.Copy(f.traces, traces)
}

func frame(id int, data string) string {
	return fmt.Sprintf("id: %d\ndata: %s\nretry: 10\n\n", id, strings.TrimSuffix(data, "}")+fmt.Sprintf(`, "event_id": %d}`, id))
}

// names are the spans' names in order, once each kind of session they are of.
func (s *refusingSink) names() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, span := range spansOf(s.traces) {
		names = append(names, span.Name())
	}
	return names
}

func spansOf(td ptrace.Traces) (spans []ptrace.Span) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				spans = append(spans, span)
			}
		}
	}
	return spans
}

func (s *refusingSink) count(name string) (n int) {
	for _, has := range s.names() {
		if has == name {
			n++
		}
	}
	return n
}

func startSources(t *testing.T, cfg *Config, host component.Host) (*mcpReceiver, *refusingSink) {
	sink := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
	r := assemble(t, cfg, sink)
	require.NoError(t, r.Start(t.Context(), host))
	t.Cleanup(func() { _ = r.Shutdown(context.WithoutCancel(t.Context())) })
	return r, sink
}

func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	require.Eventually(t, check, 20*time.Second, 5*time.Millisecond, what)
}

func watching(f *fakeInspector, fetch bool) *Config {
	cfg := quiet()
	client := confighttp.NewDefaultClientConfig()
	client.Endpoint = f.URL + "/_inspector/events"
	cfg.Inspector = []InspectorConfig{{ClientConfig: client, FetchTraces: fetch}}
	return cfg
}

func TestReadsTheStream(t *testing.T) {
	f := newFakeInspector(t)
	r, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "billing Session", "start_time": "2025-08-02T09:31:07.204518", "timestamp": "2025-08-02T09:31:07.204531"}`)
	frames <- frame(2, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "Orchestrator", "start_time": "2025-08-02T09:31:07.3", "timestamp": "2025-08-02T09:31:07.3"}`)
	frames <- "data: {\"type\": \"Heartbeat\", \"timestamp\": \"2025-08-02T09:31:37.209000\"}\nretry: 10\n\n"
	frames <- frame(3, `{"type": "WaitingOnSignal", "session_id": "s-1", "signal_name": "approve", "timestamp": "2025-08-02T09:31:08"}`)
	frames <- frame(3, `{"type": "WaitingOnSignal", "session_id": "s-1", "signal_name": "approve", "timestamp": "2025-08-02T09:31:08"}`)
	frames <- "data: not json\n\n"
	frames <- "data: {\"type\":\"SessionStarted\",\"session_id\":\"" + strings.Repeat("x", 1025) + "\"}\n\n"
	frames <- frame(4, `{"type": "SessionFinished", "session_id": "s-1", "status": "failed", "end_time": "2025-08-02T09:31:09", "timestamp": "2025-08-02T09:31:09"}`)
	frames <- frame(5, `{"type": "SessionFinished", "session_id": "s-1", "status": "completed", "end_time": "2025-08-02T09:31:10", "timestamp": "2025-08-02T09:31:10"}`)
	eventually(t, "the session ends", func() bool { return sink.count("workflow.run") == 1 })
	require.NoError(t, r.Shutdown(t.Context()))
	assert.Equal(t, []string{"session.start", "signal.start", "signal.wait", "session.summary", "workflow.run"}, sink.names())
	root := spansOf(sink.traces)[4]
	assert.Equal(t, ptrace.StatusCodeError, root.Status().Code(), "the worst status wins")
	assert.Equal(t, "2025-08-02T09:31:07.204518Z", root.StartTimestamp().AsTime().Format(time.RFC3339Nano))
}

// TestAFrameThatIsTooLong is left out; what is behind it is read on the same
// connection, since on another one the server would send it again.
func TestAFrameThatIsTooLong(t *testing.T) {
	f := newFakeInspector(t)
	_, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "long", "title": "`+strings.Repeat("x", 21<<20)+`"}`)
	frames <- frame(2, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x"}`)
	close(frames)
	eventually(t, "what is behind it", func() bool { return sink.count("session.start") == 1 })
	<-f.connections
	f.mu.Lock()
	defer f.mu.Unlock()
	assert.Equal(t, []string{"", "2"}, f.lastID)
}

func TestAnInspectorThatStartsAgain(t *testing.T) {
	f := newFakeInspector(t)
	_, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	frames := <-f.connections
	for i := range 3 {
		frames <- frame(i+1, fmt.Sprintf(`{"type": "SessionStarted", "session_id": "old-%d", "engine": "asyncio", "title": "x", "start_time": "2025-08-02T09:31:0%d"}`, i, i))
	}
	f.say(`{"sessions":[{"id":"old-0","status":"failed","ended_at":"2025-08-02T09:40:00Z"},
		{"id":"missed","status":"running","engine":"temporal","title":"Missed","started_at":"2025-08-02T09:39:00Z"},
		{"id":"unknown","status":"completed"}]}`, nil)
	close(frames)
	frames = <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "new", "engine": "asyncio", "title": "y", "start_time": "2025-08-02T09:41:00"}`)
	eventually(t, "ids of another process are new", func() bool { return sink.count("session.start") == 5 })
	assert.Equal(t, 1, sink.count("workflow.run"), "the end that was missed is found in the list")
	f.mu.Lock()
	defer f.mu.Unlock()
	assert.Equal(t, []string{"", "3"}, f.lastID, "an exporter of ours sends again what was missed")
}

// TestEventsThatAreMissing in the stream are looked for in the list.
func TestEventsThatAreMissing(t *testing.T) {
	f := newFakeInspector(t)
	_, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x", "start_time": "2025-08-02T09:31:00"}`)
	f.say(`{"sessions":[{"id":"s-1","status":"failed","ended_at":"2025-08-02T09:40:00Z"},{"id":"s-2","status":"running","started_at":"2025-08-02T09:41:00Z"}]}`, nil)
	frames <- frame(7, `{"type": "Heartbeat", "session_id": "s-2", "llm_calls_delta": 0, "tokens_delta": 0}`)
	frames <- "data: {\"type\": \"Heartbeat\", \"timestamp\": \"2025-08-02T09:41:37.209000\"}\nretry: 10\n\n"
	eventually(t, "what was missed", func() bool { return sink.count("workflow.run") == 1 && sink.count("session.start") == 2 })
}

// TestALongListOfSessions: an exporter of ours gives a page at a time.
func TestALongListOfSessions(t *testing.T) {
	f := newFakeInspector(t)
	f.pages = map[string]string{"2": `{"sessions":[{"id":"older","status":"running","started_at":"2025-08-02T09:31:00Z"}],"next_cursor":"3"}`, "3": `{"sessions":[]}`}
	f.say(`{"sessions":[{"id":"newer","status":"running","started_at":"2025-08-02T09:32:00Z"}],"next_cursor":"2"}`, nil)
	_, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	eventually(t, "sessions of all pages", func() bool { return sink.count("session.start") == 2 })
}

// TestAnInspectorThatIsNotReady answers anything while it starts, as the proxy in
// front of one does.
func TestAnInspectorThatIsNotReady(t *testing.T) {
	f := newFakeInspector(t)
	ready := f.Config.Handler
	var refused atomic.Int32
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") && refused.Add(1) <= 3 {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		ready.ServeHTTP(w, r)
	})
	_, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x"}`)
	eventually(t, "it is read in the end", func() bool { return sink.count("session.start") == 1 })
}

// TestStartsBetweenTheConnectionAndTheList are both in the list and in the stream.
func TestStartsBetweenTheConnectionAndTheList(t *testing.T) {
	f := newFakeInspector(t)
	f.say(`{"sessions":[{"id":"s-1","status":"running","engine":"asyncio","title":"x","started_at":"2025-08-02T09:31:07.204518"}]}`, nil)
	_, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x", "start_time": "2025-08-02T09:31:07.204518", "timestamp": "2025-08-02T09:31:07.204531"}`)
	frames <- frame(2, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "y", "start_time": "2025-08-02T09:31:08", "timestamp": "2025-08-02T09:31:08"}`)
	frames <- frame(3, `{"type": "SessionFinished", "session_id": "s-1", "status": "completed", "end_time": "2025-08-02T09:31:09", "timestamp": "2025-08-02T09:31:09"}`)
	frames <- frame(4, `{"type": "WaitingOnSignal", "session_id": "s-1", "signal_name": "approve", "timestamp": "2025-08-02T09:31:10"}`)
	eventually(t, "it is open after the first finish", func() bool { return sink.count("signal.start") == 1 })
	assert.Zero(t, sink.count("workflow.run"))
	frames <- frame(5, `{"type": "SessionFinished", "session_id": "s-1", "status": "completed", "end_time": "2025-08-02T09:31:11", "timestamp": "2025-08-02T09:31:11"}`)
	eventually(t, "the session ends", func() bool { return sink.count("workflow.run") == 1 })
}

const fileRoot = `{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"b1816ef466f6425b","name":"workflow.run","start_time":"2025-08-02T09:31:07Z","end_time":"2025-08-02T09:31:19Z","attributes":{"session.id":"s-1"},"status":{"status_code":"OK"},"events":[]}`

const fileTool = `{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"a1816ef466f6425b","parent_span_id":"b1816ef466f6425b","name":"tool.call","start_time":"2025-08-02T09:31:08Z","end_time":"2025-08-02T09:31:09Z","attributes":{"session.id":"s-1"},"status":{"status_code":"OK"},"events":[]}`

func TestFetchesTheTrace(t *testing.T) {
	f := newFakeInspector(t)
	f.say(`{"sessions":[]}`, map[string]string{"s-1": fileTool + "\n" + fileRoot + "\n" + "broken\n"})
	_, sink := startSources(t, watching(f, true), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x", "start_time": "2025-08-02T09:31:07"}`)
	frames <- frame(2, `{"type": "SessionFinished", "session_id": "s-1", "status": "completed", "end_time": "2025-08-02T09:31:20"}`)
	eventually(t, "the session ends", func() bool { return sink.count("session.summary") == 1 })
	sink.mu.Lock()
	defer sink.mu.Unlock()
	spans := spansOf(sink.traces)
	derived := spans[len(spans)-1]
	require.Equal(t, "workflow.run", derived.Name())
	flag, _ := derived.Attributes().Get("mcp.session.derived")
	assert.True(t, flag.Bool())
	require.Equal(t, 1, derived.Links().Len())
	assert.Equal(t, "b1816ef466f6425b", derived.Links().At(0).SpanID().String())
	assert.Equal(t, "6512e41a04b93caed27aab2721422e75", derived.Links().At(0).TraceID().String())
}

func TestDoesNotReadItself(t *testing.T) {
	f := newFakeInspector(t)
	f.writer = inspectorwire.ProcessWriter()
	f.say(`{"sessions":[{"id":"own-too","status":"running","started_at":"2025-08-02T09:31:00Z"}]}`, nil)
	_, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "own", "engine": "asyncio", "title": "x"}`)
	close(frames)
	f.say(`{"sessions":[]}`, nil)
	f.mu.Lock()
	f.writer = ""
	f.mu.Unlock()
	for range 2 { // it may be there again already
		frames = <-f.connections
		close(frames)
	}
	frames = <-f.connections
	frames <- frame(2, `{"type": "SessionStarted", "session_id": "other", "engine": "asyncio", "title": "x"}`)
	eventually(t, "another's is read", func() bool { return sink.count("session.start") == 1 })
	sink.mu.Lock()
	defer sink.mu.Unlock()
	id, _ := spansOf(sink.traces)[0].Attributes().Get("session.id")
	assert.Equal(t, "other", id.Str())
}

func TestRefusedEventsAreKept(t *testing.T) {
	f := newFakeInspector(t)
	_, sink := startSources(t, watching(f, false), componenttest.NewNopHost())
	sink.refuseNext(errors.New("not now"), false)
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x"}`)
	eventually(t, "it is tried again", func() bool { return sink.count("session.start") == 1 })
}

// memory is a storage extension that forgets nothing until the test ends.
type memory struct {
	component.StartFunc
	component.ShutdownFunc
	storage.Client
	mu   sync.Mutex
	kept map[string][]byte
}

func (m *memory) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return m, nil
}

func (m *memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept[key], nil
}

func (m *memory) Set(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[key] = slices.Clone(value)
	return nil
}

func (m *memory) Batch(ctx context.Context, ops ...*storage.Operation) (err error) {
	for _, op := range ops {
		if op.Type == storage.Get {
			op.Value, err = m.Get(ctx, op.Key)
		} else {
			err = m.Set(ctx, op.Key, op.Value)
		}
	}
	return err
}

func (*memory) Close(context.Context) error { return nil }

type keepingHost struct {
	component.Host
	memory *memory
}

func (h keepingHost) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("file_storage"): h.memory}
}

// shelf is a directory of trace files, and a collector that reads it.
type shelf struct {
	dir  string
	cfg  *Config
	host keepingHost
}

func newShelf(t *testing.T) *shelf {
	s := &shelf{dir: t.TempDir(), cfg: quiet(), host: keepingHost{componenttest.NewNopHost(), &memory{kept: map[string][]byte{}}}}
	id := component.MustNewID("file_storage")
	s.cfg.Storage = &id
	s.cfg.TraceFiles.Include = []string{filepath.Join(s.dir, "*.jsonl"), filepath.Join(s.dir, "*.jsonl.gz")}
	s.cfg.TraceFiles.PollInterval = 10 * time.Millisecond
	return s
}

// add appends to a file.
func (s *shelf) add(t *testing.T, name, text string) {
	handle, err := os.OpenFile(filepath.Join(s.dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = handle.WriteString(text)
	require.NoError(t, errors.Join(err, handle.Close()))
}

// TestOneSessionOfTwoSources: a session's events come over the stream, and its spans
// from a file, of which the root is written seconds after the session ended.
func TestOneSessionOfTwoSources(t *testing.T) {
	f, s := newFakeInspector(t), newShelf(t)
	s.cfg.Inspector = watching(f, false).Inspector
	_, sink := startSources(t, s.cfg, s.host)
	frames := <-f.connections
	s.add(t, "s-1.jsonl", fileTool+"\n")
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x", "start_time": "2025-08-02T09:31:07"}`)
	frames <- frame(2, `{"type": "SessionFinished", "session_id": "s-1", "status": "completed", "end_time": "2025-08-02T09:31:20"}`)
	eventually(t, "the session ends", func() bool { return sink.count("workflow.run") == 1 })
	s.add(t, "s-1.jsonl", fileRoot+"\n")
	eventually(t, "the file has its root", func() bool { return sink.count("workflow.run") == 2 })
	sink.mu.Lock()
	defer sink.mu.Unlock()
	var derived, file ptrace.Span
	for _, span := range spansOf(sink.traces) {
		switch {
		case span.SpanID().String() == "b1816ef466f6425b":
			file = span
		case span.Name() == "workflow.run":
			derived = span
		}
	}
	assert.Zero(t, derived.Links().Len(), "nothing was known of the file's")
	require.Equal(t, 1, file.Links().Len())
	assert.Equal(t, derived.TraceID(), file.Links().At(0).TraceID())
	assert.Equal(t, derived.SpanID(), file.Links().At(0).SpanID())
}

func line(name string) string { return strings.Replace(fileTool, "tool.call", name, 1) + "\n" }

func zipped(t *testing.T, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, errors.Join(err, w.Close()))
	return b.String()
}

func TestTailsFiles(t *testing.T) {
	s := newShelf(t)
	s.add(t, "a.jsonl", line("a1")+line("a2")[:40])
	r, sink := startSources(t, s.cfg, s.host)
	eventually(t, "a whole line", func() bool { return sink.count("a1") == 1 })
	s.add(t, "a.jsonl", line("a2")[40:]+"bad\n"+line("a3"))
	s.add(t, "b.jsonl", strings.Replace(line("running"), `"end_time":"2025-08-02T09:31:09Z",`, "", 1)+line("b1"))
	eventually(t, "the rest of it", func() bool { return sink.count("a3") == 1 && sink.count("b1") == 1 })
	require.NoError(t, r.Shutdown(t.Context()))
	s.add(t, "a.jsonl", line("a4"))
	_, again := startSources(t, s.cfg, s.host)
	eventually(t, "after a restart", func() bool { return again.count("a4") == 1 })
	assert.Equal(t, []string{"a4"}, again.names(), "what was read is not read again")
	names := sink.names()
	slices.Sort(names)
	assert.Equal(t, []string{"a1", "a2", "a3", "b1"}, names)
}

func TestTailsGzip(t *testing.T) {
	s := newShelf(t)
	second := zipped(t, line("z3")+line("z4"))
	s.add(t, "z.jsonl.gz", zipped(t, line("z1")+line("z2"))+second[:30])
	r, sink := startSources(t, s.cfg, s.host)
	eventually(t, "the first member", func() bool { return sink.count("z2") == 1 })
	s.add(t, "z.jsonl.gz", second[30:])
	s.add(t, "z.chunk_1.jsonl.gz", zipped(t, line("c1"))+zipped(t, strings.TrimSuffix(line("c2"), "\n")))
	eventually(t, "the second", func() bool { return sink.count("z4") == 1 && sink.count("c2") == 1 })
	require.NoError(t, r.Shutdown(t.Context()))
	s.add(t, "z.jsonl.gz", zipped(t, line("z5")))
	_, again := startSources(t, s.cfg, s.host)
	eventually(t, "after a restart", func() bool { return again.count("z5") == 1 })
	assert.Equal(t, []string{"z5"}, again.names())
	names := sink.names()
	slices.Sort(names)
	assert.Equal(t, []string{"c1", "c2", "z1", "z2", "z3", "z4"}, names)
}

func TestRotationAndTruncation(t *testing.T) {
	s := newShelf(t)
	s.add(t, "r.jsonl", line("old"))
	_, sink := startSources(t, s.cfg, s.host)
	eventually(t, "the first", func() bool { return sink.count("old") == 1 })
	require.NoError(t, os.Rename(filepath.Join(s.dir, "r.jsonl"), filepath.Join(s.dir, "r.1.jsonl")))
	s.add(t, "r.jsonl", line("fresh"))
	eventually(t, "the file in its place", func() bool { return sink.count("fresh") == 1 })
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "r.jsonl"), []byte(line("cut")), 0o600))
	eventually(t, "after truncation", func() bool { return sink.count("cut") == 1 })
	assert.Equal(t, 1, sink.count("old"), "a file that is only renamed is not read again")
}

func TestRefusedLinesAreReadAgain(t *testing.T) {
	s := newShelf(t)
	r, sink := startSources(t, s.cfg, s.host)
	sink.refuseNext(errors.New("not now"), false)
	s.add(t, "a.jsonl", line("a1"))
	eventually(t, "it is tried again", func() bool { return sink.count("a1") == 1 })
	require.NoError(t, r.Shutdown(t.Context()))
	require.Equal(t, []string{"a1"}, sink.names())
}

func TestManyFiles(t *testing.T) {
	s := newShelf(t)
	for i := range 10_000 {
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("%05d.jsonl", i)), []byte(line("x")), 0o600))
	}
	_, sink := startSources(t, s.cfg, s.host)
	require.Eventually(t, func() bool {
		sink.mu.Lock()
		defer sink.mu.Unlock()
		return sink.traces.SpanCount() == 10_000
	}, time.Minute, 20*time.Millisecond)
}

func TestWhatIsNoFile(t *testing.T) {
	s := newShelf(t)
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "a.jsonl"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(s.dir, "nowhere"), filepath.Join(s.dir, "b.jsonl")))
	require.NoError(t, os.Symlink(s.dir, filepath.Join(s.dir, "c.jsonl")))
	s.add(t, "d.jsonl", line("d1"))
	require.NoError(t, os.Link(filepath.Join(s.dir, "d.jsonl"), filepath.Join(s.dir, "e.jsonl")))
	s.add(t, "f.jsonl", line("f1"))
	_, sink := startSources(t, s.cfg, s.host)
	eventually(t, "files are read", func() bool { return sink.count("f1") == 1 })
	assert.Equal(t, []string{"d1", "f1"}, sink.names(), "one file under two names is read once")
}

func TestStorageThatIsMissing(t *testing.T) {
	s := newShelf(t)
	r := assemble(t, s.cfg, &refusingSink{traces: ptrace.NewTraces()})
	err := r.Start(t.Context(), componenttest.NewNopHost())
	require.EqualError(t, err, `storage: extension "file_storage" is not in service::extensions: add it there`)
	require.NoError(t, r.Shutdown(t.Context()))
}
