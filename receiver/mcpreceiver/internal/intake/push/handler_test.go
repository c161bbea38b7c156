package push

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

const (
	call  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`
	reply = `{"jsonrpc":"2.0","id":1,"result":{}}`
	fetch = `{"type":"ResourceFetched","session_id":"s","uri":"u"}`
)

func TestMethods(t *testing.T) {
	b := newBench()
	for _, path := range []string{ObservationsPath, InspectorPath} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodOptions} {
			w := httptest.NewRecorder()
			b.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
			assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
			assert.Equal(t, http.MethodPost, w.Header().Get("Allow"))
		}
	}
	assert.Equal(t, http.StatusNotFound, b.post("/", ndjson, nil).Code)
	assert.Equal(t, http.StatusNotFound, b.post(ObservationsPath+"/x", ndjson, nil).Code)
}

func TestContentTypes(t *testing.T) {
	b := newBench()
	const refused = http.StatusUnsupportedMediaType
	for media, want := range map[string][2]int{
		"application/json": {202, 202}, "application/json; charset=utf-8": {202, 202}, "APPLICATION/JSON": {202, 202},
		"application/x-ndjson": {202, 202}, "application/jsonl": {202, 202}, "application/json-seq": {refused, refused},
		"": {refused, refused}, "text/plain": {refused, refused}, "application/": {refused, refused},
		"application/x-protobuf": {refused, refused}, ";": {refused, refused}, "application/json; charset": {refused, refused},
		"application/x-www-form-urlencoded": {refused, refused}, "multipart/form-data; boundary=x": {refused, refused},
		"text/event-stream": {refused, 202},
	} {
		body := fetch
		if media == eventStream {
			body = "data: " + fetch + "\n\n"
		}
		assert.Equal(t, want[0], b.post(ObservationsPath, media, []byte(call)).Code, media)
		assert.Equal(t, want[1], b.post(InspectorPath, media, []byte(body)).Code, media)
	}
}

func TestBodiesThatCannotBeRead(t *testing.T) {
	b := newBench()
	for name, tt := range map[string]struct {
		body io.Reader
		want int
	}{
		"too large":   {strings.NewReader(strings.Repeat(" ", 100) + call), http.StatusRequestEntityTooLarge},
		"ended early": {io.MultiReader(strings.NewReader(call), failing{io.ErrUnexpectedEOF}), http.StatusBadRequest},
		"broken":      {failing{errors.New("broken")}, http.StatusBadRequest},
	} {
		r := httptest.NewRequest(http.MethodPost, ObservationsPath, tt.body)
		r.Header.Set("Content-Type", ndjson)
		w := httptest.NewRecorder()
		r.Body = http.MaxBytesReader(w, r.Body, 100)
		b.ServeHTTP(w, r)
		assert.Equal(t, tt.want, w.Code, name)
	}
	assert.Equal(t, store.Sizes{}, b.runner.Engine.Sizes())
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestReplies(t *testing.T) {
	for _, tt := range []struct {
		name, path, body string
		code             int
		reply            string // JSON, or the whole text
	}{
		{"all good", ObservationsPath, call + "\n" + reply, 202, ""},
		{"an array", ObservationsPath, "[" + call + "," + reply + "]", 202, ""},
		{"some bad", ObservationsPath, "7\n" + call, 202, `{"accepted":1,"rejected":[{"item":0,"error":"not a JSON object"}]}`},
		{"a broken line", ObservationsPath, call + "\n{\n" + reply, 202, `{"accepted":2,"rejected":[{"item":1,"error":"invalid JSON at byte 71: expected a member name"}]}`},
		{"none good", ObservationsPath, `[7,{}]`, 400, `{"accepted":0,"rejected":[{"item":0,"error":"not a JSON object"},
			{"item":1,"error":"an observation record needs exactly one of message, end (an object) and transport_status (Inspector events go to /v1/inspector/events); its members: none; ` +
			`those known: message, end, transport_status, time, session, connection, host, direction, transport, client, server, server_uri, ` +
			`protocol, mcp_session_id, request_id, traceparent, tracestate, bytes, reduced, unanswered, http_status, agent_session, process, delivery, subscription_id"}]}`},
		{"empty", ObservationsPath, "", 400, "the body holds no message"},
		{"white space", ObservationsPath, " \n\n", 400, "the body holds no message"},
		{"empty array", ObservationsPath, "[]", 400, "the body holds no message"},
		{
			"a long id", ObservationsPath, `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", idBytes) + `","method":"m"}`, 400,
			`{"accepted":0,"rejected":[{"item":0,"error":"session, connection, host or id is longer than 1024 bytes"}]}`,
		},
		{"events", InspectorPath, fetch + fetch, 202, ""},
		{"a connected stream", InspectorPath, `{"type":"Connected"}`, 202, ""},
		{
			"a long session", InspectorPath, `{"type":"X","session_id":"` + strings.Repeat("x", idBytes+1) + `"}`, 400,
			`{"accepted":0,"rejected":[{"item":0,"error":"session, connection, host or id is longer than 1024 bytes"}]}`,
		},
		{"no events", InspectorPath, "", 400, "the body holds no message"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench()
			w := b.post(tt.path, "application/json", []byte(tt.body))
			assert.Equal(t, tt.code, w.Code)
			if strings.HasPrefix(tt.reply, "{") {
				assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
				assert.JSONEq(t, tt.reply, w.Body.String())
			} else {
				assert.Equal(t, tt.reply, strings.TrimSpace(w.Body.String()))
			}
			b.drain(t)
		})
	}
}

