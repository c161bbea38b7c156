package mcpreceiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadatatest"
	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// threeWays asks for the same events by each way at once.
func threeWays(t *testing.T, endpoint string) *Config {
	cfg := subscribing(t, endpoint, "webhook")
	for _, way := range []string{"push", "poll"} {
		e := cfg.Events[0]
		e.Delivery = []string{way}
		cfg.Events = append(cfg.Events, e)
	}
	return cfg
}

func allActive(t *testing.T, r *mcpReceiver) {
	eventually(t, "all are active", func() bool {
		n := 0
		for _, source := range r.events {
			source.States(func(_, state string) {
				if state == "active" {
					n++
				}
			})
		}
		return n == len(r.events)
	})
}

// settled waits for a poll that begins after the last event.
func settled(t *testing.T, s *eventsource.Server) {
	from := s.Count("events/poll")
	eventually(t, "it is polled again", func() bool { return s.Count("events/poll") >= from+2 })
}

// By three ways at once, and after a restart, each event is recorded once; at
// another replica it is the same span.
func TestOnceByEveryWay(t *testing.T) {
	for generation := 1; generation <= 3; generation++ {
		t.Run(fmt.Sprintf("g%d", generation), func(t *testing.T) {
			t.Parallel()
			s, endpoint := announces(t, generation, everyWay...)
			s.PollAfter = time.Second
			cfg, shelf := threeWays(t, endpoint), newShelf(t)
			cfg.Storage = shelf.cfg.Storage
			sink := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
			r := assemble(t, cfg, sink)
			require.NoError(t, r.Start(t.Context(), shelf.host))
			replica, other := startEvents(t, threeWays(t, endpoint))
			allActive(t, r)
			allActive(t, replica)
			for i := range 20 {
				s.Append(eventsource.Event{ID: fmt.Sprintf("ev-%d", i), Name: "incident.created"})
			}
			eventually(t, "all come", func() bool {
				return sink.count("notifications/events/event") >= 20 && other.count("notifications/events/event") >= 20
			})
			settled(t, s)
			require.NoError(t, r.Shutdown(t.Context()))
			again := assemble(t, cfg, sink)
			require.NoError(t, again.Start(t.Context(), shelf.host))
			allActive(t, again)
			settled(t, s)
			require.NoError(t, again.Shutdown(t.Context()))
			require.NoError(t, replica.Shutdown(t.Context()))
			assert.Equal(t, 20, sink.count("notifications/events/event"))
			assert.Equal(t, idsOf(sink), idsOf(other))
		})
	}
}

func idsOf(sink *refusingSink) map[string]string {
	ids := map[string]string{}
	for _, span := range spansOf(sink.traces) {
		id, _ := span.Attributes().Get("mcp.event.id")
		ids[id.Str()] = span.TraceID().String() + span.SpanID().String()
	}
	return ids
}

// Servers of one make derive the same id of the same subscription.
func TestTwoServersGiveTheSameID(t *testing.T) {
	one, endpoint := announces(t, 3, "webhook")
	two, endpointTwo := announces(t, 3, "webhook")
	cfg := subscribing(t, endpoint, "webhook")
	e := cfg.Events[0]
	e.Endpoint = endpointTwo
	cfg.Events = append(cfg.Events, e)
	r, sink := startEvents(t, cfg)
	allActive(t, r)
	one.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"})
	two.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"})
	eventually(t, "both come", func() bool { return sink.count("notifications/events/event") == 2 })
	require.NoError(t, r.Shutdown(t.Context()))
	spans := spansOf(sink.traces)
	first, _ := spans[0].Attributes().Get("mcp.event.subscription_id")
	second, _ := spans[1].Attributes().Get("mcp.event.subscription_id")
	assert.Equal(t, first.Str(), second.Str())
	assert.NotEqual(t, spans[0].TraceID(), spans[1].TraceID())
}

func TestUnsubscribesAtShutdown(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		t.Run(strconv.FormatBool(wanted), func(t *testing.T) {
			s, endpoint := announces(t, 3, everyWay...)
			cfg := subscribing(t, endpoint, "webhook")
			cfg.Events[0].Webhook.UnsubscribeOnShutdown = wanted
			r, _ := startEvents(t, cfg)
			require.Equal(t, "webhook", active(t, r))
			require.NoError(t, r.Shutdown(t.Context()))
			assert.Equal(t, wanted, s.Count("events/unsubscribe") == 1)
		})
	}
}

// A descriptor that is only worded in another way ends no stream.
func TestAnotherDescription(t *testing.T) {
	s, endpoint := announces(t, 3, "push")
	r, sink := startEvents(t, subscribing(t, endpoint, "push"))
	require.Equal(t, "push", active(t, r))
	read := s.Count("events/list")
	s.SetTypes(eventsource.Type{Name: "other"}, // the pages stay as they are
		eventsource.Type{Name: "incident.created", Delivery: []string{"push"}, Durable: true, Description: "in other words"})
	eventually(t, "the list is read again", func() bool { return s.Count("events/list") > read })
	s.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"})
	eventually(t, "it comes", func() bool { return sink.count("notifications/events/event") == 1 })
	assert.Equal(t, 1, s.Count("events/stream"))
}

