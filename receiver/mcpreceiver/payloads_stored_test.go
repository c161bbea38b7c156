package mcpreceiver

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

// Without payloads nothing keeps the title of an Inspector's session, but for one that
// is a name, which gives the workflow its type.
func TestTitlesAreNotStoredWithoutPayloads(t *testing.T) {
	for _, payloads := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newShuffled(t, rand.New(rand.NewPCG(0, 0)))
			s.cfg.Capture.Payloads = payloads
			s.restart(t, false)
			for _, line := range []string{
				`{"type":"SessionStarted","session_id":"s-1","engine":"asyncio","title":"Pay invoice 4711","start_time":"2025-08-02T09:31:07Z"}`,
				`{"type":"SessionStarted","session_id":"s-2","engine":"asyncio","title":"LLMRouter","start_time":"2025-08-02T09:31:07Z"}`,
			} {
				s.tell(t, said{push.InspectorPath, "application/x-ndjson", nil, line})
			}
			time.Sleep(2 * time.Second) // virtual
			synctest.Wait()
			kept := ""
			for _, value := range s.host.memory.kept {
				kept += string(value)
			}
			assert.Equal(t, payloads, strings.Contains(kept, "invoice 4711"))
			assert.Contains(t, kept, "LLMRouter")
			require.NoError(t, s.r.Shutdown(t.Context()))
		})
	}
}
