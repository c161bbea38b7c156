package session

import (
	"strconv"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Occurrence is what a server told a subscription of MCP Events: something that
// occurred, or something about the subscription. Its strings are kept.
type Occurrence struct {
	Method       string // mcpconv.EventOccurred, EventsError, EventsGap or EventsTerminated
	Endpoint     string // of the server, as configured
	Server       string // what the server calls itself, "" if it did not say
	ID           string // eventId, or what stands for one that is missing
	Name         string // of the type of event
	Cursor       string
	Data         string // JSON
	Subscription string
	Generation   string // g1, g2, g3
	Delivery     string // poll, push, webhook
	Time         int64  // when it occurred, Unix ns; 0: when it arrived
	Code         string // of the error
	Message      string // of the error
	Traceparent  string
	Tracestate   string
	Params       string // JSON, if they hold what has no field here
	Nameless     bool   // ID only stands for one that is missing
	Invalid      string

	// Set by Occurred.
	Trace   identity.TraceID
	Span    identity.SpanID
	Context Context // the parent
	Outcome Outcome
}

// Occurred tells of an occurrence. It belongs to no session: an event is a trace
// of its own, named after the server's endpoint and the event's id, so that it is
// the same however and wherever it arrives.
func (tx *Tx) Occurred(o *Occurrence) {
	if o.Time <= 0 {
		o.Time = tx.now
	}
	tx.note(o.Invalid)
	o.Context = tx.contextOf(&Observation{Traceparent: o.Traceparent, Tracestate: o.Tracestate}, nil)
	name := o.identity()
	o.Trace = identity.Trace(tx.t.opt.Namespace, name)
	if o.Context.Valid() {
		o.Trace = o.Context.Trace
	}
	o.Span = identity.Span(o.Trace, identity.Notice, name, o.Method, o.ID)
	o.Outcome = o.outcome()
	tx.sink.Occurred(o)
}

// identity names the trace. What is told about a subscription has no id: its time
// stands in, so that no trace grows without end.
func (o *Occurrence) identity() string {
	name := "event:" + o.Endpoint + "/" + o.ID
	if o.Method != mcpconv.EventOccurred {
		name = "event:" + o.Endpoint + "/" + o.Subscription + "/" + o.Name + "#" + strconv.FormatInt(o.Time, 10)
	}
	return name
}

func (o *Occurrence) outcome() Outcome {
	if o.Method != mcpconv.EventsError && o.Method != mcpconv.EventsTerminated {
		return Outcome{}
	}
	return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: o.Code, RPCCode: o.Code, Message: o.Message}
}
