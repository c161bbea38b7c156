package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// No web page reaches the MCP server, directly or by DNS rebinding, and
// credentials are asked for where they are configured.
func TestStrangersAtTheMCPServer(t *testing.T) {
	s := harness.StartSink(t)
	env := map[string]string{"SINK_ADDRESS": s.Address, "TOKEN": "open" + "sesame"}
	open, guarded := startCollector(t, "sink.yaml", env), startCollector(t, "bearer.yaml", env)
	for _, tt := range []struct {
		name   string
		to     *collector
		change func(*http.Request)
		want   int
	}{
		{"a host", open, func(*http.Request) {}, http.StatusAccepted},
		{"a page", open, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		{"a rebound name", open, func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		{"nobody", guarded, func(*http.Request) {}, http.StatusUnauthorized},
		{"somebody", guarded, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+env["TOKEN"]) }, http.StatusAccepted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"idle"}}`)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+tt.to.mcp+"/mcp", body)
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			tt.change(r)
			response, err := tt.to.client.Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, tt.want, response.StatusCode)
		})
	}
}
