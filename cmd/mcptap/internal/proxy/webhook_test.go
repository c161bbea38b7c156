package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// A tap in front of a webhook reports each delivery as the notification that the
// event would be in a stream, with how the webhook answered.
func TestWebhookDeliveries(t *testing.T) {
	const event = `{"eventId":"ev-1","name":"build.finished","timestamp":"2026-02-19T16:00:00Z","data":{},"cursor":null}`
	for name, tt := range map[string]struct {
		header, value, body string
		status              int // of the webhook's answer, 0 if it gives none
		want                observation.Record
		lost                int64
		none                bool
	}{
		"standard":        {header: "webhook-signature", value: "v1,x", body: event, status: 204, want: observation.Record{Subscription: "sub-1"}},
		"first draft":     {header: "X-MCP-Signature", value: "sha256=x", body: event, status: 200, want: observation.Record{Subscription: "sub-1"}},
		"refused":         {header: "webhook-signature", value: "v1,x", body: event, status: 503, want: observation.Record{Subscription: "sub-1", HTTPStatus: 503}},
		"no answer":       {header: "webhook-signature", value: "v1,x", body: event, want: observation.Record{Subscription: "sub-1", Unanswered: true}},
		"no JSON":         {header: "webhook-signature", value: "v1,x", body: "event", status: 400, lost: 1},
		"no object":       {header: "webhook-signature", value: "v1,x", body: `[1]`, status: 400, lost: 1},
		"too long":        {header: "webhook-signature", value: "v1,x", body: `{"data":"` + strings.Repeat("x", deliveryMax) + `"}`, status: 413, lost: 1},
		"another request": {header: "X-Other", value: "1", body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, status: 202, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			url, k := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, _ := io.ReadAll(r.Body)
				assert.Equal(t, tt.body, string(text), "it is signed, and passes as it is")
				if tt.status == 0 {
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
			}), func(o *Options) { o.Propagate = true })
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(tt.body))
			require.NoError(t, err)
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set(tt.header, tt.value)
			if !tt.none {
				request.Header.Set("X-MCP-Subscription-Id", "sub-1")
			}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Eventually(t, func() bool { return len(k.all()) > 0 || k.lost() > 0 }, time.Minute, time.Millisecond)
			assert.Equal(t, tt.lost, k.lost())
			for _, r := range k.whole() {
				switch {
				case r.TransportStatus != "":
				case tt.none:
					assert.Empty(t, r.Delivery)
				default:
					got := observation.Record{Subscription: r.Subscription, HTTPStatus: r.HTTPStatus, Unanswered: r.Unanswered}
					assert.Equal(t, tt.want, got)
					assert.Equal(t, observation.DeliveryWebhook, r.Delivery)
					assert.Equal(t, observation.ServerToClient, r.Direction)
					assert.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/events/event","params":`+tt.body+`}`, r.text)
				}
			}
		})
	}
}
