package mcpreceiver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/configopaque"
)

// The first draft has no word for the end of a subscription by webhook: whatever
// shape a server gives it, nothing is delivered any more, and it is not renewed.
// An error that passes ends nothing.
func TestEndsOfWebhooksOfG1(t *testing.T) {
	const revoked = `{"code":-32012,"message":"Unauthorized"}`
	for name, body := range map[string]string{
		"error":         `{"id":%q,"error":` + revoked + `}`,
		"nested error":  `{"id":%q,"error":{"error":` + revoked + `}}`,
		"member":        `{"id":%q,"terminated":{"error":` + revoked + `}}`,
		"type":          `{"id":%q,"type":"terminated","error":` + revoked + `}`,
		"notification":  `{"jsonrpc":"2.0","method":"notifications/events/terminated","params":{"id":%q,"error":` + revoked + `}}`,
		"error in note": `{"jsonrpc":"2.0","method":"notifications/events/error","params":{"id":%q,"error":` + revoked + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, url, sink := subscribedG1(t)
			id := fmt.Sprint(s.lastParams()["id"])
			code, _ := answerTo(t, signedG1(t, url, hookSecret, id, fmt.Sprintf(`{"id":%q,"error":{"code":-32603,"message":"UpstreamError"}}`, id)))
			assert.Equal(t, http.StatusNoContent, code)
			code, _ = answerTo(t, signedG1(t, url, hookSecret, id, fmt.Sprintf(`{"id":%q,"eventId":"ev-1","name":"incident.created"}`, id)))
			assert.Equal(t, http.StatusNoContent, code, "it goes on")
			code, _ = answerTo(t, signedG1(t, url, hookSecret, id, fmt.Sprintf(body, id)))
			assert.Equal(t, http.StatusNoContent, code)
			eventually(t, "it is over", func() bool {
				code, _ := answerTo(t, signedG1(t, url, hookSecret, id, fmt.Sprintf(`{"id":%q,"eventId":"ev-2"}`, id)))
				return code == http.StatusGone
			})
			assert.Equal(t, 1, sink.count("notifications/events/error"))
			assert.Equal(t, 1, sink.count("notifications/events/terminated"))
			assert.Equal(t, 1, s.count("events/subscribe"))
		})
	}
}

// subscribedG1 is a subscription by webhook at a server of the first draft.
func subscribedG1(t *testing.T) (s *scripted, url string, sink *refusingSink) {
	s = script(func(_ http.ResponseWriter, method string, params map[string]any) string {
		if method == "events/subscribe" {
			return fmt.Sprintf(`{"id":%q,"secret":%q,"refreshBefore":"2099-01-01T00:00:00Z"}`, params["id"], hookSecret)
		}
		return strings.Replace(usual(method), `"poll",`, "", 1)
	})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	cfg := subscribing(t, server.URL, "webhook")
	cfg.Events[0].Generation = "g1"
	cfg.Events[0].Webhook.Secret = configopaque.String(hookSecret)
	r, sink := startEvents(t, cfg)
	require.Equal(t, "webhook", active(t, r))
	return s, cfg.Events[0].Webhook.URL, sink
}

// lastParams returns those of the last request.
func (s *scripted) lastParams() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.params[len(s.params)-1]
}

// A server of the first draft that answers requests of the second with an internal
// error is asked in its own way, also if it fails for a while at first.
func TestInternalErrorsOfG1(t *testing.T) {
	failures := 2
	s := script(func(_ http.ResponseWriter, method string, params map[string]any) string {
		if method != "events/poll" {
			return strings.Replace(usual(method), `,"webhook"`, "", 1)
		}
		list, first := params["subscriptions"].([]any)
		if failures--; !first || failures >= 0 {
			return `!{"code":-32603,"message":"Internal error"}`
		}
		return fmt.Sprintf(`{"results":[{"id":%q,"events":[{"eventId":"ev-1","name":"incident.created"}],"cursor":"c-1"}]}`,
			list[0].(map[string]any)["id"])
	})
	meets(t, s, "poll", func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
		wait(time.Minute)
		assert.Equal(t, 1, sink.count("notifications/events/event"))
	})
}
