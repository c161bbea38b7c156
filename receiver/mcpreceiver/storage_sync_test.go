package mcpreceiver

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/mcpserver"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

func synced() *Config {
	id := component.MustNewID("file_storage")
	cfg := quiet()
	cfg.Storage, cfg.StorageSync = &id, true
	cfg.StorageInterval = time.Hour // nothing is stored by the way
	return cfg
}

// A request that was answered is not lost by a kill, however many came together.
func TestSyncedRequestsSurviveAKill(t *testing.T) {
	host := &full{memory: memory{kept: map[string][]byte{}}, room: 1000}
	start := func() *mcpReceiver {
		r := assemble(t, synced(), &gate{})
		require.NoError(t, r.Start(t.Context(), host))
		t.Cleanup(func() { _ = r.Shutdown(context.WithoutCancel(t.Context())) })
		return r
	}
	r := start()
	var senders sync.WaitGroup
	for i := range 40 {
		senders.Go(func() { assert.Equal(t, http.StatusAccepted, tell(t, r, "s-"+strconv.Itoa(i%4), callWithID(i))) })
	}
	senders.Wait()
	was := r.runner.Engine.Sizes()
	require.Equal(t, 40, was.Calls)

	killed := start() // nothing of r was stopped
	assert.Equal(t, was, killed.runner.Engine.Sizes())
}

func callWithID(id int) string {
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"tools/call","params":{"name":"n"}}`
}

func post(handler http.Handler, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// Every way in stores before it answers.
func TestEveryWayInIsSynced(t *testing.T) {
	for path, body := range map[string]string{
		push.ObservationsPath: toolCall,
		push.InspectorPath:    `{"type": "SessionStarted", "session_id": "s", "engine": "asyncio", "title": "x"}`,
		push.ClaudeCodePath:   `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t-1","tool_input":{}}`,
		mcpserver.Path:        `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`,
	} {
		t.Run(path, func(t *testing.T) {
			r := assemble(t, synced(), &gate{})
			stored := 0
			r.runner.Sync = func(context.Context) error { stored++; return nil }
			mux := http.NewServeMux()
			push.Register(mux, r.runner)
			mcpserver.Register(mux, r.runner, mcpServerOptions(r.set, r.cfg))
			require.Equal(t, http.StatusAccepted, post(mux, path, body).Code)
			assert.Equal(t, 1, stored)
		})
	}
}

// What cannot be stored was handed on already, and stays in memory. What follows
// is refused until the storage works again.
func TestSyncThatFails(t *testing.T) {
	host := &full{memory: memory{kept: map[string][]byte{}}}
	r := assemble(t, synced(), &gate{})
	require.NoError(t, r.Start(t.Context(), host))
	require.Equal(t, http.StatusAccepted, tell(t, r, "s", callWithID(1)))
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	refused := post(mux, push.ObservationsPath, callWithID(2))
	require.Equal(t, http.StatusServiceUnavailable, refused.Code)
	assert.Equal(t, "1", refused.Header().Get("Retry-After"))
	assert.Equal(t, 1, r.runner.Engine.Sizes().Calls, "nothing of it was accepted")

	host.mu.Lock()
	host.room = 100
	host.mu.Unlock()
	require.Equal(t, http.StatusAccepted, tell(t, r, "s", callWithID(3)))
	killed := assemble(t, synced(), &gate{})
	require.NoError(t, killed.Start(t.Context(), host))
	assert.Equal(t, 2, killed.runner.Engine.Sizes().Calls)
	require.NoError(t, errors.Join(r.Shutdown(t.Context()), killed.Shutdown(t.Context())))
}

func TestSyncNeedsStorage(t *testing.T) {
	cfg := synced()
	cfg.Storage = nil
	require.ErrorContains(t, cfg.Validate(), "storage_sync needs storage")
}
