package push

import (
	"cmp"
	"context"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/inspector"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
)

const eventStream = "text/event-stream"

func isInspector(mediaType string) bool { return mediaType == eventStream || isJSON(mediaType) }

// eventScratch holds what one body of events needs at a time.
type eventScratch struct {
	decoder  inspector.Decoder
	envelope event.Envelope
}

var spareEvents = sync.Pool{New: func() any { return new(eventScratch) }}

// release gives the scratch back, which must not pin a body that is not kept for
// the next one anyway.
func (s *eventScratch) release(bytes int) {
	if bytes > body.KeepBytes/2 {
		*s = eventScratch{}
	}
	spareEvents.Put(s)
}

// handleEvents handles a body of Inspector events.
func handleEvents(ctx context.Context, tx *session.Tx, p *pushed, t *tally) error {
	s := spareEvents.Get().(*eventScratch)
	defer s.release(len(p.body))
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
		if err := p.handleEvent(ctx, tx, s, item.Event); err != nil {
			return err
		}
		t.accepted++
	}
	return nil
}

// inspected is the session of an event.
func (p *pushed) inspected(e *inspectorwire.Event) string {
	return cmp.Or(e.SessionID, p.MCPSession, p.Session, p.Query)
}

func (p *pushed) handleEvent(ctx context.Context, tx *session.Tx, s *eventScratch, e *inspectorwire.Event) error {
	if e.Sanitized {
		p.invalid("invalid UTF-8")
	}
	if e.Type == inspectorwire.TypeConnected || e.Type == inspectorwire.TypeHeartbeat && e.SessionID == "" {
		return nil // the stream lives, nothing more
	}
	env := &s.envelope
	*env = event.Envelope{
		Arrival: p.now, Time: e.Time, Session: p.inspected(e),
		Invalid: e.Invalid, Push: p.Context,
	}
	if env.Time == 0 {
		env.Time = p.now
	}
	return tx.Apply(ctx, env, s.decoder.Event(env, e))
}
