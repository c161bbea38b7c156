package jsonscan

import (
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
)

// BenchmarkPayload walks values of 100 KB.
func BenchmarkPayload(b *testing.B) {
	for name, text := range map[string]string{
		"structured": payload.Structured(100_000), "prose": payload.Quoted(payload.Prose, 100_000), "ascii": payload.Quoted(payload.Plain, 100_000),
		"prose-in-object": `{"text":` + payload.Quoted(payload.Prose, 100_000) + `}`,
	} {
		b.Run(name, func(b *testing.B) {
			body := []byte(text)
			b.SetBytes(int64(len(body)))
			var c Cursor
			cputime.Loop(b, func() {
				c.Reset(body)
				if c.Value() == "" {
					b.Fatal(c.Err())
				}
			})
		})
	}
}
