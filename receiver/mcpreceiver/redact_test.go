package mcpreceiver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// errorHost keeps the errors of statuses.
type errorHost struct {
	component.Host
	mu     sync.Mutex
	errors []string
}

func (h *errorHost) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Err() != nil {
		h.errors = append(h.errors, e.Err().Error())
	}
}

func (h *errorHost) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.errors, "\n")
}

// offline offers an Inspector's trace, and otherwise is neither an Inspector nor a
// server with events.
func offline(t *testing.T) *httptest.Server {
	f := newFakeInspector(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct{ ID json.RawMessage }
		switch {
		case r.URL.Path == "/events":
			f.events(w, r)
		case json.NewDecoder(r.Body).Decode(&call) != nil:
			w.WriteHeader(http.StatusTeapot)
		case call.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x"}}}`, call.ID)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// TestNoCredentialsInLogs: what an endpoint has besides host and path may be a secret.
func TestNoCredentialsInLogs(t *testing.T) {
	server := offline(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	const token = "hunter2"
	secretly := func(base, path string) string {
		return strings.Replace(base, "http://", "http://"+token+":"+token+"@", 1) + path + "?token=" + token
	}
	for name, c := range map[string]struct {
		endpoint string
		inspects bool
		says     string
	}{
		"an Inspector's server that has none": {secretly(server.URL, "/other"), true, "instead of an event stream"},
		"an Inspector's server that is gone":  {secretly(gone.URL, "/_inspector/events"), true, "refused"},
		"an Inspector that lists no sessions": {secretly(server.URL, "/events"), true, "Cannot list"},
		"a server that offers no events":      {secretly(server.URL, "/mcp"), false, "offers no events"},
		"a server with events, which is gone": {secretly(gone.URL, "/mcp"), false, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := quiet()
			if c.inspects {
				cfg.Inspector = []InspectorConfig{{FetchTraces: true}}
				cfg.Inspector[0].Endpoint = c.endpoint
			} else {
				cfg.Events = []EventsConfig{newEventsConfig()}
				cfg.Events[0].Endpoint, cfg.Events[0].Subscriptions = c.endpoint, []SubscriptionConfig{{Name: "a"}}
			}
			require.NoError(t, cfg.Validate())
			r := assemble(t, cfg, &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()})
			core, logs := observer.New(zap.DebugLevel)
			r.set.Logger = zap.New(core)
			host := &errorHost{Host: componenttest.NewNopHost()}
			require.NoError(t, r.Start(t.Context(), host))
			logged := func() string {
				var all strings.Builder
				encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "m"})
				for _, entry := range logs.All() {
					line, err := encoder.EncodeEntry(entry.Entry, entry.Context)
					if assert.NoError(t, err) {
						all.WriteString(line.String())
					}
				}
				return all.String()
			}
			eventually(t, c.says, func() bool { return strings.Contains(logged(), c.says) })
			require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
			assert.NotContains(t, logged(), token)
			assert.NotContains(t, host.all(), token)
		})
	}
}
