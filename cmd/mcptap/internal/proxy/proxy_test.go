package proxy

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// kept is a sink.
type kept struct {
	front   *httptest.Server
	mu      sync.Mutex
	records []seen
	dropped int64
}

type seen struct {
	observation.Record
	id, method, text string
}

func (k *kept) Add(r *observation.Record, message []byte) {
	s := seen{Record: *r, text: string(message)}
	frame.Parse([]byte(s.text), func(m *frame.Message) { s.id, s.method = string(m.ID), m.Method })
	k.mu.Lock()
	defer k.mu.Unlock()
	k.records = append(k.records, s)
}

func (k *kept) Dropped(_ *observation.Record, n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropped += n
}

// lost is how many were dropped so far: a stream is counted when its end has
// been read, which may be after the client has its answer.
func (k *kept) lost() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.dropped
}

func (k *kept) all() []seen {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]seen(nil), k.records...)
}

// whole ends the proxy and is all that it recorded: the last records of an exchange
// may come after the client has its answer.
func (k *kept) whole() []seen {
	k.front.Close()
	return k.all()
}

// proxied is the address of a proxy in front of a handler.
func proxied(t *testing.T, handler http.Handler, change func(*Options)) (string, *kept) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	target, err := ParseTarget(server.URL + "/mcp")
	require.NoError(t, err)
	opt := Options{Target: target, Around: observation.Record{Session: "tap", Connection: "c"}, MaxMessage: 10_000}
	if change != nil {
		change(&opt)
	}
	var k kept
	k.front = httptest.NewUnstartedServer(New(opt, &k, true, io.Discard))
	k.front.Config.ConnContext = ConnContext
	k.front.Start()
	t.Cleanup(k.front.Close)
	return k.front.URL, &k
}

