package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// Claude Code itself cannot be had here: it needs an account. What runs instead
// does what its documentation says that it does with these settings, one event
// after another, and reads the settings and commands from our documentation.

// claudeHook is a handler of Claude Code's settings.
type claudeHook struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	URL     string `json:"url"`
	Async   bool   `json:"async"`
	Timeout int    `json:"timeout"`
}

type claudeSettings struct {
	Hooks map[string][]struct {
		Matcher string       `json:"matcher"`
		Hooks   []claudeHook `json:"hooks"`
	} `json:"hooks"`
}

// documented is the text of all blocks of that language in a document.
func documented(t *testing.T, path, language string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root, path))
	require.NoError(t, err)
	for _, rest := range strings.Split(string(text), "```"+language+"\n")[1:] {
		block, _, ok := strings.Cut(rest, "```")
		require.True(t, ok)
		blocks = append(blocks, block)
	}
	return blocks
}

func documentedSettings(t *testing.T, which int) (s claudeSettings) {
	t.Helper()
	blocks := documented(t, "docs/claude-code.md", "json")
	require.Len(t, blocks, 2, "settings with commands and with HTTP")
	require.NoError(t, json.Unmarshal([]byte(blocks[which]), &s))
	return s
}

// fire does with an event what Claude Code does. Whatever is said must be
// nothing: output would be taken for context or for a decision.
func (s claudeSettings) fire(t *testing.T, base string, event []byte, up bool) {
	t.Helper()
	var e struct {
		Name string `json:"hook_event_name"`
	}
	require.NoError(t, json.Unmarshal(event, &e))
	groups := s.Hooks[e.Name]
	require.Len(t, groups, 1, "no hook for %s", e.Name)
	for _, h := range groups[0].Hooks {
		if h.Type == "http" {
			postHook(t, strings.Replace(h.URL, "http://localhost:4319", base, 1), event, up)
			continue
		}
		require.Equal(t, "command", h.Type)
		require.True(t, h.Async || e.Name == "SessionEnd")
		output, err := h.run(t, base, event).CombinedOutput()
		require.NoError(t, err, "%s", output)
		require.Empty(t, output)
	}
}

func (h claudeHook) run(t *testing.T, base string, event []byte) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", h.Command)
	cmd.Env = append(os.Environ(), "OTELCOL_MCP_URL="+base)
	cmd.Stdin = bytes.NewReader(event)
	return cmd
}

func postHook(t *testing.T, url string, event []byte, up bool) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(event))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	client := &http.Client{Timeout: harness.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if !up {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, response.StatusCode, "%s", body)
	require.Empty(t, body)
}

func claudeEvents(t *testing.T) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "claude-code", "session.ndjson"))
	require.NoError(t, err)
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

func TestClaudeCode(t *testing.T) {
	for which, name := range []string{"commands", "http"} {
		t.Run(name, func(t *testing.T) {
			sink := harness.StartSink(t)
			c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": sink.Address})
			settings := documentedSettings(t, which)
			for _, event := range claudeEvents(t) {
				settings.fire(t, "http://"+c.mcp, event, true)
			}
			var got ptrace.Traces
			harness.Eventually(t, "the session's root does not come", func() bool {
				got = sink.Received()
				return len(named(got, "workflow.run")) > 0
			})
			requireClaudeSession(t, got)
		})
	}
}

// TestClaudeCodeInTheBackground starts the hooks of many tool calls at once, so
// that ends overtake starts: each call is told once, and whole.
func TestClaudeCodeInTheBackground(t *testing.T) {
	sink := harness.StartSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": sink.Address})
	settings, base := documentedSettings(t, 0), "http://"+c.mcp
	const calls = 12
	var running []*exec.Cmd
	for i := range calls {
		for _, name := range []string{"PreToolUse", "PostToolUse"} {
			event := fmt.Appendf(nil, `{"session_id":"e2e-2","hook_event_name":%q,"tool_name":"Read","tool_input":{"file_path":"/%d"},"tool_use_id":"toolu_%d","duration_ms":3}`, name, i, i)
			cmd := settings.Hooks[name][0].Hooks[0].run(t, base, event)
			require.NoError(t, cmd.Start())
			running = append(running, cmd)
		}
	}
	for _, cmd := range running {
		require.NoError(t, cmd.Wait())
	}
	settings.fire(t, base, []byte(`{"session_id":"e2e-2","hook_event_name":"SessionEnd","reason":"other"}`), true)
	harness.Eventually(t, "the session's root does not come", func() bool {
		return len(named(sink.Received(), "workflow.run")) > 0
	})
	seen := map[any]bool{}
	for _, span := range named(sink.Received(), "tool.call") {
		require.Nil(t, attribute(span, "mcp.span.incomplete"))
		seen[attribute(span, "gen_ai.tool.call.id")] = true
	}
	require.Len(t, named(sink.Received(), "tool.call"), calls)
	require.Len(t, seen, calls)
}

