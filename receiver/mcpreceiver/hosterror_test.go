package mcpreceiver

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPhaseOfAHostThatReportsOnlyErrors: the error is its phase until it reports another
// one, and counts once. An error does not change the phase of a host that has one.
func TestPhaseOfAHostThatReportsOnlyErrors(t *testing.T) {
	const limited = `{"jsonrpc":"2.0","method":"notifications/host.error","params":{"error_type":"rate_limit","message":"429","retrying":true,"retry_count":1}}`
	swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, _ *statusHost) {
		began := time.Now()
		for _, body := range []string{limited, messagesOf["working"], limited, limited} {
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
			assert.EqualValues(t, 3, errors.Int())
		}
	})
}
