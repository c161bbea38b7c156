package configs

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestDemo: with the default configuration the page shows each of the five agents, and the one error of the agent
// that fails. The demo can run again.
func TestDemo(t *testing.T) {
	p := start(t, []string{"XDG_STATE_HOME=" + t.TempDir()}, "--config", "embedded:default")
	for runs := range 2 {
		harness.Start(t, "demo", harness.Tap(t), nil, []string{
			"demo", "--speed", "50", "--endpoint", "http://" + p.mcp, "--otlp-endpoint", "http://" + p.http,
		}).Wait(t)
		harness.Eventually(t, "the page does not show the agents as they are", func() bool {
			response, err := http.Get("http://" + p.page + "/_inspector/sessions?limit=100")
			require.NoError(t, err)
			defer response.Body.Close()
			var list struct {
				Sessions []struct {
					Status string
					Errors int
				}
			}
			require.NoError(t, json.NewDecoder(response.Body).Decode(&list))
			failed, waiting := 0, 0
			for _, s := range list.Sessions {
				switch {
				case s.Status == "failed" && s.Errors == 1:
					failed++
				case s.Status == "paused":
					waiting++
				}
			}
			return len(list.Sessions) == 5*(runs+1) && failed == runs+1 && waiting == runs+1
		})
		time.Sleep(time.Second) // sessions are named by the second
	}
}
