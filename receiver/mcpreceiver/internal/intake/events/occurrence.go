package events

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// metaSubscription names in _meta the request that a notification belongs to.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

// known are the members of an event that have an attribute of their own.
var known = map[string]bool{
	"id": true, "eventId": true, "name": true, "timestamp": true, "data": true, "cursor": true, "_meta": true,
}

// occurrenceOf reads an event: of a poll, of a stream, or the body of a delivery.
// otherwise is the id of one that has none, "" if nothing can stand for it.
func occurrenceOf(raw json.RawMessage, m members, otherwise string) *event.Occurrence {
	o := &event.Occurrence{
		Method: mcpconv.EventOccurred, ID: m.Text("eventId"), Name: m.Text("name"),
		Cursor: m.Text("cursor"), Data: validText(m["data"]), Subscription: m.Text("id"),
	}
	meta := m.Object("_meta")
	if o.Subscription == "" {
		o.Subscription = meta.Text(metaSubscription)
	}
	o.Traceparent, o.Tracestate = meta.Text("traceparent"), meta.Text("tracestate")
	if o.ID == "" {
		o.Invalid, o.ID, o.Nameless = "eventId is missing", otherwise, true
	}
	if o.ID == "" {
		sum := sha256.Sum256(raw)
		o.ID = "sha256:" + hex.EncodeToString(sum[:])
	}
	var ok bool
	if o.Time, ok = inspectorwire.ParseTime(m.Text("timestamp")); !ok && o.Invalid == "" {
		o.Invalid = "timestamp is not a time"
	}
	if o.Name == "" && o.Invalid == "" {
		o.Invalid = "name is missing"
	}
	for key := range m {
		if !known[key] {
			o.Params = validText(raw)
		}
	}
	return o
}

// aboutOf reads what is reported about a subscription: an error, a gap, its end.
func aboutOf(method string, fault members) *event.Occurrence {
	return &event.Occurrence{Method: method, Code: fault.Text("code"), Message: fault.Text("message")}
}
