package push

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/reqmeta"
)

const eventStream = "text/event-stream"

func isInspector(mediaType string) bool { return mediaType == eventStream || isJSON(mediaType) }

// takeEvents takes a body of Inspector events.
func takeEvents(ctx context.Context, tx *session.Tx, p *pushed, t *tally) error {
	form := inspectorwire.JSON
	if p.media == eventStream {
		form = inspectorwire.SSE
	}
	for i, item := range inspectorwire.Events(p.body, form) {
		if t.items = i + 1; t.items > itemsMax {
			return errTooMany
		}
		err := item.Err
		if err == nil && len(p.inspected(item.Event)) > idBytes {
			err = errLongID
		}
		if err != nil {
			t.reject(i, err)
			continue
		}
		if err := p.takeEvent(ctx, tx, item.Event); err != nil {
			return err
		}
		t.accepted++
	}
	return nil
}

// inspected is the session of an event.
func (p *pushed) inspected(e *inspectorwire.Event) string {
	return reqmeta.First(e.SessionID, p.MCPSession, p.Session, p.Query)
}

func (p *pushed) takeEvent(ctx context.Context, tx *session.Tx, e *inspectorwire.Event) error {
	if e.Sanitized {
		p.invalid("invalid UTF-8")
	}
	if e.Type == inspectorwire.TypeConnected || e.Type == inspectorwire.TypeHeartbeat && e.SessionID == "" {
		return nil // the stream lives, nothing more
	}
	o := &session.Observation{
		Arrival: p.now, Time: e.Time, Session: p.inspected(e),
		Invalid: e.Invalid, Push: p.Context,
	}
	if o.Time == 0 {
		o.Time = p.now
	}
	return intake.Tell(ctx, tx, o, e)
}
