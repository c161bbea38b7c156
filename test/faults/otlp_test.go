package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestOTLPBombs posts bodies to the otlp receiver that unpack to much more than a
// body may have, or to just that, many at once.
func TestOTLPBombs(t *testing.T) {
	for name, megabytes := range map[string]int{"too large": choose(64, 512), "just small enough": 19} {
		t.Run(name, func(t *testing.T) {
			otlp := harness.FreeAddress(t)
			c := startLimited(t, fmt.Sprintf(`receivers: {mcp: {otlp: {protocols: {http: {endpoint: %q}}}}}`, otlp))
			health := c.watchHealth(t)
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			_, _ = z.Write([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"` + strings.Repeat("x", megabytes<<20) + `"}}]}]}]}`))
			assert.NoError(t, z.Close())
			answers := &tally{}
			var senders sync.WaitGroup
			for range 32 {
				senders.Go(func() { answers.add(postTo(otlp, "/v1/logs", zipped.Bytes(), "Content-Encoding", "gzip")) })
			}
			senders.Wait()
			t.Logf("%d kB each: answers %v, slowest answer of the health check %v", zipped.Len()>>10, answers.count, health())
			answers.only(t, "200", "400", "413", "429", "503")
			harness.Eventually(t, "nothing is accepted", func() bool { return postTo(otlp, "/v1/logs", []byte(`{"resourceLogs":[]}`)) == "200" })
			c.checkResident(t)
		})
	}
}
