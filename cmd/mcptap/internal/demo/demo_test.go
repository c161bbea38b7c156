package demo

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Five agents report: each line is one observation record, and each request to OTLP one
// model call. One agent fails.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	sessions, calls, failed := map[string]int{}, 0, false
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/v1/logs" {
			assert.Contains(t, string(body), `"stringValue":"claude_code.api_request"`)
			assert.True(t, json.Valid(body))
			calls++
			return
		}
		assert.Equal(t, "/v1/observations", r.URL.Path)
		for line := range strings.Lines(string(body)) {
			var record struct {
				Session      string
				Message, End map[string]any
			}
			assert.NoError(t, json.Unmarshal([]byte(line), &record), line)
			assert.NotEqual(t, record.Message == nil, record.End == nil, line)
			failed = failed || record.End["exit_code"] == 1.0
			sessions[record.Session]++
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer collector.Close()
	var out bytes.Buffer
	require.NoError(t, Run(t.Context(), Options{Endpoint: collector.URL, OTLP: collector.URL, Speed: 100_000, Out: &out}))
	assert.Len(t, sessions, 4)
	assert.Equal(t, 9, calls)
	assert.True(t, failed)
	assert.Equal(t, 5, strings.Count(out.String(), "\n"))
	for session := range sessions {
		assert.Contains(t, out.String(), session)
	}
}

// A collector that rejects is an error that says so.
func TestRejected(t *testing.T) {
	collector := httptest.NewServer(http.NotFoundHandler())
	defer collector.Close()
	err := Run(t.Context(), Options{Endpoint: collector.URL, OTLP: collector.URL, Speed: 100_000, Out: io.Discard})
	require.ErrorContains(t, err, "/v1/observations rejected it: 404 Not Found")
}