// newServer has a tool that says its argument, and asks the client on the way
// when that is long enough.
func newServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	type arguments struct {
		Text string `json:"text"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "say"}, func(ctx context.Context, r *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
		if a.Text == "ask" {
			made, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 1}) //nolint:staticcheck // deprecated, and spoken
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{made.Content}}, nil, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}}}, nil, nil
	})
	return server
}

// talk is a whole session.
func talk(t *testing.T, transport mcp.Transport, asks bool) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) { //nolint:staticcheck // deprecated, and spoken
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "made"}}, nil //nolint:staticcheck // deprecated, and spoken
		},
	})
	session, err := client.Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	defer session.Close() // or the servers would wait for it for ever
	_, err = session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	texts := []string{"a", strings.Repeat("long ", 10_000)}
	if asks {
		texts = append(texts, "ask")
	}
	for _, text := range texts {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "say", Arguments: map[string]any{"text": text}})
		require.NoError(t, err, "%.10s", text)
		if text == "ask" {
			text = "made"
		}
		assert.Equal(t, text, result.Content[0].(*mcp.TextContent).Text)
	}
	require.NoError(t, session.Close())
}

// paired checks that every request has one reply, after it, in the same session
// and connection.
func paired(t *testing.T, records []seen) (methods []string) {
	t.Helper()
	type key struct{ session, connection, direction, id string }
	open := map[key]bool{}
	for i := range records {
		r := &records[i]
		switch {
		case r.method != "" && r.id != "":
			methods = append(methods, r.method)
			open[key{r.Session, r.Connection, r.Direction, r.id}] = true
		case r.id != "":
			other := observation.ClientToServer
			if r.Direction == other {
				other = observation.ServerToClient
			}
			k := key{r.Session, r.Connection, other, r.id}
			assert.True(t, open[k], "a reply to nothing: %.200s", r.text)
			delete(open, k)
		}
	}
	assert.Empty(t, open, "requests without a reply")
	return methods
}

func TestStreamableHTTP(t *testing.T) {
	for name, opt := range map[string]mcp.StreamableHTTPOptions{
		"events": {}, "JSON": {JSONResponse: true}, "stateless": {Stateless: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer()
			url, k := proxied(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &opt), nil)
			talk(t, &mcp.StreamableClientTransport{Endpoint: url + "/mcp"}, name == "events")
			records := k.whole()
			methods := paired(t, records)
			assert.Contains(t, methods, "tools/list")
			assert.Contains(t, methods, "tools/call")
			assert.Equal(t, name == "events", strings.Contains(strings.Join(methods, " "), "sampling/createMessage"))
			reduced, sessions := 0, map[string]bool{}
			for _, r := range records {
				if r.Reduced {
					reduced++
					assert.Greater(t, r.Bytes, int64(50_000))
				}
				if r.method == "tools/call" {
					sessions[r.Session] = true
					assert.Equal(t, r.MCPSessionID != "", r.Session == r.MCPSessionID)
				}
				assert.Equal(t, "http", r.Transport)
			}
			assert.Equal(t, 2, reduced, "the long call and its reply")
			assert.Len(t, sessions, 1)
			assert.Equal(t, name == "stateless", sessions["tap"])
			if last := records[len(records)-1]; name != "stateless" {
				assert.Equal(t, observation.End{Present: true, Reason: "closed"}, last.End)
			}
			assert.Zero(t, k.lost())
		})
	}
}

func TestOlderTransport(t *testing.T) {
	server := newServer()
	url, k := proxied(t, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil), nil)
	talk(t, &mcp.SSEClientTransport{Endpoint: url + "/sse"}, true)
	records := k.whole()
	assert.Contains(t, paired(t, records), "sampling/createMessage")
	for _, r := range records {
		assert.Equal(t, "sse", r.Transport)
		assert.Equal(t, records[0].Session, r.Session)
	}
	assert.NotEqual(t, "tap", records[0].Session)
}

func TestNamedSession(t *testing.T) {
	server := newServer()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	url, k := proxied(t, handler, func(o *Options) { o.Named = true })
	talk(t, &mcp.StreamableClientTransport{Endpoint: url}, true)
	paired(t, k.whole())
	for _, r := range k.all() {
		assert.Equal(t, "tap", r.Session)
	}
}

// The session of exchanges that have none ends with the proxy; one that was not
// used, or has a name, is nobody's to end.
func TestSharedSessionEnds(t *testing.T) {
	target, err := ParseTarget("http://127.0.0.1:9/mcp")
	require.NoError(t, err)
	for _, named := range []bool{false, true} {
		var k kept
		p := New(Options{Target: target, Around: observation.Record{Session: "tap"}, Named: named, MaxMessage: 1000}, &k, true, io.Discard)
		p.Close()
		assert.Empty(t, k.all())
		p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader("")))
		p.Close()
		var ends []string
		for _, r := range k.all() {
			if r.End == (observation.End{Present: true, Reason: "closed"}) {
				ends = append(ends, r.Session)
			}
		}
		if assert.Equal(t, named, len(ends) == 0) && !named {
			assert.Equal(t, []string{"tap"}, ends)
		}
	}
}

// Headers and bodies pass as they are, and the answer too.
func TestBytesPass(t *testing.T) {
	answer := "{\"id\":1,\r\n\"result\":{\"x\":\"\xff\"}}  "
	var got http.Header
	var body []byte
	var path string
	url, k := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, path = r.Header.Clone(), r.URL.String()
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("X-Own", "y")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, answer)
	}), nil)
	sent := `[{"id":1,"method":"a"},{"method":"b"}]`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/?q=1", strings.NewReader(sent))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"X-Forwarded-For": "1.2.3.4", "Accept-Encoding": "br", "User-Agent": "", "X-Mcp-Request-Id": "req-1234",
		"Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Content-Type": "application/json",
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	back, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, answer, string(back))
	assert.Equal(t, http.StatusTeapot, response.StatusCode)
	assert.Equal(t, "y", response.Header.Get("X-Own"))
	assert.Equal(t, sent, string(body))
	assert.Equal(t, "/mcp?q=1", path)
	assert.Equal(t, "1.2.3.4", got.Get("X-Forwarded-For"))
	assert.Equal(t, "br", got.Get("Accept-Encoding"))
	records := k.whole()
	require.Len(t, records, 3)
	assert.Equal(t, "req-1234", records[0].RequestID)
	assert.Equal(t, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", records[0].Traceparent)
	assert.Equal(t, observation.ServerToClient, records[2].Direction)
}

// What the server left out is not made up.
func TestNoHeaderIsAdded(t *testing.T) {
	url, _ := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"], w.Header()["Date"] = nil, nil
		_, _ = io.WriteString(w, "Accepted")
	}), nil)
	response, err := http.Get(url)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.Header{"Content-Length": {"8"}}, response.Header)
}

func TestPropagate(t *testing.T) {
	var body []byte
	url, k := proxied(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { body, _ = io.ReadAll(r.Body) }),
		func(o *Options) { o.Propagate = true })
	response, err := http.Post(url, "application/json", strings.NewReader(`{"id":1,"method":"tools/call","params":{"name":"x"}}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Regexp(t, `^\{"id":1,"method":"tools/call","params":\{"_meta":\{"traceparent":"00-[0-9a-f-]{52}","mcp.request_id":"[0-9a-f]{24}"\},"name":"x"\}\}$`, string(body))
	records := k.whole()
	require.Len(t, records, 2)
	assert.True(t, records[1].Unanswered)
	assert.Equal(t, `{"id":1,"method":"tools/call","params":{"name":"x"}}`, records[0].text, "seen as it was")
	assert.Contains(t, string(body), records[0].RequestID)
	assert.NotEmpty(t, records[0].RequestID)
}

