package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// TestScriptsAreRecords: each line is one observation record.
func TestScriptsAreRecords(t *testing.T) {
	var records atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		for line := range strings.Lines(string(body)) {
			var record struct{ Message, End map[string]any }
			assert.NoError(t, json.Unmarshal([]byte(line), &record), line)
			assert.NotEqual(t, record.Message == nil, record.End == nil, line)
			records.Add(1)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	d := &demo{endpoint: server.URL, speed: 100_000, run: "test"}
	require.NoError(t, d.play(t.Context(), "", ""))
	assert.Greater(t, records.Load(), int64(50))
}

// TestTelemetryIsOTLP: each request is one log record of a model call.
func TestTelemetryIsOTLP(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		request := plogotlp.NewExportRequest()
		assert.NoError(t, request.UnmarshalJSON(body))
		calls.Add(int64(request.Logs().LogRecordCount()))
		assert.Equal(t, "/v1/logs", r.URL.Path)
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	d := &demo{otlp: server.URL, speed: 100_000, run: "test"}
	require.NoError(t, d.telemetry(t.Context()))
	assert.Equal(t, int64(9), calls.Load())
}
