package event

// EventSeen is an event of MCP Events in a message between others, or what their
// server says about a subscription: its error, its end.
type EventSeen struct {
	Method       string // mcpconv.EventOccurred, EventsError, EventsGap or EventsTerminated
	ID           JSON   // eventId
	Name         JSON   // of the type of event
	Cursor       JSON
	Data         JSON
	Subscription string
	Generation   string // g1, g3; "" if it is not certain
	Delivery     string // poll, push, webhook
	Refused      bool   // the webhook did not accept the delivery: it answered Status, or nothing if that is 0
	Status       int64  // of HTTP
	Code         JSON   // of the error
	Message      JSON   // likewise

	Raw     JSON // the event itself
	Params  JSON // Raw, if it has members that have no field here
	Time    int64
	Trace   TraceMeta
	Invalid string
}

func (*EventSeen) detail() {}
