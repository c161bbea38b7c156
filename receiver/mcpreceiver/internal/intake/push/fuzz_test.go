package push

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// answers are the statuses that a body may be answered with, and whether
// everything was taken back.
var answers = map[int]bool{
	http.StatusAccepted: false, http.StatusBadRequest: false,
	http.StatusServiceUnavailable: true, http.StatusTooManyRequests: true, http.StatusInternalServerError: false,
}

// moods are the answers of the pipeline.
var moods = []error{
	nil, nil, errors.New("not now"), status.Error(codes.ResourceExhausted, "too much"),
	consumererror.NewPermanent(errors.New("never")),
}

// FuzzObservations pushes the same body twice: once to a pipeline in some mood,
// then to a willing one.
func FuzzObservations(f *testing.F) {
	f.Add([]byte(everyMember), "", byte(0))
	f.Add([]byte(`[`+call+`,`+reply+`]`), "s", byte(2))
	f.Add([]byte(`{"connection":"c","end":{}}{"connection":"c","message":`+call+`}`), "", byte(0))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n{bad}\n"+reply), "s", byte(4))
	f.Fuzz(func(t *testing.T, body []byte, id string, mood byte) {
		fuzz(t, ObservationsPath, ndjson, id, body, mood)
	})
}

func FuzzInspectorEvents(f *testing.F) {
	f.Add([]byte(everyEvent), "", byte(0), false)
	f.Add([]byte("data: "+fetch+"\n\n: comment\n\ndata: "+fetch), "s", byte(3), true)
	f.Add([]byte(`{"type":"WaitingOnSignal"}`), "", byte(0), false)
	f.Fuzz(func(t *testing.T, body []byte, id string, mood byte, stream bool) {
		media := ndjson
		if stream {
			media = eventStream
		}
		fuzz(t, InspectorPath, media, id, body, mood)
	})
}

func FuzzClaudeCodeHooks(f *testing.F) {
	f.Add([]byte(everyHook), "", byte(0))
	f.Add([]byte(`[{"hook_event_name":"Stop"},{"hook_event_name":"PostToolUse","tool_name":1,"tool_use_id":2}]`), "s", byte(3))
	f.Add([]byte("{\"session_id\":\"\xff\",\"hook_event_name\":\"PreToolUse\",\"tool_input\":[]}\n{bad}\n"), "", byte(4))
	f.Fuzz(func(t *testing.T, body []byte, id string, mood byte) {
		fuzz(t, ClaudeCodePath, ndjson, id, body, mood)
	})
}

// FuzzHooks pushes to the endpoint of any agent.
func FuzzHooks(f *testing.F) {
	for path, body := range hookBodies(f) {
		f.Add(strings.TrimPrefix(path, HooksPath), []byte(body), "s", byte(3))
	}
	agents := registry.Hooks()
	f.Fuzz(func(t *testing.T, agent string, body []byte, id string, mood byte) {
		if agents[agent] != nil {
			fuzz(t, HooksPath+agent, ndjson, id, body, mood)
		}
	})
}

func fuzz(t *testing.T, path, media, id string, body []byte, mood byte) {
	b := newBench()
	b.sink.refuse = func() error { return moods[int(mood)%len(moods)] }
	code := b.push(t, path, media, id, body)
	if answers[code] {
		require.Empty(t, b.sink.traces)
		require.Equal(t, store.Sizes{}, b.runner.Engine.Sizes())
	}
	b.sink.refuse = nil
	again := b.push(t, path, media, id, body)
	require.False(t, answers[again] || again == http.StatusInternalServerError, "a willing pipeline was given as the reason")
	before := b.dump(t)
	scribble(t, len(body))
	require.True(t, bytes.Equal(before, b.dump(t)), "telemetry refers to a body")
	b.drain(t)
	soundSpans(t, b)
}

func (b *bench) push(t *testing.T, path, media, id string, body []byte) int {
	r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	r.Header.Set("Content-Type", media)
	r.Header["X-Session-Id"] = []string{id}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	_, known := answers[w.Code]
	require.True(t, known, "%d", w.Code)
	return w.Code
}

// soundSpans checks what holds for every span.
func soundSpans(t *testing.T, b *bench) {
	for _, td := range b.sink.traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				require.False(t, s.TraceID().IsEmpty(), s.Name())
				require.False(t, s.SpanID().IsEmpty(), s.Name())
				require.NotEmpty(t, s.Name())
				require.LessOrEqual(t, s.StartTimestamp(), s.EndTimestamp(), s.Name())
				keys := map[string]bool{}
				for key := range s.Attributes().All() {
					require.False(t, keys[key], "%s twice in %s", key, s.Name())
					keys[key] = true
				}
			}
		}
	}
}