func TestARefusedBodyLeavesNothing(t *testing.T) {
	b := newBench()
	b.sink.refuse = func() error { return errors.New("not now") }
	require.Equal(t, http.StatusServiceUnavailable, b.post(ObservationsPath+"?session=s", ndjson, []byte(call+reply)).Code)
	require.Equal(t, store.Sizes{}, b.runner.Engine.Sizes())
	b.sink.refuse = nil
	require.Equal(t, http.StatusAccepted, b.post(ObservationsPath+"?session=s", ndjson, []byte(call+reply)).Code)
	b.drain(t)
	require.Len(t, named(b, "tool.call"), 1)
}

func TestWhatIsKnownAround(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		headers     map[string]string
		body        string
		session     string
	}{
		{"query", "?session=q", nil, call, "q"},
		{"agent", "?agent=a", nil, call, "a"},
		{"session before agent", "?session=q&agent=a", nil, call, "q"},
		{"header", "?session=q", map[string]string{"X-Session-Id": "x"}, call, "x"},
		{"ACP header", "", map[string]string{"Acp-Session-Id": "acp"}, call, "acp"},
		{"MCP header", "", map[string]string{"Mcp-Session-Id": "m", "X-Session-Id": "x"}, call, "m"},
		{"record", "?session=q", map[string]string{"Mcp-Session-Id": "m"}, `{"session":"r","message":` + call + `}`, "r"},
		{"inside ACP", "?protocol=acp&session=q", nil, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"in"}}`, "in"},
		{"not inside MCP", "?session=q", nil, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"in"}}`, "q"},
		{"none", "", nil, call, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench()
			r := httptest.NewRequest(http.MethodPost, ObservationsPath+tt.query, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", ndjson)
			for k, v := range tt.headers {
				r.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			b.ServeHTTP(w, r)
			require.Equal(t, http.StatusAccepted, w.Code)
			b.drain(t)
			id, _ := lastSpan(t, b).Attributes().Get("session.id")
			assert.Equal(t, tt.session, id.Str())
		})
	}
}

func named(b *bench, name string) (found []ptrace.Span) {
	for _, td := range b.sink.traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				if s.Name() == name {
					found = append(found, s)
				}
			}
		}
	}
	return found
}

func lastSpan(t *testing.T, b *bench) ptrace.Span {
	require.NotEmpty(t, b.sink.traces)
	resources := b.sink.traces[len(b.sink.traces)-1].ResourceSpans()
	spans := resources.At(resources.Len() - 1).ScopeSpans().At(0).Spans()
	return spans.At(spans.Len() - 1)
}
