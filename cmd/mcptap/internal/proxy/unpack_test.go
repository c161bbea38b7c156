package proxy

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// packer is what all that pack have.
type packer interface {
	io.WriteCloser
	Flush() error
}

var packers = map[string]func(io.Writer) packer{
	"gzip":    func(w io.Writer) packer { return gzip.NewWriter(w) },
	"br":      func(w io.Writer) packer { return brotli.NewWriter(w) },
	"deflate": func(w io.Writer) packer { return zlib.NewWriter(w) },
	"Deflate": func(w io.Writer) packer { // without zlib's header
		z, _ := flate.NewWriter(w, flate.BestSpeed)
		return z
	},
	"zstd": func(w io.Writer) packer {
		z, _ := zstd.NewWriter(w)
		return z
	},
}

// A server may pack what it says; it passes as it is, and is seen as it was
// meant: events of a stream as they come.
func TestPackedReplies(t *testing.T) {
	for coding, pack := range packers {
		t.Run(coding, func(t *testing.T) {
			goOn := make(chan struct{})
			var sent bytes.Buffer
			url, k := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", coding)
				w.Header().Set("Content-Type", "text/event-stream")
				z := pack(io.MultiWriter(w, &sent))
				_, _ = io.WriteString(z, "data: {\"id\":1,\"result\":{}}\n\n")
				assert.NoError(t, z.Flush())
				assert.NoError(t, http.NewResponseController(w).Flush())
				<-goOn
				_, _ = io.WriteString(z, "data: {\"id\":2,\"result\":{\"x\":\""+strings.Repeat("x", 5000)+"\"}}\n\n")
				assert.NoError(t, z.Close())
			}), nil)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"id":1,"method":"a"}`))
			require.NoError(t, err)
			request.Header.Set("Accept-Encoding", coding)
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			assert.Eventually(t, func() bool { return len(k.all()) == 2 }, time.Minute, time.Millisecond, "the first event")
			close(goOn)
			got, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Equal(t, sent.Bytes(), got)
			require.Eventually(t, func() bool { return len(k.all()) == 3 }, time.Minute, time.Millisecond, "the second")
			assert.Equal(t, "2", k.all()[2].id)
			assert.Zero(t, k.lost())
		})
	}
}

// What cannot be unpacked passes too, and is counted.
func TestBadlyPackedReplies(t *testing.T) {
	for coding := range packers {
		url, k := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "\xff\xffnot packed at all")
		}), nil)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		request.Header.Set("Accept-Encoding", coding)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, "\xff\xffnot packed at all", string(text))
		require.Eventually(t, func() bool { return k.lost() == 1 }, time.Minute, time.Millisecond, coding)
	}
}

// A server may be spoken to in HTTP/2, also when it answers before it has read
// the request.
func TestHTTP2Target(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			http.Error(w, r.Proto, http.StatusHTTPVersionNotSupported)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":1,"result":{}}`)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	target, err := ParseTarget(server.URL + "/mcp")
	require.NoError(t, err)
	var k kept
	p := New(Options{Target: target, Around: observation.Record{Session: "tap", Connection: "c"}, MaxMessage: 10_000}, &k, true, io.Discard)
	p.reverse.Transport.(*http.Transport).TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	front := httptest.NewServer(p)
	defer front.Close()
	for _, text := range []string{"a", strings.Repeat("long ", 20_000)} {
		response, err := http.Post(front.URL, "application/json", strings.NewReader(`{"id":1,"method":"m","params":{"x":"`+text+`"}}`))
		require.NoError(t, err)
		back, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusOK, response.StatusCode)
		assert.Equal(t, `{"id":1,"result":{}}`, string(back))
	}
	assert.Eventually(t, func() bool {
		replies := 0
		for _, r := range k.all() {
			if r.Direction == observation.ServerToClient {
				replies++
			}
		}
		return replies == 2
	}, time.Minute, time.Millisecond)
}
