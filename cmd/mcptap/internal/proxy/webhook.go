package proxy

import (
	"net/http"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// deliveryMax is the size of the largest webhook delivery in bytes (MCP Events).
const deliveryMax = 256 << 10

// Headers of webhook deliveries (MCP Events: the first draft's own, and Standard
// Webhooks).
const (
	headerSubscription = "X-Mcp-Subscription-Id"
	headerSignature    = "X-Mcp-Signature"
	headerStandard     = "Webhook-Signature"
)

// delivery is an event of MCP Events that its server delivers to a webhook. Its
// body is no JSON-RPC: it is recorded as the params of the notification that the
// same event would be in a stream.
type delivery struct {
	subscription string
	body         []byte
	tooLong      bool
	reported     bool
}

// deliveryOf is nil if the request is no webhook delivery.
func deliveryOf(r *http.Request) *delivery {
	subscription := r.Header.Get(headerSubscription)
	signed := r.Header.Get(headerSignature) != "" || r.Header.Get(headerStandard) != ""
	if r.Method != http.MethodPost || subscription == "" && !signed || !isJSON(r.Header) {
		return nil
	}
	return &delivery{subscription: subscription}
}

// part reads the next part of the body.
func (d *delivery) part(p []byte) {
	if d.tooLong = d.tooLong || len(d.body)+len(p) > deliveryMax; !d.tooLong {
		d.body = append(d.body, p...)
	}
}

// message is the notification, nil if the body is not a JSON object.
func (d *delivery) message() []byte {
	var c jsonscan.Cursor
	c.Reset(d.body)
	if body := c.Value(); d.tooLong || c.Err() != nil || !c.End() || !body.IsObject() {
		return nil
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","method":"notifications/events/event","params":`), d.body, []byte{'}'})
}

// delivered reports the delivery once it is over: whether the webhook accepted it
// is part of what happened. The caller holds x.mu.
func (x *exchange) delivered() {
	d := x.delivery
	if d == nil || d.reported || !x.answers.bodyOver || !x.answers.answerOver {
		return
	}
	d.reported = true
	r := x.next(observation.Record{
		Direction: observation.ServerToClient, Delivery: observation.DeliveryWebhook, Subscription: d.subscription,
		HTTPStatus: x.answers.refusal(), Unanswered: x.answers.status == 0,
	})
	if message := d.message(); message != nil {
		x.p.add(&r, message)
	} else {
		x.p.sink.Dropped(&r, 1)
	}
	d.body = nil
}
