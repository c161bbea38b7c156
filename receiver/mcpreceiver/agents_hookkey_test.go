package mcpreceiver

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Hooks of two tenants with the same id are of two sessions, and hooks and telemetry of one
// tenant are of one: a header names it for hooks, an attribute for OTLP.
func TestTenantsOfHooks(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	endpoint := l.Addr().String()
	require.NoError(t, l.Close())
	ctx := t.Context()
	s := newSetupOf(t, settings(), func(cfg *Config) {
		cfg.HTTP = createDefaultConfig().(*Config).HTTP
		require.NoError(t, confmap.NewFromStringMap(map[string]any{
			"http":   map[string]any{"endpoint": endpoint},
			"hooks":  map[string]any{"session_key": []any{"x-organization", "X-User"}},
			"agents": map[string]any{"session_key": []any{"organization.id", "user.id"}},
		}).Unmarshal(cfg))
	}, newDecoder)
	s.start(t)

	hook := func(organization, user, body string) {
		t.Helper()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+endpoint+"/v1/hooks/claude-code", strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		for name, value := range map[string]string{"X-Organization": organization, "X-User": user} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusAccepted, response.StatusCode)
	}
	for _, who := range [][2]string{{"a", "u"}, {"b", "u"}, {"a/u", ""}, {}} {
		for i, event := range []string{"PreToolUse", "PostToolUse"} {
			hook(who[0], who[1], fmt.Sprintf(
				`{"session_id":"s","hook_event_name":%q,"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"x"}%s}`,
				event, []string{"", `,"tool_response":"y"`}[i]))
		}
	}
	ld := plog.NewLogs()
	record(ld, "com.anthropic.claude_code.events", time.Now().UnixNano(), map[string]any{
		"event.name": "tool_result", "session.id": "s", "tool_name": "Bash", "tool_use_id": "t1", "success": "true", "user.id": "u",
	})
	ld.ResourceLogs().At(0).Resource().Attributes().PutStr("organization.id", "b")
	require.NoError(t, s.logs.ConsumeLogs(ctx, ld))

	s.stop(t)
	http.DefaultClient.CloseIdleConnections()
	assert.Equal(t, map[string]int64{"a/u/s": 1, "b/u/s": 1, "a%2Fu//s": 1, "//s": 1}, s.calls())
	sources := map[any]any{}
	for _, root := range s.spans()["workflow.run"] {
		all := root.Attributes().AsRaw()
		sources[all["session.id"]] = all["mcp.session.sources"]
	}
	hooks := []any{"hooks"}
	assert.Equal(t, map[any]any{"a/u/s": hooks, "b/u/s": []any{"hooks", "otlp_logs"}, "a%2Fu//s": hooks, "//s": hooks}, sources)
}