// signedG1 is a delivery of the first generation.
func signedG1(t *testing.T, url, secret, id, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "." + body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-MCP-Subscription-Id", id)
	r.Header.Set("X-MCP-Timestamp", stamp)
	r.Header.Set("X-MCP-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	return r
}

// In G1 a server may sign with a secret of its own though one was given, and tells
// by a delivery that the cursor is too old: then it is subscribed to again.
func TestWebhooksOfG1(t *testing.T) {
	s := script(func(_ http.ResponseWriter, method string, params map[string]any) string {
		if method == "events/subscribe" {
			return fmt.Sprintf(`{"id":%q,"secret":"its own","refreshBefore":"2099-01-01T00:00:00Z"}`, params["id"])
		}
		return usual(method)
	})
	server := httptest.NewServer(s)
	defer server.Close()
	cfg := subscribing(t, server.URL, "webhook")
	cfg.Events[0].Generation = "g1"
	cfg.Events[0].Webhook.Secret = configopaque.String(hookSecret)
	r, sink := startEvents(t, cfg)
	require.Equal(t, "webhook", active(t, r))
	s.mu.Lock()
	asked := s.params[len(s.params)-1]
	s.mu.Unlock()
	id, url := fmt.Sprint(asked["id"]), cfg.Events[0].Webhook.URL
	assert.Equal(t, hookSecret, asked["delivery"].(map[string]any)["secret"])
	code, _ := answerTo(t, signedG1(t, url, "its own", id, `{"id":"`+id+`","eventId":"ev-1","name":"incident.created","cursor":"c-1"}`))
	assert.Equal(t, http.StatusNoContent, code)
	code, _ = answerTo(t, signedG1(t, url, "another", id, `{"id":"`+id+`","eventId":"ev-2"}`))
	assert.Equal(t, http.StatusUnauthorized, code)
	code, _ = answerTo(t, signedG1(t, url, "its own", id, `{"id":"`+id+`","error":{"code":-32014,"message":"CursorExpired"}}`))
	assert.Equal(t, http.StatusNoContent, code)
	eventually(t, "it is subscribed to anew", func() bool { return s.count("events/subscribe") == 2 })
	s.mu.Lock()
	assert.Nil(t, s.params[len(s.params)-1]["cursor"], "from now on")
	s.mu.Unlock()
	require.NoError(t, r.Shutdown(t.Context()))
	assert.Equal(t, 1, sink.count("notifications/events/gap"))
	assert.Equal(t, 1, sink.count("notifications/events/event"))
}

// A gap that is delivered twice is one.
func TestAGapIsCountedOnce(t *testing.T) {
	cfg := quiet()
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = harness.FreeAddress(t)
	cfg.Webhooks.HTTP = configoptional.Some(http)
	cfg.Webhooks.Secrets = []WebhookSecretConfig{{Secret: configopaque.String(hookSecret), Encoding: "base64"}}
	r, tel := measured(t, cfg, &gate{})
	url := "http://" + http.NetAddr.Endpoint + "/v1/webhooks"
	for range 3 {
		code, _ := answerTo(t, signed(t, url, "sub_1", "msg_gap_1", `{"type":"gap","cursor":"c"}`))
		assert.Equal(t, 204, code)
	}
	metadatatest.AssertEqualMcpReceiverLosses(t, tel, single(1, "kind", "event_gap"), metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}

// A delivery may have 256 KiB and not a byte more; there is nothing but webhooks.
func TestBoundsOfDeliveries(t *testing.T) {
	url, sink := hooked(t)
	body := func(size int) string {
		frame := `{"eventId":"ev-1","name":"n","data":{"x":"%s"}}`
		return fmt.Sprintf(frame, strings.Repeat("x", size-len(frame)+2))
	}
	for size, want := range map[int]int{256 << 10: http.StatusNoContent, 256<<10 + 1: http.StatusRequestEntityTooLarge} {
		code, _ := answerTo(t, signed(t, url, "sub_1", "ev-1", body(size)))
		assert.Equal(t, want, code, size)
	}
	assert.Equal(t, 1, sink.count("notifications/events/event"))
	for _, path := range []string{"/", "/mcp", "/v1/webhooks/", "/.well-known/mcp-webhook-receiver.json"} {
		code, _ := answerTo(t, signed(t, strings.TrimSuffix(url, "/v1/webhooks")+path, "sub_1", "ev-1", "{}"))
		assert.Equal(t, http.StatusNotFound, code, path)
	}
}

// The endpoint may speak TLS itself.
func TestWebhooksOverTLS(t *testing.T) {
	peer := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate and a client that trusts it
	defer peer.Close()
	key, err := x509.MarshalPKCS8PrivateKey(peer.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: peer.Certificate().Raw}, "key.pem": {Type: "PRIVATE KEY", Bytes: key},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	cfg := quiet()
	server := confighttp.NewDefaultServerConfig()
	server.NetAddr.Endpoint = harness.FreeAddress(t)
	server.TLS = configoptional.Some(configtls.ServerConfig{Config: configtls.Config{
		CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem"),
	}})
	cfg.Webhooks.HTTP = configoptional.Some(server)
	cfg.Webhooks.Secrets = []WebhookSecretConfig{{Secret: configopaque.String(hookSecret), Encoding: "base64"}}
	sink := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
	r := assemble(t, cfg, sink)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	url := "https://" + server.NetAddr.Endpoint + "/v1/webhooks"
	response, err := peer.Client().Do(signed(t, url, "sub_1", "ev-1", `{"eventId":"ev-1","name":"n"}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusNoContent, response.StatusCode)
	assert.NotNil(t, response.TLS)
	peer.Client().CloseIdleConnections()
	require.NoError(t, r.Shutdown(t.Context()))
	assert.Equal(t, 1, sink.count("notifications/events/event"))
}
