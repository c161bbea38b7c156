package e2e

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// collector is a running otelcol-mcp.
type collector struct {
	*harness.Process
	mcp     string // address of the mcp receiver
	metrics string // address of its own Prometheus endpoint
	token   string // bearer token to send, if any
	client  *http.Client
}

// startCollector runs the collector with testdata/config/<config>, which says
// with ${env:…} where it wants what is given here.
func startCollector(t *testing.T, config string, env map[string]string) *collector {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "config", config))
	require.NoError(t, err)
	c := &collector{mcp: harness.FreeAddress(t), metrics: harness.FreeAddress(t), client: &http.Client{Timeout: harness.Patience}}
	t.Cleanup(c.client.CloseIdleConnections)
	all := []string{"MCP_ADDRESS=" + c.mcp, "METRICS_PORT=" + harness.PortOf(t, c.metrics)}
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	c.Process = harness.Start(t, "otelcol-mcp", harness.Collector(t), all, []string{"--config", path})
	c.Ready(t, func() bool { return c.Logged("Everything is ready.") })
	return c
}

// ownMetrics returns what the collector tells about itself.
func (c *collector) ownMetrics(t *testing.T) harness.Families {
	t.Helper()
	return harness.Scrape(t, "http://"+c.metrics+"/metrics")
}
