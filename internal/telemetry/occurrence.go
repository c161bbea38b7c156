package telemetry

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Occurred adds the zero-length span of what a server reported to a
// subscription, and its log record, which is named after the event.
func (b *Batch) Occurred(o *session.Occurrence) {
	span := b.out.span(o.Server, serviceName(false))
	place{o.Trace, o.Span, o.Context.Span, o.Time, o.Time}.set(span)
	if o.Context.Valid() {
		setRemote(span, o.Context)
	}
	span.SetName(o.Method)
	a := &b.attrs
	a.begin(noticeCapacity)
	a.rpc(o.Method, "2.0", false)
	a.transport("http")
	writeOccurrence(a, o)
	a.payload(mcpconv.NoticeParams, o.Params)
	a.str(mcpconv.Invalid, o.Invalid)
	b.finish(span, &o.Outcome)
	b.out.echo(span, occurrenceEntry(o))
}

// writeOccurrence writes the event, or the error or gap of the subscription.
func writeOccurrence(a *attrs, o *session.Occurrence) {
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

// writeEventSeen writes an event that a client of others received, under the keys
// of one that we subscribed to, and how its log record looks.
func writeEventSeen(a *attrs, n *session.Notice, e *event.EventSeen, v *view) {
	a.str(mcpconv.EventID, a.text(e.ID.Str()))
	name := a.text(e.Name.Str())
	a.str(mcpconv.EventName, name)
	a.str(mcpconv.EventCursor, a.text(e.Cursor.Str()))
	a.payloadCopy(mcpconv.EventData, e.Data)
	a.str(mcpconv.EventSubscription, a.text(e.Subscription))
	a.str(mcpconv.EventGeneration, e.Generation)
	a.str(mcpconv.EventDelivery, e.Delivery)
	if e.Refused && e.Status != 0 && a.opt.OTel {
		a.int(mcpconv.HTTPStatus, e.Status)
	}
	if !n.Outcome.Failed {
		a.otel(mcpconv.RPCStatusCode, a.text(e.Code.Text()))
		a.payload(mcpconv.ErrorMessage, strings.Clone(e.Message.Str()))
	}
	if e.Method == mcpconv.EventOccurred {
		v.name, v.body = cmp.Or(name, v.name), string(e.Data)
		if n.Outcome.Failed {
			v.severity = plog.SeverityNumberWarn
		}
		return
	}
	v.body = e.Message.Str()
}
