package mcpreceiver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// At start a server may not reach the webhook yet: it is tried again, more than
// once, also if it is the only way of delivery.
func TestAChallengeThatFailsAtFirst(t *testing.T) {
	var failures atomic.Int32
	failures.Store(2)
	s := script(func(_ http.ResponseWriter, method string, _ map[string]any) string {
		if method != "events/subscribe" {
			return strings.Replace(usual(method), `"poll",`, "", 1)
		}
		if failures.Add(-1) >= 0 {
			return `!{"code":-32015,"message":"CallbackEndpointError"}`
		}
		return `{"id":"sub_1","refreshBefore":"2099-01-01T00:00:00Z"}`
	})
	server := httptest.NewServer(s)
	defer server.Close()
	cfg := subscribing(t, server.URL, "webhook")
	cfg.Events[0].Generation = "g2"
	r, _ := startEvents(t, cfg)
	require.Equal(t, "webhook", active(t, r))
	assert.Equal(t, 3, s.count("events/subscribe"))
}

// Where there is another way, that is taken in the end.
func TestAChallengeThatFails(t *testing.T) {
	t.Parallel() // it waits for seconds
	s := script(func(_ http.ResponseWriter, method string, _ map[string]any) string {
		if method == "events/subscribe" {
			return `!{"code":-32015,"message":"CallbackEndpointError"}`
		}
		return usual(method)
	})
	server := httptest.NewServer(s)
	defer server.Close()
	cfg := subscribing(t, server.URL, "webhook", "poll")
	cfg.Events[0].Generation = "g2"
	r, _ := startEvents(t, cfg)
	require.Equal(t, "poll", active(t, r))
	assert.Equal(t, 6, s.count("events/subscribe"))
}
