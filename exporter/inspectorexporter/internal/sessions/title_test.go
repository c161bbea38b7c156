package sessions

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTitles(t *testing.T) {
	for name, c := range map[string]struct {
		pairs []any
		want  string
	}{
		"reported":               {[]any{"mcp.session.title", "Fix it", "process.working_directory", "/src/shop"}, "Fix it"},
		"the directory":          {[]any{"process.working_directory", "/home/me/shop"}, "shop"},
		"a directory of Windows": {[]any{"process.working_directory", `C:\work\shop`}, "shop"},
		"with a branch":          {[]any{"process.working_directory", "/home/me/shop", "vcs.ref.head.name", "fix/cart"}, "shop (fix/cart)"},
		"nothing":                {[]any{"mcp.client.name", "claude-code"}, "claude-code · s"},
		"a tapped server":        {[]any{"mcp.workflow.type", "mcp_session", "mcp.server.name", "files", "mcp.session.title", "files"}, "files · s"},
		"and its client":         {[]any{"mcp.workflow.type", "mcp_session", "mcp.server.name", "files", "mcp.client.name", "my-agent"}, "my-agent → files · s"},
		"a client without name":  {[]any{"mcp.workflow.type", "mcp_session", "mcp.server.name", "files", "mcp.client.name", "mcp-client"}, "files · s"},
		"a host with servers":    {[]any{"mcp.workflow.type", "host_session", "mcp.server.name", "files", "mcp.client.name", "my-agent"}, "my-agent · s"},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := board(10)
			stateRecord(1, 1, c.pairs...)(b)
			assert.Equal(t, c.want, row(t, b, "s").Title)
			again, _ := board(10)
			again.Known("s", b.Meta("s"), 1, false)
			assert.Equal(t, c.want, row(t, again, "s").Title)
		})
	}
}

// TestNamesOfTraces: a trace without state records is named by its marker or root.
func TestNamesOfTraces(t *testing.T) {
	b, _ := board(10)
	span("s", "chat", 3, 2, 1, 2)(b)
	assert.Equal(t, "session · s", row(t, b, "s").Title)
	span("s", "answer a question", 2, 0, 0, 3)(b)
	assert.Equal(t, "answer a question", row(t, b, "s").Title)
}

func TestEngineOfTheReference(t *testing.T) {
	b, _ := board(10)
	u := span("s", "session.start", 2, 1, 0, 0, "mcp.engine.type", "asyncio")(b)
	assert.Equal(t, "asyncio", row(t, b, "s").Engine)
	assert.Equal(t, "asyncio", *u.Events[0].Engine)
	u = span("r", "session.start", 2, 1, 0, 0)(b)
	assert.Equal(t, "mcp", *u.Events[0].Engine)
}
