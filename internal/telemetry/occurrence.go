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
		a.textCopy(mcpconv.EventID, o.ID)
	}
	a.textCopy(mcpconv.EventName, o.Name)
	a.textCopy(mcpconv.EventCursor, o.Cursor)
	a.payload(mcpconv.EventData, o.Data)
	a.textCopy(mcpconv.EventSubscription, o.Subscription)
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
	a.textCopy(mcpconv.EventID, e.ID.Str())
	name := a.copy(e.Name.Str())
	a.text(mcpconv.EventName, name)
	a.textCopy(mcpconv.EventCursor, e.Cursor.Str())
	a.payloadCopy(mcpconv.EventData, e.Data)
	a.textCopy(mcpconv.EventSubscription, e.Subscription)
	a.str(mcpconv.EventGeneration, e.Generation)
	a.str(mcpconv.EventDelivery, e.Delivery)
	if e.Refused && e.Status != 0 && a.opt.OTel {
		a.int(mcpconv.HTTPStatus, e.Status)
	}
	if !n.Outcome.Failed {
		a.otel(mcpconv.RPCStatusCode, a.cutCopy(e.Code.Text()))
		a.payload(mcpconv.ErrorMessage, strings.Clone(e.Message.Str()))
	}
	if e.Method == mcpconv.EventOccurred {
		v.name, v.body = cmp.Or(a.cut(name), v.name), string(e.Data)
		if n.Outcome.Failed {
			v.severity = plog.SeverityNumberWarn
		}
		return
	}
	v.body = e.Message.Str()
}
