package tap

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// The everything server over stdio, with the SDK's client.
func TestEverythingOverStdio(t *testing.T) {
	node, dir := peers(t)
	c := startCollector(t)
	s := newStack(t, c, []string{"--server", "everything"}, node, everything(dir), "stdio")
	client(t, dir, append([]string{node, "tap.mjs", "stdio"}, s.command...)...)

	in, out := s.same(t)
	ended := root(t, c)
	assert.Equal(t, "closed", text(ended, "mcp.session.end_reason"))
	assert.Equal(t, "0", text(ended, "process.exit.code"))
	want := calls(t, lines(in), lines(out))
	assert.Greater(t, len(want), 30)
	assertSpans(t, want, c.sink.Received())
}

// The official Go SDK's example server, with its client.
func TestGoSDK(t *testing.T) {
	server := filepath.Join(t.TempDir(), "everything")
	build := exec.Command("go", "build", "-o", server, "github.com/modelcontextprotocol/go-sdk/examples/server/everything")
	build.Dir = harness.Root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	c := startCollector(t)
	s := newStack(t, c, nil, server)

	sdk := mcp.NewClient(&mcp.Implementation{Name: "go-client", Version: "1"}, nil)
	session, err := sdk.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(s.command[0], s.command[1:]...)}, nil)
	require.NoError(t, err)
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.NotEmpty(t, tools.Tools)
	for _, tool := range tools.Tools {
		_, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: map[string]any{"name": "Zoë 😀"}})
	}
	_, _ = session.ListPrompts(t.Context(), nil)
	_, _ = session.ListResources(t.Context(), nil)
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "no such tool"})
	require.Error(t, err)
	require.NoError(t, session.Close())

	root(t, c)
	sent, got := s.same(t)
	want := calls(t, lines(sent), lines(got))
	assert.Greater(t, len(want), 4)
	assertSpans(t, want, c.sink.Received())
}

// An ACP agent with two sessions on one connection: a trace each.
func TestACP(t *testing.T) {
	node, dir := peers(t)
	c := startCollector(t)
	s := newStack(t, c, []string{"--protocol", "acp"}, node, "acp-agent.mjs")
	client(t, dir, append([]string{node, "acp-client.mjs"}, s.command...)...)
	s.same(t)

	roots := map[string]string{}
	harness.Eventually(t, "no three roots: two ACP sessions, and the connection's", func() bool {
		for _, span := range every(c.sink.Received()) {
			if span.Name() == "workflow.run" {
				roots[text(span, "session.id")] = span.TraceID().String()
			}
		}
		return len(roots) == 3
	})
	names := map[string]map[string]int{}
	for _, span := range every(c.sink.Received()) {
		session := text(span, "session.id")
		assert.Equal(t, roots[session], span.TraceID().String(), span.Name())
		if names[session] == nil {
			names[session] = map[string]int{}
		}
		names[session][span.Name()]++
	}
	for _, session := range []string{"acp-1", "acp-2"} {
		assert.Equal(t, 1, names[session]["agent.call"], "session/prompt")
		assert.Equal(t, 2, names[session]["tool.call"])
		assert.Equal(t, 1, names[session]["fs/read_text_file"])
		assert.Equal(t, 1, names[session]["signal.wait"], "session/request_permission")
	}
}
