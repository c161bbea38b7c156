package httpclient

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// authorized adds a header behind the client's back, as confighttp does.
type authorized struct{ next http.RoundTripper }

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer secret")
	return a.next.RoundTrip(r)
}

func client() *http.Client {
	return &http.Client{Transport: authorized{http.DefaultTransport}, CheckRedirect: SameOrigin}
}

func to(url string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, url, status) }
}

func TestAnotherOriginGetsNothing(t *testing.T) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(to(other.URL+"/?token=hidden", status))
		response, err := client().Get(server.URL)
		if response != nil {
			require.NoError(t, response.Body.Close())
		}
		require.ErrorIs(t, err, ErrRedirectOrigin, "%d", status)
		require.ErrorContains(t, err, "("+server.URL+" to "+other.URL+")", "what to do, and with which address")
		server.Close()
	}
	assert.Zero(t, asked.Load())
}

func TestTheSameOriginIsFollowed(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/from", to("/to", http.StatusPermanentRedirect))
	mux.Handle("/found", to("/to", http.StatusFound))
	mux.Handle("/loop", to("/loop", http.StatusTemporaryRedirect))
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusAccepted)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, path := range []string{"/from", "/found"} {
		response, err := client().Get(server.URL + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusAccepted, response.StatusCode)
	}
	response, err := client().Post(server.URL+"/from", "text/plain", strings.NewReader("body"))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusAccepted, response.StatusCode)

	_, err = client().Post(server.URL+"/found", "text/plain", strings.NewReader("body")) //nolint:bodyclose // closed by the client
	require.ErrorIs(t, err, ErrRedirectMethod)
	_, err = client().Get(server.URL + "/loop") //nolint:bodyclose // closed by the client
	require.ErrorIs(t, err, ErrRedirectLoop)
}

func TestOrigins(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		same     bool
	}{
		{"http://a.example/x", "http://a.example:80/y", true},
		{"https://a.example/x", "HTTPS://A.example.:443/y", true},
		{"http://[::1]:1/", "http://[::1]:1/x", true},
		{"https://a.example/", "http://a.example/", false},
		{"http://a.example/", "https://a.example/", false},
		{"https://a.example/", "http://a.example:443/", false},
		{"http://a.example/", "http://a.example:8080/", false},
		{"http://a.example/", "http://b.a.example/", false},
		{"http://a.example/", "http://a.example@b.example/", false},
		{"http://a.example/", "http://a.example.b.example/", false},
		{"http://localhost/", "http://127.0.0.1/", false},
	} {
		err := SameOrigin(httptest.NewRequest(http.MethodGet, tt.to, http.NoBody), []*http.Request{httptest.NewRequest(http.MethodGet, tt.from, http.NoBody)})
		if tt.same {
			require.NoError(t, err, "%s to %s", tt.from, tt.to)
		} else {
			require.ErrorIs(t, err, ErrRedirectOrigin, "%s to %s", tt.from, tt.to)
		}
	}
}
