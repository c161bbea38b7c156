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
