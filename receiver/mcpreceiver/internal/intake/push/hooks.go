package push

import (
	"context"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/around"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/hooks"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/tracker"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/wire"
)

// hooksWait bounds how long an agent may have to wait for the answer to a hook.
const hooksWait = 2 * time.Second

// takeHooks takes a body of events of Claude Code's hooks. They carry no time:
// they are taken as they come.
func takeHooks(ctx context.Context, tx *tracker.Tx, p *pushed, t *tally) error {
	var items jsonscan.Items
	var h wire.Hook
	items.Reset(p.body)
	otherwise := around.First(p.Session, p.Query)
	for items.Next() {
		if t.items++; t.items > itemsMax {
			return errTooMany
		}
		if err := items.Done(h.Decode(items.Cursor(), otherwise)); err != nil {
			t.reject(items.Index(), err)
			continue
		}
		session := around.First(h.Session.Str(), otherwise)
		if len(session) > idBytes || len(h.ToolID) > idBytes || len(h.AgentID) > idBytes {
			t.reject(items.Index(), errLongID)
			continue
		}
		if h.Sanitized {
			p.invalid("invalid UTF-8")
		}
		o := &tracker.Observation{
			Arrival: p.now, Time: p.now, Session: session, Client: mcpconv.ClaudeCode,
			Direction: tracker.FromClient, Push: p.Context,
		}
		if err := hooks.Take(ctx, tx, o, &h); err != nil {
			return err
		}
		t.accepted++
	}
	return nil
}
