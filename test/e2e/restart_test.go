package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// A recorded session through a collector that stops, or crashes, and starts again
// five times is the very same telemetry as without.
func TestRestartsChangeNothing(t *testing.T) {
	for how, stop := range map[string]func(*testing.T, *collector, string){
		"stops": func(t *testing.T, c *collector, _ string) { c.Terminate(t) },
		"crashes": func(t *testing.T, c *collector, dir string) {
			awaitStored(t, c, dir)
			c.Kill(t)
		},
	} {
		for _, scenario := range replayed {
			t.Run(how+" "+scenario, func(t *testing.T) {
				t.Parallel()
				s, dir := harness.StartSink(t), t.TempDir()
				env := map[string]string{"SINK_ADDRESS": s.Address, "STATE_DIR": dir}
				lines := readTranscript(t, recorded(scenario)).lines
				c := startCollector(t, "storage.yaml", env)
				for i, line := range lines {
					if i%(len(lines)/5) == 3 {
						stop(t, c, dir)
						c = startCollector(t, "storage.yaml", env)
					}
					c.accepts(t, line)
				}
				assertSameSpans(t, readGolden(t, goldenOf(scenario)), withoutMarks(s.Received()))
			})
		}
	}
}

const mark = "mark-of-the-test-"

// awaitStored waits until all that was said is in the storage. What is said later
// is written later, and what the file has of one write is valid at the latest when
// the next one begins.
func awaitStored(t *testing.T, c *collector, dir string) {
	t.Helper()
	for i := range 2 {
		session := fmt.Sprint(mark, c.ID(), "-", i)
		c.accepts(t, fmt.Appendf(nil, `{"session":%q,"message":{"jsonrpc":"2.0","method":"notifications/initialized"}}`, session))
		harness.Eventually(t, "open sessions are not written", func() bool { return bytes.Contains(readFiles(t, dir), []byte(session)) })
	}
}

func readFiles(t *testing.T, dir string) (all []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, text...)
	}
	return all
}

// withoutMarks leaves out the spans of what awaitStored said.
func withoutMarks(traces ptrace.Traces) ptrace.Traces {
	traces.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				id, _ := attribute(span, "session.id").(string)
				return strings.HasPrefix(id, mark)
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	return traces
}

// A host goes on in the MCP session that it opened before the restart.
func TestHostsStayConnected(t *testing.T) {
	s := harness.StartSink(t)
	env := map[string]string{"SINK_ADDRESS": s.Address, "STATE_DIR": t.TempDir()}
	c := startCollector(t, "storage.yaml", env)
	opened := c.host(t, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`)
	session := opened.Header.Get("Mcp-Session-Id")
	require.NotEmpty(t, session)
	working := `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`
	require.Equal(t, http.StatusAccepted, c.host(t, session, working).StatusCode)
	c.Terminate(t)
	c = startCollector(t, "storage.yaml", env)
	idle := strings.Replace(working, "working", "idle", 1)
	require.Equal(t, http.StatusAccepted, c.host(t, session, idle).StatusCode)
	phase := only(t, named(s.Received(), "host.phase"))
	assert.Equal(t, "working", attribute(phase, "mcp.host.phase"))
	only(t, named(s.Received(), "session.start"))
	assert.Empty(t, named(s.Received(), "workflow.run"), "it has not ended")
}

// host sends a message as an agent host does.
func (c *collector) host(t *testing.T, session, body string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.mcp+"/mcp", strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	response, err := c.client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response
}