// TestClaudeCodeIsItWorking runs what the documentation gives to find out.
func TestClaudeCodeIsItWorking(t *testing.T) {
	sink := harness.StartSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": sink.Address})
	blocks := documented(t, "docs/claude-code.md", "sh")
	require.Len(t, blocks, 1)
	run := func(address string) string {
		text := strings.ReplaceAll(blocks[0], "localhost:4319", address)
		output, _ := exec.CommandContext(t.Context(), "sh", "-c", text).CombinedOutput()
		return string(output)
	}
	require.Equal(t, "000\n000\n", run(harness.FreeAddress(t)))
	require.Equal(t, "202\n202\n", run(c.mcp))
	harness.Eventually(t, "the session's root does not come", func() bool {
		return len(named(sink.Received(), "workflow.run")) > 0
	})
	got := sink.Received()
	root := named(got, "workflow.run")[0]
	require.Equal(t, "is-it-working", attribute(root, "session.id"))
	for _, name := range []string{"hook.UserPromptSubmit", "host.phase"} {
		require.Len(t, named(got, name), 1)
		require.Equal(t, root.SpanID(), named(got, name)[0].ParentSpanID())
	}
}

// TestClaudeCodeWithoutCollector: nothing is said and nothing fails.
func TestClaudeCodeWithoutCollector(t *testing.T) {
	base := "http://" + harness.FreeAddress(t)
	settings := documentedSettings(t, 0)
	for _, event := range claudeEvents(t)[:3] {
		settings.fire(t, base, event, false)
	}
}

func requireClaudeSession(t *testing.T, got ptrace.Traces) {
	t.Helper()
	root := named(got, "workflow.run")[0]
	require.Equal(t, "e2e-1", attribute(root, "session.id"))
	require.Equal(t, "host_session", attribute(root, "mcp.workflow.type"))
	require.Equal(t, "finished", attribute(root, "mcp.session.end_reason"))
	require.Equal(t, `"Let the parser's tests pass: \"quotes\", $HOME and `+"`ticks`"+` too"`, attribute(root, "mcp.workflow.input_json"))
	agent := named(got, "agent.call")
	require.Len(t, agent, 1)
	require.Equal(t, "Explore", attribute(agent[0], "mcp.agent.name"))

	tools := map[any]ptrace.Span{}
	for _, span := range named(got, "tool.call") {
		require.Equal(t, root.TraceID(), span.TraceID())
		tools[attribute(span, "mcp.tool.name")] = span
	}
	require.Len(t, tools, 3)
	require.Equal(t, ptrace.StatusCodeError, tools["Bash"].Status().Code())
	require.Contains(t, attribute(tools["Bash"], "mcp.error.message"), "Cannot find module 'express'")
	turns := named(got, "agent.turn")
	require.Len(t, turns, 2)
	slices.SortFunc(turns, func(a, b ptrace.Span) int { return int(a.StartTimestamp()) - int(b.StartTimestamp()) })
	require.Equal(t, root.SpanID(), turns[0].ParentSpanID())
	require.Equal(t, turns[0].SpanID(), tools["Agent"].ParentSpanID())
	search := tools["search_code"]
	require.Equal(t, agent[0].SpanID(), search.ParentSpanID())
	require.Equal(t, "github", attribute(search, "mcp.server.name"))
	require.Equal(t, `[{"type":"text","text":"3 results"}]`, attribute(search, "mcp.tool.output_json"))

	phases := named(got, "host.phase")
	slices.SortStableFunc(phases, func(a, b ptrace.Span) int { return int(a.StartTimestamp()) - int(b.StartTimestamp()) })
	var names []any
	for _, span := range phases {
		names = append(names, attribute(span, "mcp.host.phase"))
	}
	require.Equal(t, []any{
		"working", "waiting_approval", "working", "compacting", "working", "waiting_approval", "working", "idle", "working", "error",
	}, names)
}
