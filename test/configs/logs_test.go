package configs

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// records are the log records that a backend received, by name of the event.
type records struct {
	plogotlp.UnimplementedGRPCServer
	mu     sync.Mutex
	bodies map[string]string
}

// Export implements plogotlp.GRPCServer.
func (r *records) Export(_ context.Context, req plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bodies == nil {
		r.bodies = map[string]string{}
	}
	for _, resource := range req.Logs().ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				r.bodies[record.EventName()] = record.Body().AsString()
			}
		}
	}
	return plogotlp.NewExportResponse(), nil
}

// ServeHTTP is OTLP over HTTP at the path that Loki has for it.
func (r *records) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	req := plogotlp.NewExportRequest()
	if q.URL.Path != "/otlp/v1/logs" || err != nil || req.UnmarshalProto(gunzipped(q, body)) != nil {
		http.Error(w, "not OTLP", http.StatusBadRequest)
		return
	}
	_, _ = r.Export(q.Context(), req) // never fails
}

func (r *records) body(event string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bodies[event]
}

// TestLogs: what the receiver logs reaches the backend of each configuration whose backend takes logs.
func TestLogs(t *testing.T) {
	for name, test := range map[string]struct{ config, variable string }{
		"privacy":  {"embedded:privacy", "OTLP_ENDPOINT"},
		"receiver": {filepath.Join(harness.Root, "config", "scale", "receiver.yaml"), "LOGS_ENDPOINT"},
	} {
		t.Run(name, func(t *testing.T) {
			b, endpoint := startBackend(t)
			p := start(t, []string{test.variable + "=" + endpoint}, "--config", test.config)
			sendConversation(t, p)
			arrives(t, &b.records)
		})
	}
	t.Run("tempo", func(t *testing.T) {
		b, endpoint := startBackend(t)
		loki := &records{}
		server := httptest.NewServer(loki)
		defer server.Close()
		p := start(t, []string{"TEMPO_ENDPOINT=" + endpoint, "LOKI_ENDPOINT=" + server.URL + "/otlp"}, "--config", "embedded:tempo")
		sendConversation(t, p)
		arrives(t, loki)
		b.calls(t)
		assert.Empty(t, b.body("session.end"), "Tempo takes no logs")
	})
}

func arrives(t *testing.T, r *records) {
	t.Helper()
	require.Eventually(t, func() bool { return r.body("session.end") != "" }, 30*time.Second, 50*time.Millisecond)
	assert.Equal(t, "no signal", r.body("notifications/message"))
}
