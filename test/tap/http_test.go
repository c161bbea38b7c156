package tap

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sse "github.com/tmaxmax/go-sse"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// wiretap is a proxy that keeps all that goes through it.
type wiretap struct {
	*httptest.Server
	mu        sync.Mutex
	exchanges []*exchange
}

// exchange is one request and its answer.
type exchange struct {
	line           string
	header, answer http.Header
	request, reply bytes.Buffer
	status         int
}

func newWiretap(t *testing.T, target string) *wiretap {
	t.Helper()
	u, err := url.Parse(target)
	require.NoError(t, err)
	w := &wiretap{}
	type keep struct{}
	reverse := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     &http.Transport{DisableCompression: true},
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(u) },
		ModifyResponse: func(r *http.Response) error {
			x := r.Request.Context().Value(keep{}).(*exchange)
			w.mu.Lock()
			defer w.mu.Unlock()
			x.status, x.answer = r.StatusCode, r.Header.Clone()
			r.Body = w.kept(r.Body, &x.reply)
			return nil
		},
	}
	w.Server = httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		x := &exchange{line: r.Method + " " + r.URL.String(), header: r.Header.Clone()}
		// Nothing may ask for more of the body when the answer has begun.
		_, _ = x.request.ReadFrom(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(x.request.Bytes()))
		w.mu.Lock()
		w.exchanges = append(w.exchanges, x)
		w.mu.Unlock()
		to.Header()["Content-Type"] = nil                     // not guessed
		_ = http.NewResponseController(to).EnableFullDuplex() // the answer may come before the request was read to its end
		reverse.ServeHTTP(to, r.WithContext(context.WithValue(r.Context(), keep{}, x)))
	}))
	t.Cleanup(w.Close)
	return w
}

// kept is a body of which a copy is kept.
func (w *wiretap) kept(body io.ReadCloser, copyTo io.Writer) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.TeeReader(body, locked{&w.mu, copyTo}), body}
}

type locked struct {
	mu *sync.Mutex
	io.Writer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Writer.Write(p)
}

// told is every exchange as text, sorted: which of two that go on at a time
// came first at which proxy is nobody's concern.
func (w *wiretap) told() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.exchanges {
		reply := x.reply.String()
		if x.status == http.StatusAccepted { // the client hangs up before it
			reply = ""
		}
		all = append(all, fmt.Sprintf("%s\n%s\n%s\n--- %d\n%s\n%s", x.line, headers(x.header), &x.request, x.status, headers(x.answer), reply))
	}
	slices.Sort(all)
	return all
}

// headers returns those that are not about one hop only, and that do not name it.
func headers(h http.Header) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		switch name {
		case "Connection", "Keep-Alive", "Transfer-Encoding", "X-Forwarded-For":
		case "Content-Length": // that nothing follows may be said by each hop in its way
			if h.Get(name) == "0" {
				continue
			}
			fallthrough
		default:
			fmt.Fprintf(&text, "%s: %q\n", name, h[name])
		}
	}
	return text.String()
}

// spoken are the messages of either side.
func (w *wiretap) spoken(t *testing.T) (fromClient, fromServer [][]byte) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.exchanges {
		fromClient = append(fromClient, bytes.Clone(x.request.Bytes()))
		if !strings.HasPrefix(x.answer.Get("Content-Type"), "text/event-stream") {
			if strings.HasPrefix(x.answer.Get("Content-Type"), "application/json") {
				fromServer = append(fromServer, bytes.Clone(x.reply.Bytes()))
			}
			continue
		}
		for event, err := range sse.Read(bytes.NewReader(x.reply.Bytes()), &sse.ReadConfig{MaxEventSize: 1 << 20}) {
			require.NoError(t, err)
			if event.Type != "endpoint" && event.Data != "" {
				fromServer = append(fromServer, []byte(event.Data))
			}
		}
	}
	return fromClient, fromServer
}

// The everything server over both HTTP transports, with the SDK's client, and a
// proxy that keeps everything on either side of mcptap.
func TestEverythingOverHTTP(t *testing.T) {
	node, dir := peers(t)
	for transport, path := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(transport, func(t *testing.T) {
			c := startCollector(t)
			address := harness.FreeAddress(t)
			server := harness.Start(t, "everything", node, []string{"PORT=" + harness.PortOf(t, address)}, []string{everything(dir), transport})
			server.Ready(t, func() bool { return server.Logged("on port") })
			inner := newWiretap(t, "http://"+strings.Replace(address, "127.0.0.1", "localhost", 1))
			listen := harness.FreeAddress(t)
			tap := harness.Start(t, "mcptap", harness.Tap(t), nil, []string{"http", "--listen", listen, "--target", inner.URL + path, "--endpoint", c.endpoint})
			tap.Ready(t, func() bool { return tap.Logged(" in place of ") })
			outer := newWiretap(t, "http://"+listen)
			client(t, dir, node, "tap.mjs", transport, outer.URL+path)

			root(t, c)
			assert.Equal(t, inner.told(), outer.told())
			in, out := outer.spoken(t)
			want := calls(t, in, out)
			assert.Greater(t, len(want), 30)
			assertSpans(t, want, c.sink.Received())
		})
	}
}

// A request that HTTP refuses is a failed call, not one that never ends.
func TestRefusedOverHTTP(t *testing.T) {
	c := startCollector(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(server.Close)
	listen := harness.FreeAddress(t)
	tap := harness.Start(t, "mcptap", harness.Tap(t), nil, []string{"http", "--listen", listen, "--target", server.URL + "/mcp", "--endpoint", c.endpoint})
	tap.Ready(t, func() bool { return tap.Logged(" in place of ") })
	response, err := http.Post("http://"+listen+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, response.StatusCode)
	harness.Eventually(t, "the call has no span", func() bool { return called(c, 1) })
	span := spansOf(c.sink.Received())[key{"outbound", "1"}][0]
	assert.Equal(t, ptrace.StatusCodeError, span.Status().Code())
	assert.Equal(t, "401 Unauthorized", span.Status().Message())
	assert.Empty(t, text(span, "mcp.span.incomplete"))
}
