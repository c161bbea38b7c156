package push

import (
	"cmp"
	"context"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/claudecode"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// hooksWait bounds how long an agent may have to wait for the answer to a hook.
const hooksWait = 2 * time.Second

// handleHooks handles a body of events of Claude Code's hooks. They carry no time:
// they are accepted as they arrive.
func handleHooks(ctx context.Context, tx *session.Tx, p *pushed, t *tally) error {
	var items jsonscan.Items
	var h claudecode.Hook
	var d claudecode.Decoder
	items.Reset(p.body)
	otherwise := cmp.Or(p.Session, p.Query)
	for items.Next() {
		if t.items++; t.items > itemsMax {
			return errTooMany
		}
		if err := items.Done(h.Decode(items.Cursor(), otherwise)); err != nil {
			t.reject(items.Index(), err)
			continue
		}
		id := cmp.Or(h.Session.Str(), otherwise)
		if len(id) > idBytes || len(h.ToolID) > idBytes || len(h.AgentID) > idBytes {
			t.reject(items.Index(), errLongID)
			continue
		}
		if h.Sanitized {
			p.invalid("invalid UTF-8")
		}
		env := &event.Envelope{
			Arrival: p.now, Time: p.now, Session: id, Client: mcpconv.ClaudeCode,
			Direction: event.FromClient, Push: p.Context,
		}
		if err := tx.Apply(ctx, env, d.Event(&h)); err != nil {
			return err
		}
		t.accepted++
	}
	return nil
}
