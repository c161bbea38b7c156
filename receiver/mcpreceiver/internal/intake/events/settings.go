package events

import (
	"encoding/json"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// Label names this way in, in the component's own metrics.
const Label = "events"

// Timing.
const (
	firstRetry   = 250 * time.Millisecond
	lastRetry    = time.Minute
	lastRefusal  = 5 * time.Second // between attempts to hand on what a pipeline refused
	pollFloor    = time.Second     // MCP Events: clients poll no faster by default
	refusedRetry = 5 * time.Minute
	lastTime     = 5 * time.Second // to unsubscribe at shutdown
	graceTime    = 15 * time.Minute
)

// missedMax bounds the attempts at a webhook that its server does not reach, before
// another way of delivery is tried, if there is one: at start what leads to it may not
// be up yet.
const missedMax = 5

// Settings hold what a [Source] needs.
type Settings struct {
	Runner   *intake.Runner
	Logger   *zap.Logger
	HTTP     *http.Client
	Seen     *Seen
	Registry *Registry // that webhook deliveries are looked up in
	Status   func(error)
	Version  string // of ours, reported to servers

	Endpoint      string
	Generation    Generation
	Delivery      []string // in order of preference
	Subscriptions []Subscription
	MaxEvents     int // of one poll
	Webhook       WebhookSettings
}

// Subscription is one type of event to subscribe to.
type Subscription struct {
	Name      string
	Arguments json.RawMessage // an object
	MaxAge    time.Duration   // of events that are sent after a gap, 0 any
}

// WebhookSettings say where a server sends events to.
type WebhookSettings struct {
	URL         string // "" for no webhooks
	Secret      string // "" for one that is made up
	Encoding    Encoding
	TTL         time.Duration // 0: the server's own
	Unsubscribe bool          // at shutdown
}
