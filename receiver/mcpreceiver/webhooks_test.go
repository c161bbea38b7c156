package mcpreceiver

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const hookSecret = "whsec_" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// hooked is a receiver that takes deliveries of subscriptions that others made.
func hooked(t *testing.T) (url string, sink *refusingSink) {
	cfg := quiet()
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = harness.FreeAddress(t)
	cfg.Webhooks.HTTP = configoptional.Some(http)
	cfg.Webhooks.Secrets = []WebhookSecretConfig{{SubscriptionID: "sub_1", Secret: configopaque.String(hookSecret), Encoding: "base64"}}
	_, sink = startEvents(t, cfg)
	return "http://" + http.NetAddr.Endpoint + "/v1/webhooks", sink
}

// signed is a delivery of a subscription.
func signed(t *testing.T, url, subscription, id, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	hook, err := standardwebhooks.NewWebhook(hookSecret)
	require.NoError(t, err)
	now := time.Now()
	signature, err := hook.Sign(id, now, []byte(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-MCP-Subscription-Id", subscription)
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("webhook-signature", signature)
	return r
}

func answerTo(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

func TestAnswersToDeliveries(t *testing.T) {
	url, sink := hooked(t)
	event := `{"eventId":"ev-1","name":"build.finished","timestamp":"2026-03-04T09:14:58Z","data":{"a":1},"cursor":"c"}`
	is := func(code int, r *http.Request) {
		t.Helper()
		got, _ := answerTo(t, r)
		assert.Equal(t, code, got)
	}
	get := signed(t, url, "sub_1", "ev-1", event)
	get.Method = http.MethodGet
	is(http.StatusMethodNotAllowed, get)
	plain := signed(t, url, "sub_1", "ev-1", event)
	plain.Header.Set("Content-Type", "text/plain")
	is(http.StatusUnsupportedMediaType, plain)
	is(http.StatusRequestEntityTooLarge, signed(t, url, "sub_1", "ev-1", `{"eventId":"`+strings.Repeat("x", 256<<10)+`"}`))
	is(http.StatusServiceUnavailable, signed(t, url, "sub_2", "ev-1", event))
	forged := signed(t, url, "sub_1", "ev-2", event)
	forged.Header.Set("webhook-id", "ev-1")
	is(http.StatusUnauthorized, forged)
	late := signed(t, url, "sub_1", "ev-1", event)
	late.Header.Set("webhook-timestamp", "1772615700")
	is(http.StatusUnauthorized, late)
	is(http.StatusBadRequest, signed(t, url, "sub_1", "ev-1", `[]`))
	page := signed(t, url, "sub_1", "ev-1", event)
	page.Header.Set("Origin", "https://evil.example")
	is(http.StatusForbidden, page)
	require.Empty(t, sink.names())

	sink.refuseNext(errors.New("not now"), false)
	is(http.StatusServiceUnavailable, signed(t, url, "sub_1", "ev-1", event))
	is(http.StatusNoContent, signed(t, url, "sub_1", "ev-1", event))
	is(http.StatusNoContent, signed(t, url, "sub_1", "ev-1", event))
	assert.Equal(t, 1, sink.count("notifications/events/event"), "once")
	sink.refuseNext(consumererror.NewPermanent(errors.New("never")), false)
	is(http.StatusInternalServerError, signed(t, url, "sub_1", "ev-3", strings.Replace(event, "ev-1", "ev-3", 1)))

	code, answer := answerTo(t, signed(t, url, "sub_1", "msg_1", `{"type":"verification","challenge":"n-1"}`))
	assert.Equal(t, http.StatusOK, code)
	assert.JSONEq(t, `{"challenge":"n-1"}`, answer)
	is(http.StatusNoContent, signed(t, url, "sub_1", "msg_2", `{"type":"gap","cursor":"c"}`))
	is(http.StatusNoContent, signed(t, url, "sub_1", "msg_2", `{"type":"gap","cursor":"c"}`))
	is(http.StatusNoContent, signed(t, url, "sub_1", "msg_3", `{"type":"terminated","error":{"code":-32023,"message":"gone"}}`))
	assert.Equal(t, 1, sink.count("notifications/events/gap"))
	assert.Equal(t, 1, sink.count("notifications/events/terminated"))
}

// A subscription that its server ended is gone, also for what is under way.
func TestDeliveriesAfterTheEnd(t *testing.T) {
	s, endpoint := announces(t, 3, everyWay...)
	cfg := subscribing(t, endpoint, "webhook")
	cfg.Events[0].Webhook.Secret = configopaque.String(hookSecret)
	r, sink := startEvents(t, cfg)
	require.Equal(t, "webhook", active(t, r))
	s.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"})
	eventually(t, "it comes", func() bool { return sink.count("notifications/events/event") == 1 })
	id, _ := spansOf(sink.traces)[0].Attributes().Get("mcp.event.subscription_id")
	s.Terminate()
	eventually(t, "the end is told", func() bool { return sink.count("notifications/events/terminated") == 1 })
	eventually(t, "it is gone", func() bool {
		code, _ := answerTo(t, signed(t, cfg.Events[0].Webhook.URL, id.Str(), "ev-2", `{"eventId":"ev-2"}`))
		return code == http.StatusGone
	})
}
