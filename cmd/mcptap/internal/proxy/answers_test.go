package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// A request whose exchange is over without a reply gets an error in its place,
// with the status of the response.
func TestUnanswered(t *testing.T) {
	type reply struct {
		text       string
		unanswered bool
		status     int64
	}
	const none = `{"jsonrpc":"2.0","id":1,"error":{"message":"`
	for name, tt := range map[string]struct {
		status     int
		kind, body string
		want       []reply
	}{
		"refused":         {status: 401, kind: "text/plain", body: "who?", want: []reply{{none + `401 Unauthorized"}}`, true, 401}}},
		"no body":         {status: 503, want: []reply{{none + `503 Service Unavailable"}}`, true, 503}}},
		"redirect":        {status: 302, want: []reply{{none + `302 Found"}}`, true, 302}}},
		"strange":         {status: 599, want: []reply{{none + `599"}}`, true, 599}}},
		"null":            {status: 400, kind: "application/json", body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no"}}`, want: []reply{{`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no"}}`, true, 400}}},
		"another id":      {status: 404, kind: "application/json", body: `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no"}}`, want: []reply{{`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`, true, 404}}},
		"its own error":   {status: 400, kind: "application/json", body: `{"id":1,"error":{"code":1}}`, want: []reply{{`{"id":1,"error":{"code":1}}`, false, 400}}},
		"reply":           {status: 200, kind: "application/json", body: `{"id":1,"result":{}}`, want: []reply{{`{"id":1,"result":{}}`, false, 0}}},
		"nothing":         {status: 200, kind: "application/json", want: []reply{{none + `200 OK"}}`, true, 200}}},
		"page":            {status: 200, kind: "text/html", body: "<p>", want: []reply{{none + `200 OK"}}`, true, 200}}},
		"stream":          {status: 200, kind: "text/event-stream", body: "data: {\"method\":\"a\"}\n\n", want: []reply{{`{"method":"a"}`, false, 0}, {none + `200 OK"}}`, true, 200}}},
		"resumable":       {status: 200, kind: "text/event-stream", body: "id: 7\ndata: {\"method\":\"a\"}\n\n", want: []reply{{`{"method":"a"}`, false, 0}}},
		"accepted":        {status: 202},
		"cannot be read":  {status: 200, kind: "application/json", body: `{"id":1,"resu`, want: []reply{{none + `200 OK"}}`, true, 200}}},
		"lost connection": {status: 0, want: []reply{{none + `connection lost"}}`, true, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			url, k := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				if tt.status == 0 {
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("Content-Type", tt.kind)
				if tt.status == http.StatusFound {
					w.Header().Set("Location", "/elsewhere")
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}), nil)
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			response, err := client.Post(url, "application/json", strings.NewReader(`{"id":1,"method":"initialize"}`))
			require.NoError(t, err)
			_, _ = io.ReadAll(response.Body)
			require.NoError(t, response.Body.Close())
			var got []reply
			require.Eventually(t, func() bool {
				got = nil
				for _, r := range k.all() {
					if r.Direction == observation.ServerToClient {
						got = append(got, reply{r.text, r.Unanswered, r.HTTPStatus})
					}
				}
				return len(got) >= len(tt.want)
			}, time.Minute, time.Millisecond)
			assert.Equal(t, tt.want, got)
		})
	}
}

// A reply that the older transport sends on another stream is waited for.
func TestOlderTransportAnswersElsewhere(t *testing.T) {
	target, err := ParseTarget("http://127.0.0.1:9/mcp")
	require.NoError(t, err)
	for _, status := range []int{200, 202, 400} {
		var k kept
		p := New(Options{Target: target, Around: observation.Record{Session: "tap"}, MaxMessage: 1000}, &k, false, io.Discard)
		u, err := target.Parse("/messages?sessionId=7")
		require.NoError(t, err)
		p.endpoints.add(u)
		p.reverse.Transport = answering(status)
		p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://localhost/messages?sessionId=7", strings.NewReader(`{"id":1,"method":"a"}`)))
		unanswered := 0
		for _, r := range k.all() {
			if r.Unanswered {
				unanswered++
			}
		}
		assert.Equal(t, status == 400, unanswered == 1, status)
	}
}

// answering reads the request and answers with a status only.
type answering int

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{StatusCode: int(a), Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}
