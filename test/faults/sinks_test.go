package faults

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestIllSinks: whatever the backend does, nothing that was acknowledged is lost,
// and what waits for it is bounded. Senders are refused when there is no more room.
func TestIllSinks(t *testing.T) {
	while := choose(3*time.Second, time.Minute)
	for _, tt := range []struct {
		name  string
		how   func(http.ResponseWriter, *http.Request) bool
		while time.Duration
	}{
		{"503", refusing(http.StatusServiceUnavailable), while},
		{"429", refusing(http.StatusTooManyRequests), while},
		{"hang", hanging, while},
		{"reset", resetting, while},
		{"slow", slow, while},
		{"flapping every 2 s", alternating(2*time.Second, refusing(http.StatusServiceUnavailable), well), choose(10*time.Second, 10*time.Minute)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink := startIll(t)
			c := startLimited(t, fmt.Sprintf(`
exporters:
  otlp_http:
    endpoint: %s
    timeout: 1s
    compression: none
    retry_on_failure: {initial_interval: 100ms, max_interval: 500ms, max_elapsed_time: 0}
    sending_queue: {sizer: bytes, queue_size: 8388608, block_on_overflow: false}
service: {pipelines: {traces: {receivers: [mcp], processors: [memory_limiter], exporters: [otlp_http]}}}
`, sink.URL))
			s := newSenders(c.mcp)
			s.payload = strings.Repeat("x", 20_000)
			ctx, stop := context.WithCancel(t.Context())
			var loading sync.WaitGroup
			for i := range 8 {
				loading.Go(func() { s.load(i, false)(ctx) })
			}
			sink.behave(tt.how)
			<-time.After(tt.while)
			sink.behave(nil)
			stop()
			loading.Wait()
			again := sink.awaitAll(t, s.acknowledged, s.sessions)
			t.Logf("%v: %d calls and %d sessions acknowledged, 0 lost, %d came again, %d requests were refused and sent again",
				tt.while, len(s.acknowledged), len(s.sessions), again, s.refused)
			assert.NotEmpty(t, s.acknowledged)
			c.checkResident(t)
		})
	}
}
