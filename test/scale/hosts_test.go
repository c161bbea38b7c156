package scale

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const (
	opening   = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`
	listing   = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	heartbeat = `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"idle"}}`
)

// host sends a request of an agent host to the MCP server behind nginx.
func (g *group) host(t *testing.T, method, agent, session, body string) *http.Response {
	t.Helper()
	url := fmt.Sprintf("http://%s/mcp?agent=%s", g.address, agent)
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response
}

// A receiver makes up the id of an MCP session: what follows must come to it,
// and not to where the id is hashed to.
func TestAgentHostsBehindNginx(t *testing.T) {
	t.Parallel()
	g := startGroup(t, 3)
	for i := range 60 {
		agent := named("agent", i)
		opened := g.host(t, http.MethodPost, agent, "", opening)
		session := opened.Header.Get("Mcp-Session-Id")
		require.NotEmpty(t, session, opened.Status)
		assert.Equal(t, http.StatusOK, g.host(t, http.MethodPost, agent, session, listing).StatusCode)
		assert.Equal(t, http.StatusAccepted, g.host(t, http.MethodPost, agent, session, heartbeat).StatusCode)
		assert.Equal(t, http.StatusNoContent, g.host(t, http.MethodDelete, agent, session, "").StatusCode)
	}
	used := 0
	for _, r := range g.receivers {
		if harness.Scrape(t, "http://"+r.metrics+"/metrics").Sum("otelcol_mcp_receiver_accepted_messages", "endpoint", "/mcp") > 0 {
			used++
		}
	}
	assert.Equal(t, 3, used, "every receiver has sessions")
}