func TestForeignNames(t *testing.T) {
	url, _ := proxied(t, http.NotFoundHandler(), nil)
	for host, want := range map[string]int{"evil.example": 403, "localhost:1": 404, "[::1]": 404, "127.0.0.1": 404} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, want, response.StatusCode, host)
	}
}

func TestServerAway(t *testing.T) {
	target, err := ParseTarget("http://127.0.0.1:9/mcp")
	require.NoError(t, err)
	var k kept
	k.front = httptest.NewServer(New(Options{Target: target, Around: observation.Record{Session: "tap"}, MaxMessage: 1000}, &k, true, io.Discard))
	defer k.front.Close()
	response, err := http.Post(k.front.URL, "application/json", strings.NewReader(`{"id":1,"method":"initialize"}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusBadGateway, response.StatusCode)
	records := k.whole()
	require.Len(t, records, 1)
	assert.Equal(t, "disconnected", records[0].TransportStatus)
}

// An endpoint with the server's own origin would lead clients around us.
func TestEndpointStaysHere(t *testing.T) {
	var origin string
	url, _ := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin = "http://" + r.Host
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: endpoint\ndata: "+origin+"/messages?sessionId=7\n\n")
	}), nil)
	response, err := http.Get(url + "/sse")
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "event: endpoint\ndata: "+url+"/messages?sessionId=7\n\n", string(text))
	assert.NotEqual(t, origin, url)
}

func TestTarget(t *testing.T) {
	for _, text := range []string{"", "localhost:1", "file:///x", "http://"} {
		_, err := ParseTarget(text)
		assert.ErrorContains(t, err, "--target", text)
	}
}

// A server may answer while the client is still speaking.
func TestAnswerBeforeTheEndOfTheRequest(t *testing.T) {
	url, k := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		assert.NoError(t, control.EnableFullDuplex())
		w.Header().Set("Content-Type", "application/json")
		for part := make([]byte, 100); ; {
			n, err := r.Body.Read(part)
			_, _ = w.Write(part[:n])
			assert.NoError(t, control.Flush())
			if err != nil {
				return
			}
		}
	}), nil)
	body, in := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	require.NoError(t, err)
	said := []string{`{"id":1,`, `"method":"a"}`}
	go func() { _, _ = io.WriteString(in, said[0]) }()
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	back := make([]byte, len(said[0]))
	_, err = io.ReadFull(response.Body, back)
	require.NoError(t, err)
	assert.Equal(t, said[0], string(back))
	go func() {
		_, _ = io.WriteString(in, said[1])
		_ = in.Close()
	}()
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, said[1], string(rest))
	require.Eventually(t, func() bool { return len(k.all()) == 3 }, time.Minute, time.Millisecond, "either direction, and that there is no reply")
}

// once is a body that must not be read when it was read to its end, as one that
// net/http closed because an answer has begun.
type once struct{ *strings.Reader }

func (o once) Read(p []byte) (int, error) {
	if o.Len() == 0 {
		return 0, http.ErrBodyReadAfterClose
	}
	return o.Reader.Read(p)
}

func (once) Close() error { return nil }

func TestWholeBodyIsNotReadOn(t *testing.T) {
	seen, ends := "", 0
	body := &tee{ReadCloser: once{strings.NewReader("abc")}, length: 3, part: func(p []byte) { seen += string(p) }, end: func() { ends++ }}
	text, err := io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, body.Close())
	assert.Equal(t, "abc", string(text))
	assert.Equal(t, "abc", seen)
	assert.Equal(t, 1, ends)
}
