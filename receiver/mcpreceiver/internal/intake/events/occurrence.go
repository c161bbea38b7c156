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
		Method: mcpconv.EventOccurred, ID: m.text("eventId"), Name: m.text("name"),
		Cursor: m.text("cursor"), Data: valid(m["data"]), Subscription: m.text("id"),
	}
	meta := m.object("_meta")
	if o.Subscription == "" {
		o.Subscription = meta.text(metaSubscription)
	}
	o.Traceparent, o.Tracestate = meta.text("traceparent"), meta.text("tracestate")
	if o.ID == "" {
		o.Invalid, o.ID, o.Nameless = "eventId is missing", otherwise, true
	}
	if o.ID == "" {
		sum := sha256.Sum256(raw)
		o.ID = "sha256:" + hex.EncodeToString(sum[:])
	}
	var ok bool
	if o.Time, ok = inspectorwire.ParseTime(m.text("timestamp")); !ok && o.Invalid == "" {
		o.Invalid = "timestamp is not a time"
	}
	if o.Name == "" && o.Invalid == "" {
		o.Invalid = "name is missing"
	}
	for key := range m {
		if !known[key] {
			o.Params = valid(raw)
		}
	}
	return o
}

// aboutOf reads what is told about a subscription: an error, a gap, its end.
func aboutOf(method string, fault members) *event.Occurrence {
	return &event.Occurrence{Method: method, Code: fault.text("code"), Message: fault.text("message")}
}
