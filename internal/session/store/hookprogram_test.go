package store_test

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/claudecode"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

func parseHook(t tb, text string) *hook.Body {
	var c jsonscan.Cursor
	var b hook.Body
	c.Reset([]byte(text))
	require.NoError(t, b.Decode(&c, hook.Defaults{}), text)
	return &b
}

// hookEvents are the hooks that report what a program does.
var hookEvents = map[string]string{
	"told": "E", "started": "SessionStart", "ended": "SessionEnd", "prompt": "UserPromptSubmit", "rest": "Stop", "fail": "StopFailure",
	"pre": "PreToolUse", "question": "PreToolUse", "post": "PostToolUseFailure", "deny": "PermissionDenied",
	"ask": "Notification", "answer": "ElicitationResult", "compact": "PreCompact", "packed": "PostCompact",
	"agent": "SubagentStart", "done": "SubagentStop",
}

// hookMembers are what some of them have beside what all have.
var hookMembers = map[string]string{"post": `,"error":"text"`, "compact": `,"trigger":"manual"`}

// drawHook is an event of a hook.
func drawHook(t *rapid.T, env event.Envelope) op {
	what := rapid.SampledFrom([]string{
		"pre", "pre", "pre", "post", "post", "question", "ask", "deny", "answer", "prompt", "rest", "fail", "agent", "done",
		"compact", "packed", "told", "started", "ended",
	}).Draw(t, "hook")
	if env.Session == "" {
		env.Session = "a"
	}
	env.Connection, env.Transport, env.Direction = "", "", event.FromClient
	env.Client = rapid.SampledFrom([]string{"claude-code", "codex", "copilot"}).Draw(t, "agent program")
	text := fmt.Sprintf(`{"session_id":"x","hook_event_name":%q,"tool_name":"T","tool_use_id":%q,"tool_input":%d,"agent_id":%q,"agent_type":%q,"duration_ms":%d,"prompt":%q%s}`,
		hookEvents[what], rapid.SampledFrom([]string{"", "u1", "u2", "u3"}).Draw(t, "tool"), rapid.IntRange(0, 1).Draw(t, "input"),
		rapid.SampledFrom([]string{"", "", "g1", "g2"}).Draw(t, "agent"), rapid.SampledFrom([]string{"", "G"}).Draw(t, "type"),
		rapid.SampledFrom([]int{0, 10, 100000}).Draw(t, "duration"), rapid.SampledFrom([]string{"", "a prompt"}).Draw(t, "prompt"),
		hookMembers[what])
	return op{what + " " + text, func(ctx context.Context, t tb, tx *session.Tx, env event.Envelope) error {
		var d claudecode.Decoder
		e := d.Event(parseHook(t, text))
		if started, ok := e.(*event.ToolStarted); ok {
			started.Asks = what == "question"
		}
		return tx.Apply(ctx, &env, e)
	}, env}
}
