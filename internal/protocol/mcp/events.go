package mcp

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// metaSubscription names in _meta the stream that a notification belongs to.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

// isEvent reports whether the notification is an event of MCP Events, or about the
// subscription to some.
func isEvent(m *jsonrpc.Message) bool {
	return reportsEvent(m.Method) || m.Method == mcpconv.EventsActive && truncated(m.Params.Raw)
}

func reportsEvent(method string) bool {
	switch method {
	case mcpconv.EventOccurred, mcpconv.EventsError, mcpconv.EventsGap, mcpconv.EventsTerminated:
		return true
	}
	return false
}

// seen returns what a notification of MCP Events reports.
func (d *Decoder) seen(env *event.Envelope, m *jsonrpc.Message) event.Event {
	n := &d.notice
	d.fill(n, env, m)
	if !env.Webhook {
		n.Method = streamed(m)
		d.event = eventOf(n.Method, m.Params.Raw)
		d.event.Delivery = "push"
	} else if !d.delivered(env, n) {
		d.keepAlive.Contact = n.Contact
		return &d.keepAlive
	}
	n.Detail, n.Time, n.Params = &d.event, d.event.Time, d.event.Params
	n.Invalid = cmp.Or(n.Invalid, d.event.Invalid, m.Params.InvalidParams())
	return n
}

// streamed returns what a notification of a stream reports: a cursor that expired, and a
// stream that does not begin where it was asked to, are gaps.
func streamed(m *jsonrpc.Message) string {
	switch m.Method {
	case mcpconv.EventsActive:
		return mcpconv.EventsGap
	case mcpconv.EventsError:
		if expired(innerFault(jsonrpc.Member(m.Params.Raw, "error"))) {
			return mcpconv.EventsGap
		}
	}
	return m.Method
}

// truncated reports whether a stream, or the answer to a poll, does not begin where it
// was asked to.
func truncated(object jsonscan.Value) bool { return jsonrpc.Member(object, "truncated").IsTrue() }

// eventOf reads an event: the params of a notification, or an element of a poll's
// result.
func eventOf(method string, raw jsonscan.Value) event.EventSeen {
	e := event.EventSeen{Method: method, Raw: raw}
	var id, timestamp, fault jsonscan.Value
	for key, v := range raw.Members() {
		switch key {
		case "eventId":
			e.ID = v
		case "name":
			e.Name = v
		case "cursor":
			e.Cursor = v
		case "data":
			e.Data = v
		case "timestamp":
			timestamp = v
		case "id":
			id = v
		case "error":
			fault = innerFault(v)
		case "_meta":
			e.Subscription = jsonrpc.Member(v, metaSubscription).Text()
			e.Trace = event.TraceMeta{Traceparent: jsonrpc.Member(v, "traceparent"), Tracestate: jsonrpc.Member(v, "tracestate")}
		default:
			e.Params = raw
		}
	}
	if id != "" {
		e.Subscription, e.Generation = id.Text(), "g1"
	}
	e.Code, e.Message = jsonrpc.Member(fault, "code"), jsonrpc.Member(fault, "message")
	e.Time = timeOf(timestamp)
	e.Invalid = invalidEvent(&e)
	return e
}

func invalidEvent(e *event.EventSeen) string {
	switch {
	case e.Method != mcpconv.EventOccurred:
		return ""
	case e.ID.Str() == "":
		return "eventId is missing"
	case e.Time == 0:
		return "timestamp is not a time"
	case e.Name.Str() == "":
		return "name is missing"
	}
	return ""
}

// eventsOf returns what a result brings if it is that of events/poll: of one
// subscription, or in the first draft of several, some of which may have failed.
func (d *Decoder) eventsOf(r *jsonrpc.Result) []event.EventSeen {
	d.polled = d.polled[:0]
	switch {
	case r.Events.IsArray():
		generation := ""
		if r.Type != "" {
			generation = "g3"
		}
		d.pollOne(r.Raw, generation)
	case r.Results.IsArray():
		for entry := range r.Results.Elements() {
			if fault := jsonrpc.Member(entry, "error"); fault != "" {
				d.polled = append(d.polled, polledOf(eventOf(polledFault(innerFault(fault)), entry), "", "g1"))
				continue
			}
			d.pollOne(entry, "g1")
		}
	}
	return d.polled
}

// Limits of what is read of one poll: subscriptions, and bytes of an id or a name.
const (
	maxPolled = 100
	maxBytes  = 256
)

// polledBy are the subscriptions that a poll asks for: one, or in the first draft several.
func polledBy(params jsonscan.Value) event.JSON {
	named := func(name string, v jsonscan.Value) bool {
		return (name == "id" || name == "name") && v.IsString() && len(v) <= maxBytes
	}
	of := []string{}
	if several := jsonrpc.Member(params, "subscriptions"); several.IsArray() {
		for one := range several.Elements() {
			if asked := one.Select(named); asked != "" && len(of) < maxPolled {
				of = append(of, string(asked))
			}
		}
	} else {
		of = append(of, cmp.Or(string(params.Select(named)), "{}"))
	}
	return event.JSON("[" + strings.Join(of, ",") + "]")
}

// pollOne reads the events of one subscription, and the gap before them. The last one
// has the cursor of the page unless it has its own.
func (d *Decoder) pollOne(page jsonscan.Value, generation string) {
	subscription, cursor := jsonrpc.Member(page, "id").Text(), jsonrpc.Member(page, "cursor")
	if truncated(page) {
		d.polled = append(d.polled, polledOf(event.EventSeen{Method: mcpconv.EventsGap, Cursor: cursor, Raw: page}, subscription, generation))
	}
	first := len(d.polled)
	for raw := range jsonrpc.Member(page, "events").Elements() {
		d.polled = append(d.polled, polledOf(eventOf(mcpconv.EventOccurred, raw), subscription, generation))
	}
	if n := len(d.polled); n > first && d.polled[n-1].Cursor == "" && cursor.IsString() {
		d.polled[n-1].Cursor = cursor
	}
}

func polledOf(e event.EventSeen, subscription, generation string) event.EventSeen {
	e.Delivery, e.Generation = "poll", generation
	e.Subscription = cmp.Or(e.Subscription, subscription)
	return e
}
