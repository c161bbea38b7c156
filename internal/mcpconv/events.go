package mcpconv

// Notifications of MCP Events (SEP-3415 and the sketches before it). A gap has
// none of its own on the wire in every generation: it is called as its siblings.
const (
	EventsPrefix       = "notifications/events/"
	EventOccurred      = EventsPrefix + "event"
	EventsActive       = EventsPrefix + "active"
	EventsError        = EventsPrefix + "error"
	EventsGap          = EventsPrefix + "gap"
	EventsTerminated   = EventsPrefix + "terminated"
	EventsListChanged  = EventsPrefix + "list_changed"
	MethodEventsList   = "events/list"
	MethodEventsPoll   = "events/poll"
	MethodSubscribe    = "events/subscribe"
	MethodUnsubscribe  = "events/unsubscribe"
	NotificationInited = "notifications/initialized"
)

// Keys of events.
const (
	EventID           = "mcp.event.id"
	EventName         = "mcp.event.name"
	EventCursor       = "mcp.event.cursor"
	EventData         = "mcp.event.data_json"
	EventSubscription = "mcp.event.subscription_id"
	EventGeneration   = "mcp.event.generation"
	EventDelivery     = "mcp.event.delivery"
)

// HasSecret reports whether requests with that method, or their replies, carry the
// secret that webhooks are signed with.
func HasSecret(method string) bool { return method == MethodSubscribe }
