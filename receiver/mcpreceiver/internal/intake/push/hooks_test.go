package push

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// stuckSink takes nothing until nobody wants to know any more.
type stuckSink struct{}

func (stuckSink) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (stuckSink) ConsumeTraces(ctx context.Context, _ ptrace.Traces) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestHooksAreAnsweredSoon(t *testing.T) {
	instruments() // outside of the bubble: they outlive it
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		b.runner.Traces = stuckSink{}
		began := time.Now()
		w := b.post(ClaudeCodePath, "application/json", []byte(`{"session_id":"s","hook_event_name":"Stop"}`))
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Equal(t, hooksWait, time.Since(began))
		require.Equal(t, store.Sizes{}, b.runner.Engine.Sizes(), "what was refused leaves nothing")
	})
}

// hookBodies are the inputs of hooks that the decoders of agents are tested with,
// by path.
func hookBodies(tb testing.TB) map[string]string {
	bodies := map[string]string{}
	packages := map[string]string{
		"codex": mcpconv.Codex, "copilot": mcpconv.Copilot, "cursor": mcpconv.Cursor, "geminicli": mcpconv.GeminiCLI,
		"opencode": mcpconv.OpenCode,
	}
	protocols := os.DirFS("../../../../../internal/agent")
	for folder, agent := range packages {
		names, err := fs.Glob(protocols, folder+"/testdata/*.hooks.jsonl")
		require.NoError(tb, err)
		require.NotEmpty(tb, names)
		for _, name := range names {
			text, err := fs.ReadFile(protocols, name)
			require.NoError(tb, err)
			bodies[HooksPath+agent] += string(text)
		}
	}
	return bodies
}

func TestOptions(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC).UnixNano()
	for query, want := range map[string]hookOptions{
		"":                                     {},
		"otel=logs":                            {sources: []string{mcpconv.SourceLogs}},
		"otel=traces,logs,traces,x,":           {sources: []string{mcpconv.SourceSpans, mcpconv.SourceLogs}},
		"time=" + strconv.FormatInt(now, 10):   {time: now},
		"time=" + strconv.FormatInt(now+1, 10): {},
		"time=0":                               {},
		"time=-1":                              {},
		"time=1e9":                             {},
		"event=sessionStart":                   {event: "sessionStart"},
		"event=%ff":                            {event: "\uFFFD"},
		"event=" + strings.Repeat("x", 2*idBytes): {},
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, want, optionsOf(values, now), query)
	}
}

func TestOptionsFillFacts(t *testing.T) {
	o := hookOptions{sources: []string{mcpconv.SourceLogs}}
	e := &event.TurnEnded{SelfReport: event.SelfReport{Facts: &event.Facts{Model: "m"}}}
	o.fill(e)
	require.Equal(t, &event.Facts{Model: "m", Sources: o.sources}, e.Facts)
	(&hookOptions{}).fill(e)
	require.Equal(t, "m", e.Facts.Model)
	none := &event.SelfReport{}
	o.fill(none)
	require.Equal(t, &event.Facts{Sources: o.sources}, none.Facts)
}

// TestManyOpenToolsAreNoHostage: a body of nothing but questions is accepted whole,
// within the time that hooks have.
func TestManyOpenToolsAreNoHostage(t *testing.T) {
	b := newBench()
	var body strings.Builder
	for i := range itemsMax - 1 {
		fmt.Fprintf(&body, `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"u%d","agent_id":"g"}`+"\n", i)
	}
	body.WriteString(`{"session_id":"s","hook_event_name":"SessionEnd"}`)
	w := b.post(ClaudeCodePath, ndjson, []byte(body.String()))
	require.Equal(t, http.StatusAccepted, w.Code, w.Body)
	require.Equal(t, store.Sizes{}, b.runner.Engine.Sizes())
}
