package mcpreceiver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// Reminders that nobody declared and log messages that nobody wants are dropped:
// that is logged once a session, without what they say.
func TestDroppedIsLoggedOnceASession(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	set := receivertest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	cfg := quiet()
	cfg.Reminder.Undeclared, cfg.Log.MinLevel = "drop", "error"
	r, err := newReceiver(set, cfg, newDecoder)
	require.NoError(t, err)
	r.setTraces(consumertest.NewNop())
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	for _, session := range []string{"s-1", "s-2"} {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"logging":{}},"protocolVersion":"2025-06-18","serverInfo":{"name":"s"}}}
`
		body += strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/reminder","params":{"reminder":{"id":"r","body":"word"}}}
{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"word"}}
`, 3)
		require.Equal(t, http.StatusAccepted, send(t, mux, session, body))
	}
	assert.Equal(t, 2, logs.FilterMessageSnippet("Dropping reminders").Len())
	assert.Equal(t, 2, logs.FilterMessageSnippet("Dropping log messages").Len())
	assert.Zero(t, logs.FilterMessageSnippet("word").Len())
}
