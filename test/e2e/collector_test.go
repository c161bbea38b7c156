package e2e

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// collector is a running otelcol-mcp.
type collector struct {
	*process
	mcp     string // address of the mcp receiver
	metrics string // address of its own Prometheus endpoint
	token   string // bearer token to send, if any
	client  *http.Client
}

// startCollector runs the collector with testdata/config/<config>, which says
// with ${env:…} where it wants what is given here.
func startCollector(t *testing.T, config string, env map[string]string) *collector {
	t.Helper()
	binary, err := collectorBinary()
	require.NoError(t, err)
	path, err := filepath.Abs(filepath.Join("testdata", "config", config))
	require.NoError(t, err)
	c := &collector{mcp: freeAddress(t), metrics: freeAddress(t), client: &http.Client{Timeout: patience}}
	t.Cleanup(c.client.CloseIdleConnections)
	all := []string{"MCP_ADDRESS=" + c.mcp, "METRICS_PORT=" + portOf(t, c.metrics)}
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	c.process = startProcess(t, "otelcol-mcp", binary, all, []string{"--config", path})
	c.ready(t, func() bool { return c.log.contains("Everything is ready.") })
	return c
}

// ownMetrics is what the collector tells about itself.
func (c *collector) ownMetrics(t *testing.T) families {
	t.Helper()
	return scrape(t, "http://"+c.metrics+"/metrics")
}
