package mcpreceiver

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configmiddleware"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadatatest"
)

// TestMiddlewareRefuses as the memory limiter does, which sets no Retry-After.
func TestMiddlewareRefuses(t *testing.T) {
	r, tel := measured(t, quiet(), &gate{})
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	limiter := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "full", http.StatusTooManyRequests) })
	counted := r.noteMiddleware(&confighttp.ServerConfig{Middlewares: []configmiddleware.Config{{}}}, mux)
	w := httptest.NewRecorder()
	counted(limiter).ServeHTTP(w, httptest.NewRequest(http.MethodPost, push.ObservationsPath, http.NoBody))
	assert.Equal(t, http.StatusTooManyRequests, w.Code)
	assert.Equal(t, "1", w.Header().Get("Retry-After"))
	metadatatest.AssertEqualMcpReceiverRejectedMessages(t, tel,
		single(1, "endpoint", push.ObservationsPath, "reason", "middleware"), metricdatatest.IgnoreTimestamp())
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}
