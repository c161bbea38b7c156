package tap

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// What a server gets with --propagate is the span that the collector makes of
// the call.
func TestPropagatedContextIsTheCallsSpan(t *testing.T) {
	c := startCollector(t)
	got := filepath.Join(t.TempDir(), "got")
	server := `while read -r line; do echo "$line" > ` + got + `; echo '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'; done`
	p := startTapped(t, c.endpoint, []string{"--propagate"}, "/bin/sh", "-c", server)
	p.call(t, 1)
	require.NoError(t, p.in.Close())
	require.NoError(t, p.Wait())
	line, err := os.ReadFile(got)
	require.NoError(t, err)
	var request struct {
		Params struct {
			Meta struct {
				Traceparent string `json:"traceparent"`
				RequestID   string `json:"mcp.request_id"`
			} `json:"_meta"`
		} `json:"params"`
	}
	require.NoError(t, json.Unmarshal(line, &request))
	harness.Eventually(t, "the call has no span", func() bool { return called(c, 1) })
	span := spansOf(c.sink.Received())[key{"outbound", "1"}][0]
	assert.Equal(t, fmt.Sprintf("00-%s-%s-01", span.TraceID(), span.SpanID()), request.Params.Meta.Traceparent)
	assert.Equal(t, text(span, "mcp.request_id"), request.Params.Meta.RequestID)
	assert.NotEmpty(t, request.Params.Meta.RequestID)
}
