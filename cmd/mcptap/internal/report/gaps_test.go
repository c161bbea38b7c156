package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// A notice of lost records says nothing of the message that was lost first.
func TestNoticeOfLossIsOfNoMessage(t *testing.T) {
	line := string(appendDropped(nil, &observation.Record{
		Session: "s", Connection: "c", Unanswered: true, HTTPStatus: 502, RequestID: "r", Traceparent: "t", Tracestate: "x",
		Bytes: 7, Reduced: true, Delivery: observation.DeliveryWebhook, Subscription: "sub", Invalid: "i",
		TransportStatus: "connected", End: observation.End{Present: true},
	}, 3))
	for _, member := range []string{"unanswered", "http_status", "request_id", "traceparent", "tracestate", "bytes", "reduced", "delivery", "subscription_id", "transport_status", "end"} {
		assert.NotContains(t, line, `"`+member+`":`)
	}
	assert.Contains(t, line, `"connection":"c","session":"s"`)
	assert.Contains(t, line, `"params":{"records":3}`)
}
