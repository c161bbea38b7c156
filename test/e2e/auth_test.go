package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

func TestBearerToken(t *testing.T) {
	s := harness.StartSink(t)
	c := startCollector(t, "bearer.yaml", map[string]string{"SINK_ADDRESS": s.Address, "TOKEN": "open-sesame"})
	body := readTranscript(t, everything).body

	require.Equal(t, http.StatusUnauthorized, c.post(t, body).status, "no token")
	c.token = "a-wrong-one"
	require.Equal(t, http.StatusUnauthorized, c.post(t, body).status, "a wrong token")
	require.Zero(t, s.Received().SpanCount())
	c.token = "open-sesame"
	c.accepts(t, body)
	assertSameSpans(t, readGolden(t, goldenOf("everything")), s.Received())
}
