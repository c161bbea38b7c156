package telemetry

import (
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Occurred adds the zero-length span of what a server told a subscription, and
// its log record, which is named after the event.
func (b *Batch) Occurred(o *session.Occurrence) {
	span := b.span(o.Server, defaultName(false))
	fill(span, place{trace: o.Trace, span: o.Span, parent: o.Context.Span, start: o.Time, end: o.Time})
	if o.Context.Valid() {
		under(span, o.Context)
	}
	span.SetName(o.Method)
	a := &b.attrs
	a.begin(roomOfNotice)
	a.rpc(o.Method, "2.0", false)
	a.transport("http")
	b.occurrence(o)
	a.payload(mcpconv.NoticeParams, o.Params)
	a.str(mcpconv.Invalid, o.Invalid)
	b.conclude(span, &o.Outcome)
	b.echo(span, occurrenceEntry(o))
}

func (b *Batch) occurrence(o *session.Occurrence) {
	a := &b.attrs
	if !o.Nameless {
		a.str(mcpconv.EventID, a.text(o.ID))
	}
	a.str(mcpconv.EventName, a.text(o.Name))
	a.str(mcpconv.EventCursor, a.text(o.Cursor))
	a.payload(mcpconv.EventData, o.Data)
	a.str(mcpconv.EventSubscription, a.text(o.Subscription))
	a.str(mcpconv.EventGeneration, o.Generation)
	a.str(mcpconv.EventDelivery, o.Delivery)
	if !o.Outcome.Failed && o.Code != "" { // a gap, which is no error
		a.otel(mcpconv.RPCStatusCode, o.Code)
		a.payload(mcpconv.ErrorMessage, o.Message)
	}
}

func occurrenceEntry(o *session.Occurrence) entry {
	if o.Method == mcpconv.EventOccurred {
		return entry{name: o.Name, body: o.Data}
	}
	return entry{name: o.Method, severity: plog.SeverityNumberWarn, body: o.Message}
}
