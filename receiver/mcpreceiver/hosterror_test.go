package mcpreceiver

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

// TestPhaseOfAHostThatReportsOnlyErrors: the error is its phase until it reports another
// one. An error that it retries changes no phase.
func TestPhaseOfAHostThatReportsOnlyErrors(t *testing.T) {
	const limited = `{"jsonrpc":"2.0","method":"notifications/host.error","params":{"error_type":"rate_limit","message":"429","retrying":true,"retry_count":1}}`
	final := strings.Replace(limited, "true", "false", 1)
	swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, _ *statusHost) {
		began := time.Now()
		for _, body := range []string{final, messagesOf["working"], limited, limited} {
			require.Equal(t, http.StatusAccepted, tell(t, r, "s", body))
			pass(time.Minute)
		}
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", messagesOf["idle"]))
		pass(time.Hour)
		lines := g.account(began)
		assert.Contains(t, lines, "host.phase error 0s..1m0s")
		assert.Contains(t, lines, "host.phase working 1m0s..4m0s")
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, s := range g.taken {
			if s.Name() != "session.summary" {
				continue
			}
			errors, _ := s.Attributes().Get("mcp.summary.errors")
			assert.EqualValues(t, 3, errors.Int(), "one of each report, none of the phase")
		}
	})
}

// TestRowHasWhatItsHostFailedAt: until the host goes on, whatever became of the notices.
func TestRowHasWhatItsHostFailedAt(t *testing.T) {
	const limited = `{"jsonrpc":"2.0","method":"notifications/host.error","params":{"error_type":"rate_limit","message":"429","retrying":true,"retry_count":1}}`
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		last := func() map[string]any {
			all := rows{}
			for _, ld := range s.outLogs.AllLogs() {
				all.take(ld)
			}
			row := all["s"].AsRaw()
			maps.DeleteFunc(row, func(key string, _ any) bool { return !strings.HasPrefix(key, "mcp.host.error.") })
			return row
		}
		row := func(body string) map[string]any {
			require.Equal(t, http.StatusAccepted, tell(t, s.c, "s", body))
			pass(time.Second)
			return last()
		}
		at := time.Now().UnixNano()
		failed := map[string]any{
			"mcp.host.error.type": "rate_limit", "mcp.host.error.message": "429", "mcp.host.error.retrying": true,
			"mcp.host.error.retry_count": int64(1), "mcp.host.error.time_unix_nano": at,
		}
		assert.Equal(t, failed, row(limited))
		assert.Equal(t, failed, row(notice))
		assert.Empty(t, row(messagesOf["working"]))
		final := row(`{"jsonrpc":"2.0","method":"notifications/host.error","params":{"error_type":"auth_failure"}}`)
		assert.Equal(t, map[string]any{"mcp.host.error.type": "auth_failure", "mcp.host.error.time_unix_nano": at + 3e9}, final)
		assert.Empty(t, row(messagesOf["working"]))
		row(limited)
		s.stop(t)
		assert.Empty(t, last(), "it is over")
	})
}

// TestAHostResumesThroughAConnectionWithoutSession: a stalled host is heard of again
// through a tapped server of which only the connection is known, and the calls of that
// connection are watched as before.
func TestAHostResumesThroughAConnectionWithoutSession(t *testing.T) {
	const line = `{"connection":"c-1","host":"h-1","message":%s}`
	swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, _ *statusHost) {
		began := time.Now()
		mux := http.NewServeMux()
		push.Register(mux, r.runner)
		observe := func(message string) {
			t.Helper()
			w := post(mux, push.ObservationsPath, fmt.Sprintf(line, message))
			require.Equal(t, http.StatusAccepted, w.Code, w.Body)
		}
		observe(`{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`)
		pass(10 * time.Minute)
		observe(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
		pass(10 * time.Minute)
		observe(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		pass(time.Minute)
		lines := g.account(began)
		for _, want := range []string{"mcp.host.stalled 3m0s", "mcp.host.resumed 10m0s", "mcp.call.stuck 12m0s", "mcp.call.returned 20m0s"} {
			assert.True(t, slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, want) }), "%s: %v", want, lines)
		}
	})
}
