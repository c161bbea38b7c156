package sessions

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
)

func TestTitles(t *testing.T) {
	long := strings.Repeat("wörter ", 100)
	for name, c := range map[string]struct {
		pairs []any
		want  string
	}{
		"told":                   {[]any{"mcp.session.title", "Told", "mcp.workflow.input_json", `"Fix it"`}, "Told"},
		"the first prompt":       {[]any{"mcp.workflow.input_json", `"  \n Fix the\tbuild \n and then"`, "process.working_directory", "/src/shop"}, "Fix the build"},
		"content blocks":         {[]any{"mcp.workflow.input_json", `[{"type":"image"},{"type":"text","text":"Look at this"}]`}, "Look at this"},
		"an object with a text":  {[]any{"mcp.workflow.input_json", `{"prompt":"Say hello"}`}, "Say hello"},
		"a prompt that was cut":  {[]any{"mcp.workflow.input_json", `"Fix \u00`}, "Fix"},
		"an object without":      {[]any{"mcp.workflow.input_json", `{"a":1}`, "process.working_directory", "/home/me/shop/"}, "shop"},
		"the directory":          {[]any{"process.working_directory", "/home/me/shop"}, "shop"},
		"a directory of Windows": {[]any{"process.working_directory", `C:\work\shop`}, "shop"},
		"with a branch":          {[]any{"process.working_directory", "/home/me/shop", "vcs.ref.head.name", "fix/cart"}, "shop (fix/cart)"},
		"nothing":                {[]any{"mcp.client.name", "claude-code"}, "claude-code · s"},
		"a tapped server":        {[]any{"mcp.workflow.type", "mcp_session", "mcp.server.name", "files", "mcp.session.title", "files"}, "files · s"},
		"and its client":         {[]any{"mcp.workflow.type", "mcp_session", "mcp.server.name", "files", "mcp.client.name", "my-agent"}, "my-agent → files · s"},
		"a client without name":  {[]any{"mcp.workflow.type", "mcp_session", "mcp.server.name", "files", "mcp.client.name", "mcp-client"}, "files · s"},
		"a host with servers":    {[]any{"mcp.workflow.type", "host_session", "mcp.server.name", "files", "mcp.client.name", "my-agent"}, "my-agent · s"},
		"no prompt at all":       {[]any{"mcp.workflow.input_json", `""`, "mcp.client.name", "claude-code"}, "claude-code · s"},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := board(10)
			span("s", "session.start", 2, 1, 0, 0, c.pairs...)(b)
			assert.Equal(t, c.want, row(t, b, "s").Title)
		})
	}
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	span("s", "hook.UserPromptSubmit", 4, 1, 5, 5, "mcp.workflow.input_json", `"And now the second"`)(b)
	span("s", "hook.UserPromptSubmit", 3, 1, 1, 1, "mcp.workflow.input_json", `"`+long+`"`)(b)
	title := row(t, b, "s").Title
	assert.True(t, strings.HasPrefix(title, "wörter wörter"), title)
	assert.LessOrEqual(t, utf8.RuneCountInString(title), facts.MaxTitle)
	span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed")(b)
	assert.Equal(t, title, row(t, b, "s").Title)

	again, _ := board(10)
	assert.True(t, again.Known("s", b.Meta("s"), 1))
	assert.Equal(t, title, row(t, again, "s").Title)
}

// TestAPromptSaysMoreThanAnEarlyTitle: the receiver names an agent's session by its
// directory until there is a prompt; an Inspector names its own.
func TestAPromptSaysMoreThanAnEarlyTitle(t *testing.T) {
	prompt := func(b *Board) {
		span("s", "hook.UserPromptSubmit", 3, 1, 1, 1, "mcp.workflow.input_json", `"Fix the cart"`)(b)
	}
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0, "mcp.session.title", "shop (main)")(b)
	assert.Equal(t, "shop (main)", row(t, b, "s").Title)
	prompt(b)
	assert.Equal(t, "Fix the cart", row(t, b, "s").Title)
	span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed", "mcp.session.title", "The agent's own", "mcp.workflow.input_json", `"Fix the cart"`)(b)
	assert.Equal(t, "The agent's own", row(t, b, "s").Title)

	b, _ = board(10)
	span("s", "session.start", 2, 1, 0, 0, "mcp.session.title", "Told", "mcp.workflow.engine", "asyncio")(b)
	prompt(b)
	assert.Equal(t, "Told", row(t, b, "s").Title)
}
