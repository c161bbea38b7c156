package store_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// What one session with a heartbeat, and one with an open call, cost to keep.
func BenchmarkKeep(b *testing.B) {
	for name, text := range map[string]string{
		"heartbeat": `{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working","tokens_used":1000}}`,
		"call":      `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"n","arguments":{"path":"/a/b/c"}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			opt := testOptions()
			opt.MaxSessions, opt.MaxOpenCalls, opt.MaxOpenBytes = 1<<30, 1<<30, 1<<50
			p := newKeeping(b, opt)
			b.ReportAllocs()
			bytes := 0
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				now := int64(i+1) * second
				tx := p.engine.Begin(now, newStory(p.engine), nil)
				o := event.Envelope{Arrival: now, Time: now, Session: strconv.Itoa(i % 1000)}
				text := text
				if name == "call" {
					text = fmt.Sprintf(text, i)
				}
				if err := message(b.Context(), tx, &o, parse(b, text)); err != nil {
					b.Fatal(err)
				}
				tx.Commit()
				b.StartTimer()
				c, err := p.engine.Changes()
				if err != nil {
					b.Fatal(err)
				}
				for _, r := range c.Records {
					bytes += len(r.Data)
				}
				c.Stored()
			}
			b.ReportMetric(float64(bytes)/float64(b.N), "B/record")
		})
	}
}
