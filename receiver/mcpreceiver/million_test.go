package mcpreceiver

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
)

// BenchmarkMillionSessions posts a heartbeat of one of a million open sessions, and
// of the only one. It takes 2 GiB.
func BenchmarkMillionSessions(b *testing.B) {
	const million = 1_000_000
	for _, n := range []int{1, million} {
		b.Run(map[int]string{1: "one", million: "million"}[n], func(b *testing.B) {
			cfg := createDefaultConfig().(*Config)
			cfg.Session.MaxSessions = million
			r := bigReceiver(b, cfg, consumertest.NewNop())
			p := newPusher(r)
			_, before := memoryInUse()
			for i := range n {
				p.post(b, i)
				if i%50_000 == 0 {
					runtime.GC() // so many come in hours, not in a minute
				}
			}
			_, after := memoryInUse()
			i := 0
			cputime.Loop(b, func() {
				i++
				p.post(b, i*stride%n)
			})
			b.ReportMetric(float64(after-before)/float64(n), "resident-B/session")
			require.Equal(b, n, r.runner.Engine.Sizes().Sessions)
		})
	}
}
