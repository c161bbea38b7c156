package session

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func parseHook(t tb, text string) *jsonrpc.Hook {
	var c jsonscan.Cursor
	var h jsonrpc.Hook
	c.Reset([]byte(text))
	require.NoError(t, h.Decode(&c, ""), text)
	return &h
}

// hookOps are the ways in which hooks tell of something.
var hookOps = map[string]func(context.Context, *Tx, *Observation, *jsonrpc.Hook) error{
	"told": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.HookTold(ctx, o, h)
	},
	"started": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.HookStarted(ctx, o, h)
	},
	"ended": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.HookEnded(ctx, o, h)
	},
	"prompt": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.Prompted(ctx, o, h)
	},
	"rest": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error { return tx.Rested(ctx, o, h) },
	"fail": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error { return tx.Failed(ctx, o, h) },
	"pre": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.ToolStarted(ctx, o, h, false)
	},
	"question": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.ToolStarted(ctx, o, h, true)
	},
	"post": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.ToolEnded(ctx, o, h, ToolFailure("text", false))
	},
	"deny": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.ToolDenied(ctx, o, h)
	},
	"ask": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.Asked(ctx, o, h, true)
	},
	"answer": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.Answered(ctx, o, h)
	},
	"compact": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.Compacting(ctx, o, h, true)
	},
	"packed": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.Compacted(ctx, o, h)
	},
	"agent": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.AgentBegan(ctx, o, h)
	},
	"done": func(ctx context.Context, tx *Tx, o *Observation, h *jsonrpc.Hook) error {
		return tx.AgentDone(ctx, o, h)
	},
}

// drawHook is an event of a hook.
func drawHook(t *rapid.T, o Observation) op {
	what := rapid.SampledFrom([]string{
		"pre", "pre", "pre", "post", "post", "question", "ask", "deny", "answer", "prompt", "rest", "fail", "agent", "done",
		"compact", "packed", "told", "started", "ended",
	}).Draw(t, "hook")
	if o.Session == "" {
		o.Session = "a"
	}
	o.Connection, o.Client, o.Transport, o.Direction = "", "claude-code", "", FromClient
	text := fmt.Sprintf(`{"session_id":"x","hook_event_name":"E","tool_name":"T","tool_use_id":%q,"tool_input":%d,"agent_id":%q,"agent_type":%q,"duration_ms":%d,"prompt":%q}`,
		rapid.SampledFrom([]string{"", "u1", "u2", "u3"}).Draw(t, "tool"), rapid.IntRange(0, 1).Draw(t, "input"),
		rapid.SampledFrom([]string{"", "", "g1", "g2"}).Draw(t, "agent"), rapid.SampledFrom([]string{"", "G"}).Draw(t, "type"),
		rapid.SampledFrom([]int{0, 10, 100000}).Draw(t, "duration"), rapid.SampledFrom([]string{"", "a prompt"}).Draw(t, "prompt"))
	return op{what + " " + text, func(t tb, tx *Tx, o Observation) error {
		return hookOps[what](context.Background(), tx, &o, parseHook(t, text))
	}, o}
}
