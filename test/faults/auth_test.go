package faults

import (
	"encoding/base64"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const token = "open-sesame"

// webhookKey signs deliveries.
var webhookKey = []byte("a key of at least 24 bytes for the test")

// locked is a collector whose every server wants a token.
type locked struct {
	mcp, hooks, otlp, grpc, page, health string // addresses
}

func startLocked(t *testing.T) *locked {
	t.Helper()
	l := &locked{
		mcp: harness.FreeAddress(t), hooks: harness.FreeAddress(t), otlp: harness.FreeAddress(t),
		grpc: harness.FreeAddress(t), page: harness.FreeAddress(t), health: harness.FreeAddress(t),
	}
	c := harness.Start(t, "collector", harness.Collector(t), []string{
		"TOKEN=" + token, "STATE_DIR=" + t.TempDir(), "WEBHOOK_SECRET=whsec_" + base64.StdEncoding.EncodeToString(webhookKey),
		"MCP_ADDRESS=" + l.mcp, "HOOKS_ADDRESS=" + l.hooks, "OTLP_ADDRESS=" + l.otlp, "GRPC_ADDRESS=" + l.grpc,
		"PAGE_ADDRESS=" + l.page, "HEALTH_ADDRESS=" + l.health,
	}, []string{"--config", filepath.Join("testdata", "auth.yaml")})
	c.Ready(t, func() bool { return c.Logged("Everything is ready.") })
	return l
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`
	notice     = `{"session":"s","message":{"jsonrpc":"2.0","method":"notifications/x"}}`
)

// asked is a request, and how it is answered with the right token.
type asked struct {
	address, method, path, body string
	right                       int
}

func (l *locked) everything() []asked {
	return []asked{
		{l.mcp, "POST", "/v1/observations", notice, 202},
		{l.mcp, "GET", "/v1/observations", "", 405},
		{l.mcp, "POST", "/v1/inspector/events", `{"type":"SessionStarted","session_id":"i"}`, 202},
		{l.mcp, "POST", "/v1/hooks/claude-code", `{"session_id":"c","hook_event_name":"SessionStart"}`, 202},
		{l.mcp, "POST", "/mcp", initialize, 200},
		{l.mcp, "GET", "/mcp", "", 405},
		{l.mcp, "DELETE", "/mcp", "", 400},
		{l.mcp, "GET", "/", "", 404},
		{l.mcp, "GET", "/v1/../secret", "", 404},
		{l.otlp, "POST", "/v1/traces", `{"resourceSpans":[]}`, 200},
		{l.otlp, "POST", "/v1/logs", `{"resourceLogs":[]}`, 200},
		{l.page, "GET", "/", "", 200},
		{l.page, "GET", "/_inspector/ui", "", 200},
		{l.page, "GET", "/_inspector/health", "", 200},
		{l.page, "GET", "/_inspector/sessions", "", 200},
		{l.page, "GET", "/_inspector/sessions/s", "", 200},
		{l.page, "GET", "/_inspector/streams", "", 200},
		{l.page, "GET", "/_inspector/trace/s", "", 200},
		{l.page, "GET", "/_inspector/events", "", 200},
		{l.page, "POST", "/_inspector/signal/s", "{}", 405},
		{l.page, "GET", "/nothing", "", 404},
		{l.health, "GET", "/status", "", 200},
		{l.health, "GET", "/config", "", 404},
	}
}

// ask gives the status of the answer.
func ask(t *testing.T, a *asked, header http.Header, host string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), a.method, "http://"+a.address+a.path, strings.NewReader(a.body))
	require.NoError(t, err)
	request.Host = host
	request.Header = header.Clone()
	if a.body != "" {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close()) // the event stream does not end
	return response.StatusCode
}

func bearing(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// TestEveryPathWantsTheToken asks each path of each server without a token, with
// wrong ones, with the right one, and with the right one for a foreign host or page.
func TestEveryPathWantsTheToken(t *testing.T) {
	l := startLocked(t)
	require.Equal(t, 202, ask(t, &asked{l.mcp, "POST", "/v1/observations", notice, 202}, bearing(token), ""))
	harness.Eventually(t, "the session is not shown", func() bool {
		return ask(t, &asked{l.page, "GET", "/_inspector/trace/s", "", 200}, bearing(token), "") == 200
	})
	for _, a := range l.everything() {
		t.Run(a.method+" "+a.path, func(t *testing.T) {
			assert.Equal(t, 401, ask(t, &a, http.Header{}, ""), "no token")
			for _, wrong := range []string{"wrong", "", token + "x", strings.ToUpper(token), "x " + token} {
				assert.Equal(t, 401, ask(t, &a, bearing(wrong), ""), "%q", wrong)
			}
			assert.Equal(t, 401, ask(t, &a, http.Header{"Authorization": {"Basic " + token}}, ""), "another scheme")
			assert.Equal(t, a.right, ask(t, &a, bearing(token), ""), "the right token")
			if a.address == l.otlp || a.address == l.health {
				return // the collector's own servers do not check the host
			}
			assert.Equal(t, 403, ask(t, &a, bearing(token), "rebound.example.com"), "a foreign Host")
			assert.Equal(t, 401, ask(t, &a, http.Header{}, "rebound.example.com"), "a foreign Host, no token")
			foreign := bearing(token)
			foreign.Set("Origin", "https://evil.example.com")
			assert.Equal(t, 403, ask(t, &a, foreign, ""), "a foreign Origin")
			foreign.Set("Origin", "null")
			assert.Equal(t, 403, ask(t, &a, foreign, ""), "a page in a sandbox")
		})
	}
}

// TestCORS lets one page in, at one server, and still wants its token.
func TestCORS(t *testing.T) {
	l := startLocked(t)
	a := &asked{l.mcp, "POST", "/v1/observations", notice, 202}
	allowed := bearing(token)
	allowed.Set("Origin", "https://app.example.com")
	assert.Equal(t, 202, ask(t, a, allowed, ""))
	allowed.Del("Authorization")
	assert.Equal(t, 401, ask(t, a, allowed, ""))
	for origin, want := range map[string]string{"https://app.example.com": "https://app.example.com", "https://evil.example.com": ""} {
		for address, want := range map[string]string{l.mcp: want, l.page: ""} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, "http://"+address+"/v1/observations", http.NoBody)
			require.NoError(t, err)
			request.Header.Set("Origin", origin)
			request.Header.Set("Access-Control-Request-Method", http.MethodPost)
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, want, response.Header.Get("Access-Control-Allow-Origin"), "%s at %s", origin, address)
		}
	}
}

// TestGRPCWantsTheToken is the same for OTLP over gRPC.
func TestGRPCWantsTheToken(t *testing.T) {
	l := startLocked(t)
	conn, err := grpc.NewClient(l.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	client := ptraceotlp.NewGRPCClient(conn)
	for given, want := range map[string]codes.Code{"": codes.Unauthenticated, "Bearer wrong": codes.Unauthenticated, "Bearer " + token: codes.OK} {
		ctx := t.Context()
		if given != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", given)
		}
		_, err := client.Export(ctx, ptraceotlp.NewExportRequestFromTraces(ptrace.NewTraces()))
		assert.Equal(t, want, status.Code(err), "%q", given)
	}
}

// TestWebhooksWantASignature: theirs is a signature over id, time and body.
func TestWebhooksWantASignature(t *testing.T) {
	l := startLocked(t)
	body := `{"jsonrpc":"2.0","method":"notifications/events/event","params":{"eventId":"e-1","name":"incident.created","timestamp":"2026-02-19T16:00:00Z","data":{}}}`
	deliver := func(key []byte, at time.Time, signed string) int {
		signer, err := standardwebhooks.NewWebhookRaw(key)
		require.NoError(t, err)
		signature, err := signer.Sign("msg-1", at, []byte(signed))
		require.NoError(t, err)
		header := http.Header{"Webhook-Id": {"msg-1"}, "Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)}, "Webhook-Signature": {signature}}
		return ask(t, &asked{l.hooks, "POST", "/v1/webhooks", body, 0}, header, "")
	}
	now := time.Now()
	assert.Equal(t, 401, ask(t, &asked{l.hooks, "POST", "/v1/webhooks", body, 0}, http.Header{}, ""), "none")
	assert.Equal(t, 401, ask(t, &asked{l.hooks, "POST", "/v1/webhooks", body, 0}, bearing(token), ""), "another server's token")
	assert.Equal(t, 401, deliver([]byte("another key, which nobody configured"), now, body), "another key")
	assert.Equal(t, 401, deliver(webhookKey, now, body+" "), "another body")
	assert.Equal(t, 401, deliver(webhookKey, now.Add(-time.Hour), body), "an old one")
	assert.Equal(t, 401, deliver(webhookKey, now.Add(time.Hour), body), "one of the future")
	right := deliver(webhookKey, now, body)
	assert.Less(t, right, 300, "the right one")
	assert.Equal(t, 404, ask(t, &asked{l.hooks, "GET", "/", "", 0}, http.Header{}, ""))
	assert.Equal(t, 404, ask(t, &asked{l.hooks, "POST", "/v1/observations", notice, 0}, http.Header{}, ""), "what the other server has")
}
